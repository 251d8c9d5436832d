/**
 * Handoff: the first waiter, if it has waited long enough, ends stealing for everybody (I5), so that the lock
 * comes to it. Everything here needs the wait lock.
 */

import { COUNT, HANDOFF, HANDOFF_AT_MS, HANDOFF_AT_ONCE, HANDOFF_RULE, HANDOFF_SET, HANDOFF_TIMED, WLOCK_HANDOFF } from './layout.ts';
import { clockMs } from './env.ts';
import { countEvent } from './events.ts';
import { relaxedLoad, relaxedStore } from './memory.ts';

/** Has this waiter been in the queue long enough to ask that nobody overtakes it any more? */
export function isHandoffDue(mem: Int32Array, waiter: number): boolean {
  const rule = relaxedLoad(mem, waiter + HANDOFF_RULE);
  if (rule !== HANDOFF_TIMED) return rule === HANDOFF_AT_ONCE;
  return ((clockMs() - relaxedLoad(mem, waiter + HANDOFF_AT_MS)) | 0) >= 0;
}

/**
 * Asks on behalf of the head of the queue: nobody else could use it. Returns the count as it is now; the lock
 * may have become free. Not a compare-exchange, which thieves could make fail for ever.
 */
export function askForHandoff(mem: Int32Array, lock: number, me: number, head: number): number {
  relaxedStore(mem, head + HANDOFF_SET, 1);
  countEvent(mem, me, WLOCK_HANDOFF);
  return Atomics.or(mem, lock + COUNT, HANDOFF) | HANDOFF;
}
