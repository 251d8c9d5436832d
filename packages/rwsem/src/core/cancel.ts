/** Leaving the queue without the lock: after a timeout or an abort. Never blocks for long. */

import {
  ACQUIRED,
  CANCELLED,
  CANCELLED_SIGNALLED,
  COUNT,
  GRANT,
  GRANTED,
  HANDOFF,
  HEAD,
  IDLE,
  RLOCK_FAIL,
  WAITERS,
  WAKING,
  WLOCK_FAIL,
  WOKEN,
} from './layout.ts';
import { countEvent } from './events.ts';
import { relaxedLoad } from './memory.ts';
import { isWriteWaiter, unlink } from './queue.ts';
import { unlockAndWake, WAKE_ANY, wakeQueue } from './wake.ts';
import { lockWaitLock, unlockWaitLock } from './wait-lock.ts';

/**
 * Takes the waiter out of the queue, unless it has been granted the lock in the meantime: then
 * ACQUIRED, and the caller holds it.
 *
 * A cancelled head passes on whatever chance it had been given, and unblocks those who waited only
 * because it was in front of them. HANDOFF stays for the next in line if the queue is not empty.
 */
export function cancelWaiter(mem: Int32Array, lock: number, me: number, waiter: number): number {
  lockWaitLock(mem, lock, me);
  const word = Atomics.load(mem, waiter + GRANT);
  if (word === GRANTED) {
    unlockWaitLock(mem, lock);
    return ACQUIRED;
  }
  // Before it is taken out: afterwards somebody else is first.
  const wasFirst = relaxedLoad(mem, lock + HEAD) === waiter;
  unlink(mem, lock, waiter);
  Atomics.store(mem, waiter + GRANT, IDLE);
  if (word === WOKEN) Atomics.and(mem, lock + COUNT, ~WAKING);
  if (relaxedLoad(mem, lock + HEAD) === 0) Atomics.and(mem, lock + COUNT, ~(WAITERS | HANDOFF));
  else if (wasFirst) wakeQueue(mem, lock, me, WAKE_ANY);
  unlockAndWake(mem, lock, me);
  countEvent(mem, me, isWriteWaiter(mem, waiter) ? WLOCK_FAIL : RLOCK_FAIL);
  return word === WOKEN ? CANCELLED_SIGNALLED : CANCELLED;
}
