/**
 * Optimistic spinning: a writer that finds the lock taken watches it for a while before it queues,
 * since a sleep and a wake-up cost far more than a short critical section. Writers only.
 *
 * Nobody can tell here whether the owner is running on a processor, and nobody can keep a thread from
 * being suspended between any two steps. So every spin has a bound in time and in turns (the clock
 * may be coarse), and what is known is used: an owner asleep in a wait of ours, one that took the
 * lock through a promise, and a machine with one core are not spun on.
 */

import {
  COUNT,
  GRANT,
  MAY_SPIN,
  OPT_FAIL,
  OPT_LOCK,
  OPT_NOSPIN,
  OWNER,
  POLICY_SPIN,
  SPIN_ANY_OWNER,
  SPIN_OFF,
  SPIN_STUCK,
  WAITING,
} from './layout.ts';
import { hasHandoff, isHeld, readerCount } from './count.ts';
import { pause, spinClockUs } from './env.ts';
import { countEvent } from './events.ts';
import { relaxedLoad } from './memory.ts';
import { isNonspinnable, isOwnerRunning, isReaderOwned, setNonspinnable } from './owner.ts';
import { enterSpinQueue, leaveSpinQueue } from './spin-queue.ts';
import { tryWriteUnqueued } from './steal.ts';

/** For one acquisition. This and the other limits: DESIGN.md, "Constants". */
const SPIN_LIMIT_US = 50;
/** The same in turns, for coarse clocks: a turn takes 2 ns at the least. */
const SPIN_LIMIT_TURNS = SPIN_LIMIT_US * 500;
/**
 * Turns between two looks at the lock, at first and at most. Each look takes the cache line away from
 * the owner: with short gaps two threads spend their time passing the line to and fro.
 */
const FIRST_GAP_TURNS = 256;
const MAX_GAP_TURNS = 1024;
/** The same for a waiter that will be next: nobody competes with it, and it is told on its own word. */
const HANDOFF_GAP_TURNS = 16;

function maySpin(mem: Int32Array, lock: number, me: number): boolean {
  if (relaxedLoad(mem, me + MAY_SPIN) === 0 || relaxedLoad(mem, me + SPIN_STUCK) !== 0) return false;
  return isSpinnable(mem, Atomics.load(mem, lock + OWNER));
}

/**
 * Is it worth watching a lock with this owner word? A writer that runs: yes. Readers: for a limited
 * time. Nobody recorded: the first owner is just coming.
 */
function isSpinnable(mem: Int32Array, owner: number): boolean {
  if (relaxedLoad(mem, POLICY_SPIN) === SPIN_ANY_OWNER) return true;
  if (owner === 0) return true;
  return isReaderOwned(owner) ? !isNonspinnable(owner) : isOwnerRunning(mem, owner);
}

/** From 10 us for one reader to 25 us for 30 or more. */
function readerSpinUs(count: number): number {
  const readers = readerCount(count);
  return (20 + (readers < 30 ? readers : 30)) >> 1;
}

/** True if spinning got the write lock. Never parks. */
export function spinForWrite(mem: Int32Array, lock: number, me: number): boolean {
  if (relaxedLoad(mem, POLICY_SPIN) === SPIN_OFF || !maySpin(mem, lock, me)) return false;
  if (!enterSpinQueue(mem, lock, me, SPIN_LIMIT_US, SPIN_LIMIT_TURNS)) {
    countEvent(mem, me, OPT_FAIL);
    return false;
  }
  const taken = watchLock(mem, lock, me);
  leaveSpinQueue(mem, lock, me);
  countEvent(mem, me, taken ? OPT_LOCK : OPT_FAIL);
  return taken;
}

/** The first of the spinners watches the lock. */
function watchLock(mem: Int32Array, lock: number, me: number): boolean {
  const anyOwner = relaxedLoad(mem, POLICY_SPIN) === SPIN_ANY_OWNER;
  const start = spinClockUs();
  let readersSince = start;
  let areReadersTimed = false;
  let gap = FIRST_GAP_TURNS;
  for (let turns = 0; turns < SPIN_LIMIT_TURNS; turns = (turns + gap) | 0) {
    backOff(mem, me, gap);
    if (gap < MAX_GAP_TURNS) gap = gap << 1;
    const owner = Atomics.load(mem, lock + OWNER);
    const count = Atomics.load(mem, lock + COUNT);
    if (tryWriteUnqueued(mem, lock, me, count)) return true;
    if (hasHandoff(count) || !isSpinnable(mem, owner)) return false;
    const now = spinClockUs();
    if (((now - start) | 0) > SPIN_LIMIT_US) return false;
    if (!isReaderOwned(owner) || anyOwner) areReadersTimed = false;
    else if (!areReadersTimed) {
      areReadersTimed = true;
      readersSince = now;
    } else if (((now - readersSince) | 0) > readerSpinUs(count)) {
      setNonspinnable(mem, lock, owner);
      countEvent(mem, me, OPT_NOSPIN);
      return false;
    }
  }
  return false;
}

/** Waits on a line of this thread's own, so that the owner can work on the lock's undisturbed. */
function backOff(mem: Int32Array, me: number, gap: number): void {
  let i = 0;
  while (i < gap && Atomics.load(mem, me + SPIN_STUCK) === 0) {
    pause();
    i = (i + 1) | 0;
  }
}

/**
 * A waiter that has asked for handoff will be next: it spins while the owner runs. True if it has
 * been signalled or finds the lock free, false if it had better sleep.
 */
export function spinForHandoff(mem: Int32Array, lock: number, me: number, waiter: number): boolean {
  if (relaxedLoad(mem, POLICY_SPIN) === SPIN_OFF || relaxedLoad(mem, me + MAY_SPIN) === 0) return false;
  const start = spinClockUs();
  for (let turns = 0; turns < SPIN_LIMIT_TURNS; turns = (turns + HANDOFF_GAP_TURNS) | 0) {
    if (Atomics.load(mem, waiter + GRANT) !== WAITING) return true;
    if (!isHeld(Atomics.load(mem, lock + COUNT))) return true;
    if (!isOwnerRunning(mem, Atomics.load(mem, lock + OWNER))) return false;
    if (((spinClockUs() - start) | 0) > SPIN_LIMIT_US) return false;
    backOff(mem, me, HANDOFF_GAP_TURNS);
  }
  return false;
}
