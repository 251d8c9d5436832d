/** After a release that left waiters behind, and downgrading. Never blocks for long. */

import { COUNT, READER, WRITER } from './layout.ts';
import { hasWaiters } from './count.ts';
import { clearNonspinnable, recordReader } from './owner.ts';
import { unlockAndWake, WAKE_ANY, WAKE_READ_OWNED, wakeQueue } from './wake.ts';
import { lockWaitLock } from './wait-lock.ts';

export function wakeAfterRead(mem: Int32Array, lock: number, me: number): void {
  clearNonspinnable(mem, lock);
  wakeAfterWrite(mem, lock, me);
}

export function wakeAfterWrite(mem: Int32Array, lock: number, me: number): void {
  lockWaitLock(mem, lock, me);
  wakeQueue(mem, lock, me, WAKE_ANY);
  unlockAndWake(mem, lock, me);
}

/** Write to read without letting a writer in; the readers at the front of the queue join. */
export function downgradeWrite(mem: Int32Array, lock: number, me: number, tag: number): void {
  const before = Atomics.add(mem, lock + COUNT, READER - WRITER);
  recordReader(mem, lock, tag);
  if (hasWaiters(before)) {
    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_READ_OWNED);
    unlockAndWake(mem, lock, me);
  }
}
