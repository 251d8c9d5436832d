/** Threads that go through one lock together; what they do is in `workers/phases.ts`. */
import { Worker } from 'node:worker_threads';
import type { RwSem } from 'rwsem';
import type { PhaseData } from '../workers/phases.ts';

/** Words that the threads and the test look at. */
export const STOP = 0;
export const ROUND = 1;
export const INSIDE = 2;
export const DONE = 3;
export const RELEASE = 4;

export function control(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(64));
}

/** Runs the body while they are at it, and lets them end. */
export async function withThreads(data: Omit<PhaseData, 'lock'> & { lock: RwSem }, body: () => Promise<void>): Promise<void> {
  const workers = Array.from(
    { length: data.threads },
    () => new Worker(new URL('../workers/phases.js', import.meta.url), { workerData: { ...data, lock: data.lock.handle } }),
  );
  try {
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
    const done = workers.map((worker) => new Promise((resolve) => worker.once('message', resolve)));
    await body();
    Atomics.store(data.control, STOP, 1);
    await Promise.all(done);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

