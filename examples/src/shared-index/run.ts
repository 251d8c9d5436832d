import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { LockSpace, type LockEvents } from 'rwsem';

import { IndexWriter } from './index-writer.ts';
import type { IndexCapacity } from './layout.ts';
import type { RecordedAnswer } from './query.ts';
import { findMismatches, type Mismatch } from './replay.ts';
import { SharedIndex } from './shared-index.ts';
import {
  createShared,
  openLock,
  queriesOf,
  record,
  type ReaderResult,
  type ReaderTask,
  type SharedParts,
  type WriterResult,
  type WriterTask,
} from './threads.ts';
import { planWorkload, type Workload } from './workload.ts';

export interface RunOptions {
  /** `false`: every lock operation does nothing. */
  readonly locked: boolean;
  /** Reading workers; the main thread reads as well. */
  readonly readers: number;
  readonly updates: number;
  /** How long the writer leaves the readers alone before each update. */
  readonly pauseMs: number;
  readonly seed: number;
}

export interface ReaderReport {
  readonly name: string;
  readonly queries: number;
  readonly queriesPerSecond: number;
}

export interface RunReport {
  readonly workload: Workload;
  readonly terms: number;
  readonly rebuilds: number;
  readonly readers: readonly ReaderReport[];
  readonly writer: WriterResult;
  readonly events: LockEvents;
  readonly answers: number;
  readonly versionsSeen: number;
  readonly mismatches: readonly Mismatch[];
}

/** Room for all the licenses at once. */
const CAPACITY: Omit<IndexCapacity, 'documents'> = { terms: 12_000, listWords: 500_000, textBytes: 200_000 };

/** Readers in worker threads and one on this thread, one writer, and a check of all they said. */
export async function runSharedIndex(options: RunOptions): Promise<RunReport> {
  const { locked, readers, updates, pauseMs, seed } = options;
  const workload = planWorkload(seed, updates);
  const shared = createShared({ ...CAPACITY, documents: workload.documents }, readers + 2, locked);
  load(shared, workload);

  const reading = (number: number): ReaderTask => {
    return { ...shared, queries: workload.queries, seed: seed + number, lastVersion: updates };
  };
  const writing: WriterTask = { ...shared, updates: workload.updates, readers: readers + 1, pauseMs };

  const stop = new AbortController();
  const workers: Worker[] = [];
  const start = <T>(file: string, task: ReaderTask | WriterTask): Promise<T> => {
    const worker = new Worker(new URL(file, import.meta.url), { workerData: task });
    workers.push(worker);
    return resultOf<T>(worker);
  };
  try {
    const [writer, mainReader, ...workerReaders] = await Promise.all([
      start<WriterResult>('./writer.js', writing),
      readOnThisThread(reading(0), stop.signal),
      ...Array.from({ length: readers }, (_, i) => start<ReaderResult>('./reader.js', reading(i + 1))),
    ]);
    const recorded = [mainReader, ...workerReaders].flatMap((result) => result.recorded);
    const index = new SharedIndex(shared.space.buffer, shared.indexOffset, shared.capacity);
    return {
      workload,
      terms: index.termCount,
      rebuilds: index.rebuilds,
      readers: [
        ...workerReaders.map((result, i) => reportOf(`reader ${i + 1}, blocking in a worker`, result)),
        reportOf('reader on the main thread, async', mainReader),
      ],
      writer,
      events: LockSpace.attach(shared.space).events(),
      answers: recorded.length,
      versionsSeen: new Set(recorded.map(({ version }) => version)).size,
      mismatches: findMismatches(workload, recorded),
    };
  } finally {
    // If one of them failed, the others would go on, or wait for it, forever.
    stop.abort();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** Version 0. Nobody else knows the buffer yet, but the index asks for the lock whoever calls. */
function load(shared: SharedParts, workload: Workload): void {
  const index = new IndexWriter(shared.space.buffer, shared.indexOffset, shared.capacity);
  using _guard = openLock(shared).write();
  for (const update of workload.initial) index.apply(update, 0);
}

/** A thread with an event loop that must go on turning awaits the lock the workers block on. */
async function readOnThisThread(task: ReaderTask, signal: AbortSignal): Promise<ReaderResult> {
  const lock = openLock(task);
  const index = new SharedIndex(task.space.buffer, task.indexOffset, task.capacity);
  const nextQuery = queriesOf(task);
  const recorded: RecordedAnswer[] = [];

  index.ready();
  const startedAt = performance.now();
  for (let version = -1; version < task.lastVersion && !signal.aborted; ) {
    const answer = await lock.withRead(() => record(index, task.queries, nextQuery()), { signal });
    recorded.push(answer);
    version = answer.version;
    await nextTurn();
  }
  return { recorded, elapsedMs: performance.now() - startedAt };
}

function resultOf<T>(worker: Worker): Promise<T> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a worker ended early with code ${code}`)));
  });
}

function reportOf(name: string, { recorded, elapsedMs }: ReaderResult): ReaderReport {
  return { name, queries: recorded.length, queriesPerSecond: (recorded.length / elapsedMs) * 1000 };
}
