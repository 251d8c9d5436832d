/** Predicates on the count word. State words are never masked anywhere else. */

import * as layout from './layout.ts';

// Copies for speed, see fast-path.ts.
const WRITER = layout.WRITER;
const WAITERS = layout.WAITERS;
const HANDOFF = layout.HANDOFF;
const WAKING = layout.WAKING;
const HELD_MASK = layout.HELD_MASK;
const READ_FAILED = layout.READ_FAILED;
const MAX_READERS = layout.MAX_READERS;

export function isWriteLocked(count: number): boolean {
  return (count & WRITER) !== 0;
}

export function hasWaiters(count: number): boolean {
  return (count & WAITERS) !== 0;
}

export function hasHandoff(count: number): boolean {
  return (count & HANDOFF) !== 0;
}

export function isWaking(count: number): boolean {
  return (count & WAKING) !== 0;
}

/** A writer or at least one reader (or a reader's probe, I6) is counted. */
export function isHeld(count: number): boolean {
  return (count & HELD_MASK) !== 0;
}

/** After a reader's increment: it is in, without looking further. */
export function readerIsIn(count: number): boolean {
  return (count & READ_FAILED) === 0;
}

/** One reader too many. */
export function isOverflown(count: number): boolean {
  return count < 0;
}

export function readerCount(count: number): number {
  return (count >>> 8) & MAX_READERS;
}

/** Granting a whole batch of readers could overflow the count. */
export function isNearlyFull(count: number): boolean {
  return count < 0 || readerCount(count) > MAX_READERS - 2 * layout.WAKE_LIST_WORDS;
}
