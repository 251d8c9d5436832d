/**
 * The wait lock: guards a lock's queue and every change of WAITERS, HANDOFF and WAKING (I4). One word, naming the
 * agent record that has it, plus WAIT_LOCK_CONTENDED while somebody may be parked on it.
 *
 * A thread that can block spins briefly, then parks; one that cannot (a page's main thread) only
 * spins. Hold times are short: no user code, no allocation, no exception, no notification happens
 * inside. Test-and-set, hence unfair: see DESIGN.md, "The wait lock".
 */

import { CAN_BLOCK, WAIT_LOCK, WAIT_LOCK_CONTENDED } from './layout.ts';
import { pause } from './env.ts';
import { relaxedLoad } from './memory.ts';

/** Looks at the word before parking; DESIGN.md, "Constants". */
const SPINS = 100;
/**
 * A park on the wait lock ends by itself after this long. A thread that is terminated while parked
 * swallows the one notify meant for the next in line, who must not sleep for ever.
 */
const PARK_LIMIT_MS = 5;

export function tryWaitLock(mem: Int32Array, lock: number, me: number): boolean {
  return Atomics.compareExchange(mem, lock + WAIT_LOCK, 0, me) === 0;
}

/** May park for a moment on a thread that can block. */
export function lockWaitLock(mem: Int32Array, lock: number, me: number): void {
  if (!tryWaitLock(mem, lock, me)) lockWaitLockSlow(mem, lock, me);
}

function lockWaitLockSlow(mem: Int32Array, lock: number, me: number): void {
  const canBlock = relaxedLoad(mem, me + CAN_BLOCK) !== 0;
  let spins = 0;
  while (spins < SPINS || !canBlock) {
    if (Atomics.load(mem, lock + WAIT_LOCK) === 0 && tryWaitLock(mem, lock, me)) return;
    pause();
    spins = (spins + 1) | 0;
  }
  for (;;) {
    const word = Atomics.load(mem, lock + WAIT_LOCK);
    if (word === 0) {
      // Others may still be parked: keep the mark, at the price of one needless notify.
      if (Atomics.compareExchange(mem, lock + WAIT_LOCK, 0, me | WAIT_LOCK_CONTENDED) === 0) return;
    } else {
      const marked = word | WAIT_LOCK_CONTENDED;
      if (word === marked || Atomics.compareExchange(mem, lock + WAIT_LOCK, word, marked) === word) {
        Atomics.wait(mem, lock + WAIT_LOCK, marked, PARK_LIMIT_MS);
      }
    }
  }
}

export function unlockWaitLock(mem: Int32Array, lock: number): void {
  const word = Atomics.exchange(mem, lock + WAIT_LOCK, 0);
  if ((word & WAIT_LOCK_CONTENDED) !== 0) Atomics.notify(mem, lock + WAIT_LOCK, 1);
}
