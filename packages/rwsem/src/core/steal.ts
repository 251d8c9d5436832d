/**
 * Stealing: taking a lock past those that are queued for it, a free one for writing, one without a
 * writer for reading. It ends for everybody when the first waiter has asked for handoff (I5).
 *
 * While waiters sleep on a busy lock nearly every acquisition is a steal. Hence, as in `fast-path.ts`,
 * few imported functions and masks of this file's own.
 */

import * as layout from './layout.ts';
import { countEvent } from './events.ts';
import { relaxedLoad } from './memory.ts';
import { isReaderOwned, recordReader, recordWriter } from './owner.ts';
import { unlockAndWake, WAKE_READ_OWNED, wakeQueue } from './wake.ts';
import { lockWaitLock } from './wait-lock.ts';

const WRITER = layout.WRITER;
const WAITERS = layout.WAITERS;
const WAKING = layout.WAKING;
const READER = layout.READER;
/** What bars a reader from joining: a writer, handoff, or the sign. */
const READER_BARRED = layout.READ_FAILED & ~layout.WAITERS;
/** The same for a writer: anybody inside, or handoff. */
const WRITER_BARRED = layout.HELD_MASK | layout.HANDOFF;

/**
 * Joins, if it may, past the queue on a lock whose count, this reader's probe included, is `count`; the
 * probe becomes the hold. Beside other readers only if the last owner was a writer, whose successors they
 * are: a stream of readers must not pass a queued writer for ever. Never waits for a holder.
 */
export function stealRead(mem: Int32Array, lock: number, me: number, count: number): boolean {
  if ((count & READER_BARRED) !== 0 || relaxedLoad(mem, layout.POLICY_READER_STEAL) === 0) return false;
  const isAlone = count < 2 * READER;
  if (!isAlone && isReaderOwned(Atomics.load(mem, lock + layout.OWNER))) return false;
  recordReader(mem, lock, relaxedLoad(mem, me + layout.AGENT_TAG));
  countEvent(mem, me, layout.RLOCK_STEAL);
  // The only reader inside takes the readers at the front along: nobody else will until it leaves.
  // With WAKING set there are none: a writer is first.
  if (isAlone && (count & (WAITERS | WAKING)) === WAITERS) {
    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_READ_OWNED);
    unlockAndWake(mem, lock, me);
  }
  return true;
}

/**
 * Takes the write lock if this count is that of a free lock. Not worth the spinner queue, whose first may
 * be suspended. Never waits.
 */
export function stealWrite(mem: Int32Array, lock: number, me: number, count: number): boolean {
  if (relaxedLoad(mem, layout.POLICY_SPIN) === layout.SPIN_OFF) return false;
  if (!tryWriteUnqueued(mem, lock, me, count)) return false;
  countWriteSteal(mem, me, count);
  return true;
}

/** Without queueing the lock was taken from this count: past others, or from the idle word? */
export function countWriteSteal(mem: Int32Array, me: number, count: number): void {
  if (count !== 0) countEvent(mem, me, layout.OPT_LOCK);
}

/** Takes the lock past the queue if it is free and nobody has asked for handoff. */
export function tryWriteUnqueued(mem: Int32Array, lock: number, me: number, count: number): boolean {
  if ((count & WRITER_BARRED) !== 0) return false;
  if (Atomics.compareExchange(mem, lock + layout.COUNT, count, count | WRITER) !== count) return false;
  recordWriter(mem, lock, relaxedLoad(mem, me + layout.AGENT_TAG));
  return true;
}
