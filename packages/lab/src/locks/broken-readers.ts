/**
 * Deliberately broken: writers exclude one another, but readers walk in whenever they like.
 *
 * The sum of what writers did comes out right, so only the check made by readers can catch it.
 */
import type { LockModule } from './lock.ts';
import * as mutex from './futex-mutex.ts';

export const { create, attach }: LockModule<SharedArrayBuffer> = {
  create: mutex.create,
  attach: (handle) => ({ locks: mutex.attach(handle).locks.map((lock) => ({ ...lock, readLock() {}, readUnlock() {} })) }),
};
