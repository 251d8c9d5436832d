/** After a release that left waiters behind, and downgrading. Never blocks for long. */

import { COUNT, GRANT, HEAD, READER, WOKEN, WRITER } from './layout.ts';
import { hasWaiters } from './count.ts';
import { clearNonspinnable, recordReader } from './owner.ts';
import { sendWakes, WAKE_ANY, WAKE_READ_OWNED, wakeQueue } from './wake.ts';
import { lockWaitLock, unlockWaitLock } from './wait-lock.ts';

export function wakeAfterRead(mem: Int32Array, lock: number, me: number): void {
  clearNonspinnable(mem, lock);
  wakeAfterWrite(mem, lock, me);
}

export function wakeAfterWrite(mem: Int32Array, lock: number, me: number): void {
  if (isWakeUnderway(mem, lock)) return;
  lockWaitLock(mem, lock, me);
  wakeQueue(mem, lock, me, WAKE_ANY);
  unlockWaitLock(mem, lock);
  sendWakes(mem, me);
}

/**
 * The head writer has been woken and has not tried yet: it will see the lock as we leave it, so
 * there is nothing to add. Read without the wait lock, yet safe. If the word belongs to a waiter that
 * is no longer the head, then that waiter has left the queue since our release, and with it our
 * duty: one that took the lock wakes when it releases it, one that was cancelled wakes the next (I8).
 */
function isWakeUnderway(mem: Int32Array, lock: number): boolean {
  const head = Atomics.load(mem, lock + HEAD);
  return head !== 0 && Atomics.load(mem, head + GRANT) === WOKEN;
}

/** Write to read without letting a writer in; the readers at the front of the queue join. */
export function downgradeWrite(mem: Int32Array, lock: number, me: number, tag: number): void {
  const before = Atomics.add(mem, lock + COUNT, READER - WRITER);
  recordReader(mem, lock, tag);
  if (hasWaiters(before)) {
    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_READ_OWNED);
    unlockWaitLock(mem, lock);
    sendWakes(mem, me);
  }
}
