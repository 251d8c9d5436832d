/** Several threads through one lock in lockstep: the threads of scenarios 12, 13 and 15. */
import { parentPort, workerData } from 'node:worker_threads';
import { RwSem, type RwSemHandle } from 'rwsem';

/** Words of the control buffer. */
export const STOP = 0;
export const ROUND = 1;
export const INSIDE = 2;
export const DONE = 3;
export const RELEASE = 4;

export interface PhaseData {
  lock: RwSemHandle;
  control: Int32Array;
  role: 'loop read' | 'loop write' | 'meet inside' | 'release together';
  threads: number;
  rounds: number;
}

const { lock: handle, control, role, threads, rounds } = workerData as PhaseData;
const lock = RwSem.attach(handle);

function waitFor(word: number, value: number): void {
  for (;;) {
    const now = Atomics.load(control, word);
    if (now >= value) return;
    Atomics.wait(control, word, now);
  }
}

function add(word: number): void {
  Atomics.add(control, word, 1);
  Atomics.notify(control, word);
}

parentPort?.postMessage('ready');
if (role === 'loop read') {
  while (Atomics.load(control, STOP) === 0) {
    lock.downRead();
    lock.upRead();
  }
} else if (role === 'loop write') {
  while (Atomics.load(control, STOP) === 0) {
    lock.downWrite();
    lock.upWrite();
  }
} else {
  for (let round = 1; round <= rounds; round++) {
    waitFor(ROUND, round);
    lock.downRead();
    add(INSIDE);
    // With the lock held: everybody is inside, or nobody gets on.
    if (role === 'meet inside') waitFor(INSIDE, round * threads);
    else waitFor(RELEASE, round);
    lock.upRead();
    add(DONE);
  }
}
parentPort?.postMessage('done');
