/** Acquiring for writing. */

import {
  ACQUIRED,
  BLOCKING_WAITER,
  CANCELLED_SIGNALLED,
  CANCELLED,
  COUNT,
  GRANT,
  GRANTED,
  HANDOFF,
  HANDOFF_SET,
  HEAD,
  IDLE,
  POLICY_WRITER_WAKE,
  QUEUED,
  SLEEP_WRITER,
  WAITER_TAG,
  WAITERS,
  WAITING,
  WAKING,
  WAKE_STEAL,
  WLOCK,
  WOKEN,
  WRITE_WAITER,
  WRITER,
} from './layout.ts';
import { cancelWaiter } from './cancel.ts';
import { hasHandoff, isHeld } from './count.ts';
import { countEvent } from './events.ts';
import { askForHandoff, isHandoffDue } from './handoff.ts';
import { relaxedLoad } from './memory.ts';
import { recordWriter } from './owner.ts';
import { parkUntilSignalled } from './park.ts';
import { append, isAsyncWaiter, isOnlyWaiter, prepareWaiter, unlink } from './queue.ts';
import { spinForHandoff, spinForWrite } from './spin.ts';
import { hasWakesToSend, unlockAndWake, wakeAfterEnqueue } from './wake.ts';
import { lockWaitLock, unlockWaitLock } from './wait-lock.ts';

/**
 * May this queued writer take a free lock? By first in line / handoff asked for:
 * (no, no) yes: a queued writer that happens to be awake steals like anybody else;
 * (no, yes) not; (yes, no) yes; (yes, yes) yes.
 * Handoff counts only if the present head asked for it: its setter may have been cancelled.
 *
 * A writer that is never awake by chance does not steal: an async one, and any under the policy by
 * which the waker always transfers.
 */
function mayWriterTake(mem: Int32Array, waiter: number, head: number, count: number): boolean {
  if (waiter === head) return true;
  if (isAsyncWaiter(mem, waiter)) return false;
  if (relaxedLoad(mem, POLICY_WRITER_WAKE) !== WAKE_STEAL) return false;
  return !hasHandoff(count) || relaxedLoad(mem, head + HANDOFF_SET) === 0;
}

/**
 * Needs the wait lock. Takes the lock if it is free and this waiter may; otherwise, if it has waited
 * long enough, asks for handoff on behalf of the head.
 */
function tryWriteQueued(mem: Int32Array, lock: number, me: number, waiter: number): boolean {
  const head = relaxedLoad(mem, lock + HEAD);
  let count = Atomics.load(mem, lock + COUNT);
  for (;;) {
    if (isHeld(count)) {
      if (hasHandoff(count) || !isHandoffDue(mem, waiter)) return false;
      count = askForHandoff(mem, lock, me, head);
    } else {
      if (!mayWriterTake(mem, waiter, head, count)) return false;
      let taken = (count | WRITER) & ~HANDOFF;
      if (isOnlyWaiter(mem, lock, waiter)) taken = taken & ~WAITERS;
      const seen = Atomics.compareExchange(mem, lock + COUNT, count, taken);
      if (seen === count) {
        unlink(mem, lock, waiter);
        recordWriter(mem, lock, relaxedLoad(mem, waiter + WAITER_TAG));
        return true;
      }
      count = seen;
    }
  }
}

/**
 * Queues the prepared waiter and tries once. QUEUED also if a waker has signalled it meanwhile: the
 * grant word says so, and `attemptWrite` finishes.
 */
export function enqueueWrite(mem: Int32Array, lock: number, me: number, waiter: number): number {
  lockWaitLock(mem, lock, me);
  const wasEmpty = relaxedLoad(mem, lock + HEAD) === 0;
  append(mem, lock, waiter);
  if (wasEmpty) {
    // An unlock that did not see this bit is covered by the try below (I8).
    Atomics.or(mem, lock + COUNT, WAITERS);
  } else {
    wakeAfterEnqueue(mem, lock, me, Atomics.load(mem, lock + COUNT));
    if (hasWakesToSend(mem, me)) {
      unlockAndWake(mem, lock, me);
      lockWaitLock(mem, lock, me);
    }
    if (Atomics.load(mem, waiter + GRANT) !== WAITING) {
      unlockWaitLock(mem, lock);
      return QUEUED;
    }
  }
  return finishAttempt(mem, lock, me, waiter);
}

/** After a signal: take the lock, find it granted, or be QUEUED again. */
export function attemptWrite(mem: Int32Array, lock: number, me: number, waiter: number): number {
  lockWaitLock(mem, lock, me);
  return finishAttempt(mem, lock, me, waiter);
}

/** Needs the wait lock, and drops it. */
function finishAttempt(mem: Int32Array, lock: number, me: number, waiter: number): number {
  const word = Atomics.load(mem, waiter + GRANT);
  let taken = word === GRANTED;
  if (!taken) {
    // The signal is used up before looking at the count: a release from now on sends another.
    Atomics.store(mem, waiter + GRANT, WAITING);
    if (word === WOKEN) Atomics.and(mem, lock + COUNT, ~WAKING);
    taken = tryWriteQueued(mem, lock, me, waiter);
  }
  if (taken) {
    Atomics.store(mem, waiter + GRANT, IDLE);
    countEvent(mem, me, WLOCK);
  }
  unlockWaitLock(mem, lock);
  return taken ? ACQUIRED : QUEUED;
}

/**
 * What a blocking writer does that cannot steal: spin, queue, then sleep and try until it has the lock
 * or time is up. ACQUIRED or CANCELLED. Blocks.
 */
export function writeSlow(
  mem: Int32Array,
  lock: number,
  me: number,
  urgent: boolean,
  timed: boolean,
  giveUpAtMs: number,
): number {
  if (spinForWrite(mem, lock, me)) return ACQUIRED;
  const waiter = me + BLOCKING_WAITER;
  prepareWaiter(mem, lock, waiter, WRITE_WAITER, urgent);
  let status = enqueueWrite(mem, lock, me, waiter);
  while (status === QUEUED) {
    const signalled =
      (relaxedLoad(mem, waiter + HANDOFF_SET) !== 0 && spinForHandoff(mem, lock, me, waiter)) ||
      parkUntilSignalled(mem, me, waiter, SLEEP_WRITER, timed, giveUpAtMs);
    if (signalled) status = attemptWrite(mem, lock, me, waiter);
    else {
      status = cancelWaiter(mem, lock, me, waiter);
      if (status === ACQUIRED) countEvent(mem, me, WLOCK);
    }
  }
  return status === CANCELLED_SIGNALLED ? CANCELLED : status;
}
