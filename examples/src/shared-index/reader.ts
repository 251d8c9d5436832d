/** A reader's thread: asks until it has seen the last version, blocking on the lock. */

import { parentPort, workerData } from 'node:worker_threads';

import type { RecordedAnswer } from './query.ts';
import { SharedIndex } from './shared-index.ts';
import { openLock, queriesOf, record, type ReaderResult, type ReaderTask } from './threads.ts';

const task = workerData as ReaderTask;
const lock = openLock(task);
const index = new SharedIndex(task.space.buffer, task.indexOffset, task.capacity);
const nextQuery = queriesOf(task);
const recorded: RecordedAnswer[] = [];

index.ready();
const startedAt = performance.now();
for (let version = -1; version < task.lastVersion; ) {
  const query = nextQuery();
  using _guard = lock.read();
  const answer = record(index, task.queries, query);
  recorded.push(answer);
  version = answer.version;
}
parentPort!.postMessage({ recorded, elapsedMs: performance.now() - startedAt } satisfies ReaderResult);
