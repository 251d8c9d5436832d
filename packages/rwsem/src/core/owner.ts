/** Predicates and updates of the owner word: who took the lock last, as a hint (I10). */

import * as layout from './layout.ts';
import { relaxedLoad, relaxedStore } from './memory.ts';

// Copies for speed, see fast-path.ts.
const OWNER = layout.OWNER;
const READER_OWNED = layout.READER_OWNED;
const NONSPINNABLE = layout.NONSPINNABLE;

export function isReaderOwned(owner: number): boolean {
  return (owner & READER_OWNED) !== 0;
}

export function isNonspinnable(owner: number): boolean {
  return (owner & NONSPINNABLE) !== 0;
}

export function isAsyncOwner(owner: number): boolean {
  return (owner & layout.ASYNC_OWNER) !== 0;
}

/**
 * Overwrites the flags, so taking the write lock clears NONSPINNABLE. Writers do not clear the word
 * when they leave: a store that the next atomic operation has to wait for, for a hint that only counts
 * while the lock is held.
 */
export function recordWriter(mem: Int32Array, lock: number, tag: number): void {
  if (relaxedLoad(mem, lock + OWNER) !== tag) relaxedStore(mem, lock + OWNER, tag);
}

/** Several readers race and the last one stays; readers do not clear it when they leave. */
export function recordReader(mem: Int32Array, lock: number, tag: number): void {
  const owner = relaxedLoad(mem, lock + OWNER);
  relaxedStore(mem, lock + OWNER, tag | READER_OWNED | (owner & NONSPINNABLE));
}

/** The owner word of an agent that takes the lock through a promise. */
export function asyncTag(tag: number): number {
  return tag | layout.ASYNC_OWNER;
}

/** The agent in an owner word; 0 if there is none. */
export function agentId(owner: number): number {
  return (owner >> layout.AGENT_ID_SHIFT) & layout.AGENT_ID_MASK;
}

/** What `recordReader` leaves in the owner word, but for NONSPINNABLE: finding it there, there is nothing to record. */
export function readerTag(tag: number): number {
  return tag | READER_OWNED;
}

export function setNonspinnable(mem: Int32Array, lock: number, owner: number): void {
  if (isReaderOwned(owner)) Atomics.compareExchange(mem, lock + OWNER, owner, owner | NONSPINNABLE);
}

export function clearNonspinnable(mem: Int32Array, lock: number): void {
  const owner = Atomics.load(mem, lock + OWNER);
  if (isNonspinnable(owner)) Atomics.compareExchange(mem, lock + OWNER, owner, owner & ~NONSPINNABLE);
}

/**
 * Is it worth spinning on this writer? Its record tells whether it sleeps in a wait of ours; whether
 * the operating system runs it nobody tells, hence every spin is bounded. An owner word is written
 * by agents only, so the id is in range; a stale one is seen by its incarnation.
 */
export function isOwnerRunning(mem: Int32Array, owner: number): boolean {
  if (isAsyncOwner(owner) || isReaderOwned(owner)) return false;
  const id = agentId(owner);
  if (id === 0) return false;
  const agent = relaxedLoad(mem, layout.AGENTS_AT) + (id - 1) * layout.AGENT_WORDS;
  if (Atomics.load(mem, agent + layout.AGENT_TAG) !== (owner & layout.IDENTITY_MASK)) return false;
  return Atomics.load(mem, agent + layout.PARKED) === 0;
}
