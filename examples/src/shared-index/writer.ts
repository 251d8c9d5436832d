/** The writer's thread: one update per write lock, and now and then a look at its own work. */

import { parentPort, workerData } from 'node:worker_threads';

import { IndexWriter } from './index-writer.ts';
import { openLock, type WriterResult, type WriterTask } from './threads.ts';

/** Every so many updates the whole index is checked, which takes much longer than an update. */
const UPDATES_PER_CHECK = 25;

const task = workerData as WriterTask;
const lock = openLock(task);
const index = new IndexWriter(task.space.buffer, task.indexOffset, task.capacity);
const contradictions: string[] = [];
const nobodyWakesMe = new Int32Array(new SharedArrayBuffer(4));
let checks = 0;

index.waitForReaders(task.readers);
const startedAt = performance.now();
task.updates.forEach((update, i) => {
  if (task.pauseMs > 0) Atomics.wait(nobodyWakesMe, 0, 0, task.pauseMs);
  using guard = lock.write();
  index.apply(update, i + 1);
  if ((i + 1) % UPDATES_PER_CHECK !== 0) return;

  // Downgrading lets the readers in at once and no writer in between: what is checked is what was
  // just written, and nobody waits for the check.
  using _reading = guard.downgrade();
  const contradiction = index.check();
  if (contradiction !== null) contradictions.push(`version ${i + 1}: ${contradiction}`);
  checks++;
});
parentPort!.postMessage({ elapsedMs: performance.now() - startedAt, checks, contradictions } satisfies WriterResult);
