/**
 * Many locks behind the face of one: every acquisition goes to a lock at random, and a thread is
 * inside one at a time. So the loop that is measured need not know how many there are.
 */
import type { AgentLock } from '../locks/lock.ts';
import type { Witness } from './witness.ts';

/** A lock and what tells whether it excluded. */
export interface Site {
  lock: AgentLock;
  witness: Witness;
}

/**
 * Draws a number below `count`, again and again: xorshift, since it is part of what is measured, and the
 * laboratory's `Random` takes a third longer.
 */
export function lockPicker(count: number, seed: number): () => number {
  let random = Math.imul(seed, 0x85ebca6b) | 1;
  return () => {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    return (random >>> 0) % count;
  };
}

export function oneAtATime(sites: Site[], seed: number): Site {
  const [only] = sites;
  if (only !== undefined && sites.length === 1) return only; // nothing in the way of the fast path
  const pick = lockPicker(sites.length, seed);
  let at = 0;
  return {
    lock: {
      readLock() {
        at = pick();
        sites[at]!.lock.readLock();
      },
      readUnlock: () => sites[at]!.lock.readUnlock(),
      writeLock() {
        at = pick();
        sites[at]!.lock.writeLock();
      },
      writeUnlock: () => sites[at]!.lock.writeUnlock(),
    },
    witness: {
      insideRead: () => sites[at]!.witness.insideRead(),
      insideWrite: () => sites[at]!.witness.insideWrite(),
      violations: () => sites.reduce((total, { witness }) => total + witness.violations(), 0),
    },
  };
}
