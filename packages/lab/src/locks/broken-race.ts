/**
 * Deliberately broken in a subtle way: looks, then takes, in two steps, so that two threads can both
 * find it free. Shows within milliseconds if the threads really run at the same time; on one core a
 * thread has to be preempted between the two steps.
 */
import { exclusive, wordLock } from './word-lock.ts';

export const { create, attach } = wordLock((words, at) =>
  exclusive(
    () => {
      while (Atomics.load(words, at) !== 0) Atomics.wait(words, at, 1, 1);
      Atomics.store(words, at, 1);
    },
    () => {
      Atomics.store(words, at, 0);
      Atomics.notify(words, at, 1);
    },
  ),
);
