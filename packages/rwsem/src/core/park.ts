/** Sleeping on one's own grant word. Blocks; only on threads that can. */

import { GRANT, PARKED, WAITING } from './layout.ts';
import { clockMs } from './env.ts';
import { countEvent } from './events.ts';
import { relaxedStore } from './memory.ts';

/**
 * Waits until the grant word has left WAITING; false if `giveUpAtMs` passed first (`timed` only).
 * Neither the string from `wait` nor the number from `notify` is believed: the word decides.
 */
export function parkUntilSignalled(
  mem: Int32Array,
  me: number,
  waiter: number,
  sleepEvent: number,
  timed: boolean,
  giveUpAtMs: number,
): boolean {
  while (Atomics.load(mem, waiter + GRANT) === WAITING) {
    if (timed) {
      const leftMs = (giveUpAtMs - clockMs()) | 0;
      if (leftMs <= 0) return false;
      sleep(mem, me, waiter, sleepEvent, true, leftMs);
    } else {
      sleep(mem, me, waiter, sleepEvent, false, 0);
    }
  }
  return true;
}

function sleep(mem: Int32Array, me: number, waiter: number, sleepEvent: number, timed: boolean, ms: number): void {
  countEvent(mem, me, sleepEvent);
  relaxedStore(mem, me + PARKED, 1);
  if (timed) Atomics.wait(mem, waiter + GRANT, WAITING, ms);
  else Atomics.wait(mem, waiter + GRANT, WAITING);
  relaxedStore(mem, me + PARKED, 0);
}
