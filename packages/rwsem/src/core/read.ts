/** Acquiring for reading. */

import {
  ACQUIRED,
  BLOCKING_WAITER,
  BUSY,
  COUNT,
  GRANT,
  GRANTED,
  HEAD,
  QUEUED,
  READER,
  RLOCK,
  RLOCK_FAST,
  SLEEP_READER,
  TOO_MANY_READERS,
  WAITER_TAG,
  WAITERS,
  WOULD_DEADLOCK,
} from './layout.ts';
import { cancelWaiter } from './cancel.ts';
import { hasHandoff, isOverflown, isWriteLocked, readerIsIn } from './count.ts';
import { countEvent } from './events.ts';
import { arriveReader, releaseRead } from './fast-path.ts';
import { relaxedLoad } from './memory.ts';
import { recordReader } from './owner.ts';
import { parkUntilSignalled } from './park.ts';
import { append, insertBefore, isWriteWaiter, prepareWaiter } from './queue.ts';
import { wakeAfterRead } from './release.ts';
import { unlockAndWake, wakeAfterEnqueue, WAKE_READ_OWNED, wakeQueue } from './wake.ts';
import { lockWaitLock, unlockWaitLock } from './wait-lock.ts';

/** A count that no arrival returns: it has at least one reader in it. */
export const NOT_ARRIVED = 0;

/**
 * `arriveReader` for forms from which a loop of retries may come (timed). Adding before looking, such a
 * loop can starve a writer that has asked for handoff: its try finds a probe every time. So look
 * first, and do not add while HANDOFF is set: NOT_ARRIVED.
 */
export function arriveReaderPolitely(mem: Int32Array, lock: number): number {
  return hasHandoff(Atomics.load(mem, lock + COUNT)) ? NOT_ARRIVED : arriveReader(mem, lock);
}

/** Never waits: ACQUIRED, BUSY or TOO_MANY_READERS. Leaves no probe behind. */
export function tryRead(mem: Int32Array, lock: number, tag: number): number {
  let count = Atomics.load(mem, lock + COUNT);
  while (readerIsIn(count)) {
    const next = (count + READER) | 0;
    if (isOverflown(next)) return TOO_MANY_READERS;
    const seen = Atomics.compareExchange(mem, lock + COUNT, count, next);
    if (seen === count) {
      recordReader(mem, lock, tag);
      return ACQUIRED;
    }
    count = seen;
  }
  return isOverflown(count) ? TOO_MANY_READERS : BUSY;
}

/** Takes a probe back without queueing. As any undo, it may be what makes the lock free (I8). */
export function withdrawReader(mem: Int32Array, lock: number, me: number): void {
  if (releaseRead(mem, lock)) wakeAfterRead(mem, lock, me);
}

/**
 * Queues the prepared waiter, or gets the lock if that needs no waiting.
 *
 * `probe`: the caller's arrival is counted. `nested`: the thread already holds this lock for reading.
 * `peer`: an earlier queued async read of the same thread, or 0; if it has been granted the thread
 * holds the lock without knowing it yet. A thread that reads must not wait behind a queued writer,
 * who waits for it: WOULD_DEADLOCK, with everything undone. Before anybody else it may go in.
 */
export function enqueueRead(
  mem: Int32Array,
  lock: number,
  me: number,
  waiter: number,
  probe: boolean,
  nested: boolean,
  peer: number,
): number {
  const tag = relaxedLoad(mem, waiter + WAITER_TAG);
  lockWaitLock(mem, lock, me);
  const head = relaxedLoad(mem, lock + HEAD);
  let counted = probe;

  if (head === 0) {
    if (!probe) {
      counted = true;
      if (isOverflown(arriveReader(mem, lock))) {
        unlockWaitLock(mem, lock);
        withdrawReader(mem, lock, me);
        return TOO_MANY_READERS;
      }
    }
    // Nobody to wait behind, and the arrival is counted: it holds the lock unless a writer does.
    if (!isWriteLocked(Atomics.load(mem, lock + COUNT))) {
      unlockWaitLock(mem, lock);
      recordReader(mem, lock, tag);
      countEvent(mem, me, RLOCK_FAST);
      return ACQUIRED;
    }
  } else if (nested || (peer !== 0 && Atomics.load(mem, peer + GRANT) === GRANTED)) {
    if (isWriteWaiter(mem, head)) {
      if (probe) Atomics.sub(mem, lock + COUNT, READER); // not the last: the thread holds another
      unlockWaitLock(mem, lock);
      return WOULD_DEADLOCK;
    }
    if (!probe) Atomics.add(mem, lock + COUNT, READER);
    wakeQueue(mem, lock, me, WAKE_READ_OWNED);
    unlockAndWake(mem, lock, me);
    recordReader(mem, lock, tag);
    countEvent(mem, me, RLOCK_FAST);
    return ACQUIRED;
  }

  // In front of the peer, a place that this thread had already: granted after it, perhaps in another
  // pass, the peer would hold the lock while its thread sleeps, and nobody could release it.
  if (peer !== 0) insertBefore(mem, lock, waiter, peer);
  else append(mem, lock, waiter);
  let delta = counted ? -READER : 0;
  if (head === 0) delta = (delta + WAITERS) | 0;
  const count = (Atomics.add(mem, lock + COUNT, delta) + delta) | 0;
  wakeAfterEnqueue(mem, lock, me, count);
  unlockAndWake(mem, lock, me);
  return QUEUED;
}

/**
 * What a blocking reader does that cannot steal, from the count at its arrival (NOT_ARRIVED: no probe).
 * ACQUIRED, CANCELLED (time is up), TOO_MANY_READERS or WOULD_DEADLOCK. Blocks.
 */
export function readSlow(
  mem: Int32Array,
  lock: number,
  me: number,
  count: number,
  nested: boolean,
  peer: number,
  urgent: boolean,
  timed: boolean,
  giveUpAtMs: number,
): number {
  const probe = count !== NOT_ARRIVED;
  if (probe && isOverflown(count)) {
    withdrawReader(mem, lock, me);
    return TOO_MANY_READERS;
  }
  const waiter = me + BLOCKING_WAITER;
  prepareWaiter(mem, lock, waiter, 0, urgent);
  let status = enqueueRead(mem, lock, me, waiter, probe, nested, peer);
  if (status === QUEUED) {
    const signalled = parkUntilSignalled(mem, me, waiter, SLEEP_READER, timed, giveUpAtMs);
    status = signalled ? ACQUIRED : cancelWaiter(mem, lock, me, waiter);
    if (status === ACQUIRED) countEvent(mem, me, RLOCK);
  }
  return status;
}
