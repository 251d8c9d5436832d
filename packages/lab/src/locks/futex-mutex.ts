/**
 * The textbook three-state futex mutex: 0 free, 1 held, 2 held and somebody may sleep.
 *
 * What most hand-written Atomics code amounts to. It knows no readers: they exclude one another.
 * Nothing keeps a running thread from overtaking a woken one for ever, so it is fast and unfair.
 */
import { exclusive, wordLock } from './word-lock.ts';

const FREE = 0;
const HELD = 1;
const CONTENDED = 2;

function lock(words: Int32Array, at: number): void {
  if (Atomics.compareExchange(words, at, FREE, HELD) !== FREE) lockContended(words, at);
}

// A thread that comes out of the slow path cannot know whether others still sleep, so it always
// takes the lock as CONTENDED; the price is at most one notify too many.
function lockContended(words: Int32Array, at: number): void {
  while (Atomics.exchange(words, at, CONTENDED) !== FREE) Atomics.wait(words, at, CONTENDED);
}

function unlock(words: Int32Array, at: number): void {
  if (Atomics.exchange(words, at, FREE) === CONTENDED) Atomics.notify(words, at, 1);
}

export const { create, attach } = wordLock((words, at) =>
  exclusive(
    () => lock(words, at),
    () => unlock(words, at),
  ),
);
