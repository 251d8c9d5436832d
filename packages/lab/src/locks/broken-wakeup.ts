/**
 * Deliberately broken: it excludes, but a release wakes nobody. Threads that went to sleep stay
 * there, and the bench has to end the round and say so instead of waiting with them.
 */
import type { AgentLock, LockModule } from './lock.ts';

export const { create, attach }: LockModule<SharedArrayBuffer> = {
  create: () => ({ handle: new SharedArrayBuffer(64) }),
  attach(handle): AgentLock {
    const words = new Int32Array(handle);
    const acquire = () => {
      while (Atomics.compareExchange(words, 0, 0, 1) !== 0) Atomics.wait(words, 0, 1);
    };
    const release = () => {
      Atomics.store(words, 0, 0);
    };
    return { readLock: acquire, readUnlock: release, writeLock: acquire, writeUnlock: release };
  },
};
