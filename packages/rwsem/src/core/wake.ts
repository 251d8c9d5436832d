/**
 * Waking: who gets the lock, or a chance at it, when it may have become free. All under the wait
 * lock; the notifications go onto the caller's wake list and are sent after it is dropped
 * (`unlockAndWake`).
 *
 * THE ORDER THAT MAY NOT BE CHANGED (I7). The count is raised before a grant is published; the grant
 * word is stored before the notify; after the grant word is stored the waker touches nothing of a
 * blocking waiter but its (stable) grant word, to notify it.
 */

import {
  ASYNC_WAITER,
  COUNT,
  GRANT,
  GRANTED,
  HANDOFF,
  HANDOFF_SET,
  HEAD,
  KIND,
  NEXT,
  POLICY_WRITER_WAKE,
  READER,
  READER_BATCH,
  RLOCK_HANDOFF,
  WAITER_TAG,
  WAITERS,
  WAITING,
  WAKING,
  WAKE_COUNT,
  WAKE_GRANT,
  WAKE_LIST,
  WAKE_READER,
  WAKE_WRITER,
  WLOCK_GRANT,
  WOKEN,
  WRITER,
} from './layout.ts';
import { hasHandoff, isHeld, isNearlyFull, isWaking, isWriteLocked } from './count.ts';
import { countEvent, countEvents } from './events.ts';
import { askForHandoff, isHandoffDue } from './handoff.ts';
import { relaxedLoad, relaxedStore } from './memory.ts';
import { clearNonspinnable, recordReader, recordWriter } from './owner.ts';
import { isOnlyWaiter, isWriteWaiter, unlink } from './queue.ts';
import { pushReady } from './ready.ts';
import { lockWaitLock, unlockWaitLock } from './wait-lock.ts';

/** The lock may be free: wake whoever is first. */
export const WAKE_ANY = 0;
/** The lock is read-held: wake readers if they are first. */
export const WAKE_READERS = 1;
/** The same, and the caller itself holds it for reading, so that no writer can come in between. */
export const WAKE_READ_OWNED = 2;

/** After queueing behind others: they may be waiting for a lock that nobody will release again. */
export function wakeAfterEnqueue(mem: Int32Array, lock: number, me: number, count: number): void {
  if (isWriteLocked(count)) return; // its release will wake
  if (isHeld(count)) wakeQueue(mem, lock, me, WAKE_READERS);
  else {
    clearNonspinnable(mem, lock);
    wakeQueue(mem, lock, me, WAKE_ANY);
  }
}

/** Needs the wait lock. Does nothing if the queue is empty. */
export function wakeQueue(mem: Int32Array, lock: number, me: number, kind: number): void {
  const head = relaxedLoad(mem, lock + HEAD);
  if (head === 0) return;
  if (!isWriteWaiter(mem, head)) wakeReaders(mem, lock, me, head, kind);
  else if (kind === WAKE_ANY) wakeWriter(mem, lock, me, head);
}

/**
 * The head is a writer. A free lock is left free while the writer wakes, so that whoever is running
 * can use it (`writerWake: 'steal'`); it is transferred only after the head has asked for handoff,
 * or always (`'grant'`).
 *
 * The transfer requires that neither a writer nor a reader is counted, in the very compare-exchange
 * that takes the lock: the caller saw a free lock, but a reader may have stolen it since (I1).
 *
 * If the lock is held, waking would be in vain: its holder sees WAITERS when it leaves, and comes
 * here. What the head would have done on waking, ask for handoff after its deadline, is done for it.
 */
function wakeWriter(mem: Int32Array, lock: number, me: number, head: number): void {
  let count = Atomics.load(mem, lock + COUNT);
  for (;;) {
    if (isHeld(count)) {
      if (hasHandoff(count) || !isHandoffDue(mem, head)) return;
      count = askForHandoff(mem, lock, me, head);
    } else if (hasHandoff(count) || relaxedLoad(mem, POLICY_WRITER_WAKE) === WAKE_GRANT) {
      let taken = (count | WRITER) & ~(HANDOFF | WAKING);
      if (isOnlyWaiter(mem, lock, head)) taken = taken & ~WAITERS;
      const seen = Atomics.compareExchange(mem, lock + COUNT, count, taken);
      if (seen === count) {
        unlink(mem, lock, head);
        recordWriter(mem, lock, relaxedLoad(mem, head + WAITER_TAG));
        countEvent(mem, me, WLOCK_GRANT);
        signal(mem, me, head, GRANTED);
        return;
      }
      count = seen;
    } else {
      if (isWaking(count)) return;
      countEvent(mem, me, WAKE_WRITER);
      Atomics.or(mem, lock + COUNT, WAKING);
      signal(mem, me, head, WOKEN);
      return;
    }
  }
}

