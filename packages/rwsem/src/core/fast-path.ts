/**
 * The whole of an uncontended acquisition and release: one atomic operation in, one out.
 *
 * V8 folds the constants of a function's own module, but loads imported ones from their cells every
 * time. Hence the copies here and in `count.ts` and `owner.ts`: they took a read pair from 1.27 to 1.17
 * times the bare atomics (`rwsem-lab cost` measures it). And the count is the first word of the lock
 * record (COUNT is 0), so that its index need not be added up: 1 % of a pair.
 */

import * as layout from './layout.ts';
import { mustWakeAfterReader, mustWakeAfterWriter } from './count.ts';
import { recordWriter } from './owner.ts';

const READER = layout.READER;
const WRITER = layout.WRITER;

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

/** True if the caller must call `wakeAfterRead` now. */
export function releaseRead(mem: Int32Array, lock: number): boolean {
  return mustWakeAfterReader(Atomics.sub(mem, lock, READER));
}

/** True if the caller must call `wakeAfterWrite` now. */
export function releaseWrite(mem: Int32Array, lock: number): boolean {
  return mustWakeAfterWriter(Atomics.sub(mem, lock, WRITER));
}
