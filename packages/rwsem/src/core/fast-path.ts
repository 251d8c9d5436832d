/**
 * The whole of an uncontended acquisition and release: one atomic operation in, one out.
 *
 * V8 folds the constants and inlines the functions of a function's own module for nothing. For every
 * imported one it first loads a cell and checks what is in it. Hence the copies of constants here and in
 * `count.ts` and `owner.ts`, and masks written out here that have names there: together they took a read
 * pair from 1.27 to 1.12 times the bare atomics (`rwsem-lab cost` measures it). And the count is the first
 * word of the lock record (COUNT is 0), so that its index need not be added up: 1 % of a pair.
 */

import * as layout from './layout.ts';
import { relaxedLoad } from './memory.ts';
import { recordWriter } from './owner.ts';

const READER = layout.READER;
const WRITER = layout.WRITER;
const WAITERS = layout.WAITERS;
const WAKING = layout.WAKING;
const HELD_MASK = layout.HELD_MASK;
const READ_FAILED = layout.READ_FAILED;
const OWNER = layout.OWNER;

/**
 * 0, and the reader holds the lock and is on record as the last one (`readerTag`); otherwise what
 * `arriveReader` returns.
 */
export function enterReader(mem: Int32Array, lock: number, asReader: number): number {
  const count = (Atomics.add(mem, lock, READER) + READER) | 0;
  return (count & READ_FAILED) === 0 && relaxedLoad(mem, lock + OWNER) === asReader ? 0 : count;
}

/**
 * Returns the count including this reader. If `readerIsIn` it holds the lock and records itself;
 * otherwise it has left a probe (I6) that `readSlow` must deal with.
 */
export function arriveReader(mem: Int32Array, lock: number): number {
  return (Atomics.add(mem, lock, READER) + READER) | 0;
}

/**
 * From the idle word only: 0, and the writer holds the lock; otherwise the count that was in the way.
 * Also the whole of a try.
 */
export function arriveWriter(mem: Int32Array, lock: number, tag: number): number {
  const count = Atomics.compareExchange(mem, lock, 0, WRITER);
  if (count === 0) recordWriter(mem, lock, tag);
  return count;
}

/**
 * The same, expecting the count that this thread last took the lock from (`stealWrite`): while waiters
 * sleep that is not the idle word, and expecting it saves a compare-exchange that would fail.
 * Returns `free` if the writer holds the lock.
 */
export function enterWriter(mem: Int32Array, lock: number, tag: number, free: number): number {
  const count = Atomics.compareExchange(mem, lock, free, free | WRITER);
  if (count === free) recordWriter(mem, lock, tag);
  return count;
}

/**
 * True if the caller must call `wakeAfterRead` now: it was the last reader, and somebody waits who has
 * not been told to try yet (I8).
 */
export function releaseRead(mem: Int32Array, lock: number): boolean {
  return (Atomics.sub(mem, lock, READER) & (HELD_MASK | WAITERS | WAKING)) === (READER | WAITERS);
}

/** True if the caller must call `wakeAfterWrite` now. */
export function releaseWrite(mem: Int32Array, lock: number): boolean {
  return (Atomics.sub(mem, lock, WRITER) & (WAITERS | WAKING)) === WAITERS;
}