/**
 * The head is a reader: grant it and all other queued readers, up to a batch, past any writers
 * between them. First one reader is counted, which keeps stealing writers out or finds one in.
 */
function wakeReaders(mem: Int32Array, lock: number, me: number, head: number, kind: number): void {
  // Nearly overflown: whoever of the many readers leaves last will wake.
  if (isNearlyFull(Atomics.load(mem, lock + COUNT))) return;
  let counted = 0;
  if (kind !== WAKE_READ_OWNED) {
    const before = Atomics.add(mem, lock + COUNT, READER);
    if (isWriteLocked(before)) {
      // Stolen. The thief sees WAITERS when it leaves or downgrades, and wakes (I9).
      if (isHandoffDue(mem, head) && !hasHandoff(before)) {
        relaxedStore(mem, head + HANDOFF_SET, 1);
        countEvent(mem, me, RLOCK_HANDOFF);
        Atomics.add(mem, lock + COUNT, HANDOFF - READER);
      } else {
        Atomics.sub(mem, lock + COUNT, READER);
      }
      return;
    }
    counted = READER;
    recordReader(mem, lock, relaxedLoad(mem, head + WAITER_TAG));
  }

  // Pass 1: move the readers onto a list of their own. They are not granted yet.
  const batch = relaxedLoad(mem, READER_BATCH);
  let first = 0;
  let last = 0;
  let granted = 0;
  let waiter = head;
  while (waiter !== 0 && granted < batch) {
    const next = relaxedLoad(mem, waiter + NEXT);
    if (!isWriteWaiter(mem, waiter)) {
      unlink(mem, lock, waiter);
      if (last === 0) first = waiter;
      else relaxedStore(mem, last + NEXT, waiter);
      last = waiter;
      granted = (granted + 1) | 0;
    }
    waiter = next;
  }

  // One addition admits them all and settles the bits.
  let delta = (granted * READER - counted) | 0;
  if (hasHandoff(Atomics.load(mem, lock + COUNT))) delta = (delta - HANDOFF) | 0;
  if (relaxedLoad(mem, lock + HEAD) === 0) delta = (delta - WAITERS) | 0;
  Atomics.add(mem, lock + COUNT, delta);
  countEvents(mem, me, WAKE_READER, granted);

  // Pass 2: publish.
  waiter = first;
  while (waiter !== 0) {
    const next = relaxedLoad(mem, waiter + NEXT);
    relaxedStore(mem, waiter + NEXT, 0);
    signal(mem, me, waiter, GRANTED);
    waiter = next;
  }
}

/**
 * Stores the grant word and notes the waiter for the notification, unless an earlier signal is on
 * its way already and will make the waiter look.
 */
function signal(mem: Int32Array, me: number, waiter: number, word: number): void {
  // Read now: a blocking waiter may be gone as soon as the grant is visible.
  const asyncBit = relaxedLoad(mem, waiter + KIND) & ASYNC_WAITER;
  const before = Atomics.exchange(mem, waiter + GRANT, word);
  if (before !== WAITING) return;
  const listed = relaxedLoad(mem, me + WAKE_COUNT);
  relaxedStore(mem, me + WAKE_LIST + listed, waiter | asyncBit);
  relaxedStore(mem, me + WAKE_COUNT, (listed + 1) | 0);
}

export function hasWakesToSend(mem: Int32Array, me: number): boolean {
  return relaxedLoad(mem, me + WAKE_COUNT) !== 0;
}

/**
 * Drops the wait lock and sends the notifications. If that was a whole batch of readers it goes on with
 * those that are now first: nobody else would before the last of the granted ones leaves, and they may
 * be waiting for each other.
 */
export function unlockAndWake(mem: Int32Array, lock: number, me: number): void {
  unlockWaitLock(mem, lock);
  while (sendWakes(mem, me) >= relaxedLoad(mem, READER_BATCH)) {
    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_READERS);
    unlockWaitLock(mem, lock);
  }
}

/** Returns how many. */
function sendWakes(mem: Int32Array, me: number): number {
  const listed = relaxedLoad(mem, me + WAKE_COUNT);
  relaxedStore(mem, me + WAKE_COUNT, 0);
  for (let i = 0; i < listed; i = (i + 1) | 0) {
    const entry = relaxedLoad(mem, me + WAKE_LIST + i);
    const waiter = entry & ~ASYNC_WAITER;
    if (entry !== waiter) pushReady(mem, me, waiter);
    else Atomics.notify(mem, waiter + GRANT); // one thread at most; a count could be spent on a ghost
  }
  return listed;
}
