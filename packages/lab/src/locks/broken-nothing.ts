/**
 * Deliberately broken: does nothing at all, like the first entry of the kernel's locktorture.
 *
 * A run that reports this lock as sound proves that the bench is blind, not that the lock works.
 */
import type { AgentLock, LockModule } from './lock.ts';

const nothing: AgentLock = { readLock() {}, readUnlock() {}, writeLock() {}, writeUnlock() {} };

export const { create, attach }: LockModule<number> = {
  create: ({ locks }) => ({ handle: locks }),
  attach: (locks) => ({ locks: Array.from({ length: locks }, () => nothing) }),
};
