/** Deliberately broken: whoever awaits it has it at once. */
import type { AsyncLock, AsyncLockModule } from './lock.ts';

const nothing: AsyncLock = { read: () => Promise.resolve(), write: () => Promise.resolve(), release() {} };

export const { create, attach }: AsyncLockModule<number> = {
  create: ({ locks }) => ({ handle: locks }),
  attach: (locks) => ({ locks: Array.from({ length: locks }, () => nothing) }),
};
