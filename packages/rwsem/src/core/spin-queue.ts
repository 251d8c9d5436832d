/**
 * The spinner queue: of all threads that would spin on a lock only the first looks at it, the others
 * spin on words of their own, in line behind it (an MCS queue that one can leave). One node per
 * agent, in its record. Nothing here is needed for exclusion or for progress.
 *
 * A thread may be suspended or terminated between any two steps, so that every wait for a neighbour
 * is bounded. A node that cannot be taken out in time is left behind, and its agent does not spin
 * again (SPIN_STUCK).
 */

import { SPIN_LOCKED, SPIN_NEXT, SPIN_PREV, SPIN_STUCK, SPIN_TAIL } from './layout.ts';
import { pause, spinClockUs } from './env.ts';
import { relaxedStore } from './memory.ts';

/** For a neighbour that is between two steps: milliseconds of spinning, then the node is given up. */
const NEIGHBOUR_SPINS = 1 << 20;
/** The clock is read once in so many turns. */
const TURNS_PER_CLOCK = 16;

/** True: this agent is first and must call `leaveSpinQueue`. False: it has given up and left. */
export function enterSpinQueue(mem: Int32Array, lock: number, me: number, limitUs: number, limitTurns: number): boolean {
  // The node is complete before the exchange makes it visible.
  Atomics.store(mem, me + SPIN_LOCKED, 0);
  Atomics.store(mem, me + SPIN_NEXT, 0);
  Atomics.store(mem, me + SPIN_PREV, 0);
  const prev = Atomics.exchange(mem, lock + SPIN_TAIL, me);
  if (prev === 0) return true;
  Atomics.store(mem, me + SPIN_PREV, prev);
  Atomics.store(mem, prev + SPIN_NEXT, me);

  const start = spinClockUs();
  let turns = 0;
  while (Atomics.load(mem, me + SPIN_LOCKED) === 0) {
    pause();
    turns = (turns + 1) | 0;
    const late = (turns & (TURNS_PER_CLOCK - 1)) === 0 && ((spinClockUs() - start) | 0) > limitUs;
    if (late || turns > limitTurns) return !removeFromSpinQueue(mem, lock, me);
  }
  return true;
}

/** Passes the first place on. */
export function leaveSpinQueue(mem: Int32Array, lock: number, me: number): void {
  if (Atomics.compareExchange(mem, lock + SPIN_TAIL, me, 0) === me) return;
  const next = takeNext(mem, lock, me, 0);
  if (next !== 0) Atomics.store(mem, next + SPIN_LOCKED, 1);
}

/** Takes a waiting node out of the middle. False: it has become the first instead. */
function removeFromSpinQueue(mem: Int32Array, lock: number, me: number): boolean {
  // A. Make the predecessor forget us, so that it cannot pass us the first place any more. It may
  //    itself be leaving: then our PREV changes.
  let prev = 0;
  let spins = 0;
  for (;;) {
    prev = Atomics.load(mem, me + SPIN_PREV);
    if (Atomics.compareExchange(mem, prev + SPIN_NEXT, me, 0) === me) break;
    if (Atomics.load(mem, me + SPIN_LOCKED) !== 0) return false;
    pause();
    spins = (spins + 1) | 0;
    if (spins > NEIGHBOUR_SPINS) {
      relaxedStore(mem, me + SPIN_STUCK, 1);
      return true;
    }
  }
  // B. Find our successor, or make the predecessor the tail.
  const next = takeNext(mem, lock, me, prev);
  // C. Link the two.
  if (next !== 0) {
    Atomics.store(mem, next + SPIN_PREV, prev);
    Atomics.store(mem, prev + SPIN_NEXT, next);
  }
  return true;
}

/**
 * The successor of a node that is leaving, or 0 after the tail has been set back to `tail`. Waits for
 * a successor that has swapped itself in and not linked itself yet, or that is leaving too.
 */
function takeNext(mem: Int32Array, lock: number, me: number, tail: number): number {
  for (let spins = 0; spins < NEIGHBOUR_SPINS; spins = (spins + 1) | 0) {
    if (Atomics.load(mem, lock + SPIN_TAIL) === me && Atomics.compareExchange(mem, lock + SPIN_TAIL, me, tail) === me) {
      return 0;
    }
    if (Atomics.load(mem, me + SPIN_NEXT) !== 0) {
      const next = Atomics.exchange(mem, me + SPIN_NEXT, 0);
      if (next !== 0) return next;
    }
    pause();
  }
  relaxedStore(mem, me + SPIN_STUCK, 1);
  return 0;
}
