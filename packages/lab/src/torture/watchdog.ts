/**
 * A thread that watches the event loop of the thread that starts it. A test whose own thread hangs in
 * a lock cannot report it, and no time limit of the test runner would fire either; this does, by
 * printing the state of the locks and ending the process.
 */

import { Worker } from 'node:worker_threads';
import type { LockSpaceHandle } from 'rwsem';

export interface WatchdogData {
  beats: Int32Array;
  limitMs: number;
  handle: LockSpaceHandle;
  locks: number;
  /** URL of the library's index file. */
  library: string;
}

const BEAT_MS = 50;

/** Returns how to end it. */
export function watchEventLoop(library: string, handle: LockSpaceHandle, locks: number, limitMs: number): () => Promise<unknown> {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchdogData = { beats, limitMs, handle, locks, library };
  const worker = new Worker(new URL('./watchdog-thread.js', import.meta.url), { workerData });
  const timer = setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS);
  return () => {
    clearInterval(timer);
    return worker.terminate();
  };
}
