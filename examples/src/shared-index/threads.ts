import { LockSpace, type LockSpaceHandle } from 'rwsem';

import { indexByteLength, type IndexCapacity } from './layout.ts';
import { type IndexLock, noLock } from './no-lock.ts';
import type { Query, RecordedAnswer } from './query.ts';
import { randomFrom } from './random.ts';
import type { SharedIndex } from './shared-index.ts';
import type { Update } from './workload.ts';

// Types only from `workload.ts`: the workers need not load the texts.

/** What every thread gets: where the lock and the index lie, and whether to use the lock. */
export interface SharedParts {
  readonly space: LockSpaceHandle;
  readonly indexOffset: number;
  readonly capacity: IndexCapacity;
  readonly locked: boolean;
}

export interface ReaderTask extends SharedParts {
  readonly queries: readonly Query[];
  readonly seed: number;
  readonly lastVersion: number;
}

export interface ReaderResult {
  readonly recorded: readonly RecordedAnswer[];
  readonly elapsedMs: number;
}

export interface WriterTask extends SharedParts {
  readonly updates: readonly Update[];
  /** Threads to wait for. */
  readonly readers: number;
  readonly pauseMs: number;
}

export interface WriterResult {
  readonly elapsedMs: number;
  readonly checks: number;
  /** What the checks after a downgrade found. */
  readonly contradictions: readonly string[];
}

/** One buffer for both: the lock space at its start, the index behind it. */
export function createShared(capacity: IndexCapacity, agents: number, locked: boolean): SharedParts {
  const options = { locks: 1, agents };
  const indexOffset = Math.ceil(LockSpace.byteLength(options) / 64) * 64;
  const buffer = new SharedArrayBuffer(indexOffset + indexByteLength(capacity));
  return { space: LockSpace.format(buffer, 0, options).handle, indexOffset, capacity, locked };
}

export function openLock(parts: SharedParts): IndexLock {
  return parts.locked ? LockSpace.attach(parts.space).rwsem(0) : noLock;
}

/** Picks the queries of one reader. */
export function queriesOf(task: ReaderTask): () => number {
  const random = randomFrom(task.seed);
  return () => random(task.queries.length);
}

/**
 * One answer with the version it holds for, both read under the same lock. Torn memory may also
 * make a reader throw; that is an answer no replay will give.
 */
export function record(index: SharedIndex, queries: readonly Query[], query: number): RecordedAnswer {
  const version = index.version;
  try {
    return { version, query, answer: index.answer(queries[query]!) };
  } catch (error) {
    return { version, query, answer: String(error) };
  }
}
