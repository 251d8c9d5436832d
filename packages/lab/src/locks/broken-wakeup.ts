/**
 * Deliberately broken: it excludes, but a release wakes nobody. Threads that went to sleep stay
 * there, and the bench has to end the round and say so instead of waiting with them.
 */
import { exclusive, wordLock } from './word-lock.ts';

export const { create, attach } = wordLock((words, at) =>
  exclusive(
    () => {
      while (Atomics.compareExchange(words, at, 0, 1) !== 0) Atomics.wait(words, at, 1);
    },
    () => {
      Atomics.store(words, at, 0);
    },
  ),
);
