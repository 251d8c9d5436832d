/** Several threads through one lock in lockstep: the threads of scenarios 11, 12, 13 and 15. */
import { parentPort, workerData } from 'node:worker_threads';
import { RwSem, type RwSemHandle, TimeoutError } from 'rwsem';
// White box: the queue's own lock, held for longer than the lock itself would.
import * as layout from '../../dist/core/layout.js';
import { lockWaitLock, unlockWaitLock } from '../../dist/core/wait-lock.js';
import { DONE, INSIDE, RELEASE, ROUND, STOP } from '../helpers/phases.ts';

export interface PhaseData {
  lock: RwSemHandle;
  control: Int32Array;
  role: 'loop read' | 'loop write' | 'churn' | 'meet inside' | 'release together';
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

/** Busy: the lock is held on a processor. */
function stay(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function holdWaitLock(): void {
  const mem = new Int32Array(handle.buffer, handle.byteOffset);
  const at = (mem[layout.LOCKS_AT] as number) + handle.index * layout.LOCK_WORDS;
  lockWaitLock(mem, at, (mem[layout.AGENTS_AT] as number) + (lock.space.agent - 1) * layout.AGENT_WORDS);
  stay(0.1);
  unlockWaitLock(mem, at);
}

/** One of everything, so that the queue changes all the time. */
async function churn(): Promise<void> {
  const write = lock.write();
  stay(0.05);
  write.downgrade().release();
  lock.read().release();
  holdWaitLock();
  try {
    lock.write({ timeoutMs: 1 }).release();
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
  }
  const abort = new AbortController();
  const pending = lock.writeAsync({ signal: abort.signal }).then((guard) => guard.release(), () => {});
  abort.abort();
  await pending;
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
} else if (role === 'churn') {
  while (Atomics.load(control, STOP) === 0) {
    await churn();
    add(DONE);
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
