/**
 * Deliberately broken in a subtle way: looks, then takes, in two steps, so that two threads can both
 * find it free. Shows within milliseconds if the threads really run at the same time; on one core a
 * thread has to be preempted between the two steps.
 */
import type { AgentLock, LockModule } from './lock.ts';

export const { create, attach }: LockModule<SharedArrayBuffer> = {
  create: () => ({ handle: new SharedArrayBuffer(64) }),
  attach(handle): AgentLock {
    const words = new Int32Array(handle);
    const acquire = () => {
      while (Atomics.load(words, 0) !== 0) Atomics.wait(words, 0, 1, 1);
      Atomics.store(words, 0, 1);
    };
    const release = () => {
      Atomics.store(words, 0, 0);
      Atomics.notify(words, 0, 1);
    };
    return { readLock: acquire, readUnlock: release, writeLock: acquire, writeUnlock: release };
  },
};
