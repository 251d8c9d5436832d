/** The lock of this project, by the calls that make no object per acquisition. */
import { RwSem, type RwSemHandle } from 'rwsem';
import type { LockModule } from './lock.ts';

export const { create, attach }: LockModule<RwSemHandle> = {
  create({ agents, policy }) {
    const sem = RwSem.create({ agents, policy });
    return {
      handle: sem.handle,
      settings: { ...sem.space.policy },
      events: () => ({ ...sem.space.events() }),
      dispose: () => sem.space.detach(),
    };
  },
  attach(handle) {
    const sem = RwSem.attach(handle);
    return {
      readLock: () => sem.downRead(),
      readUnlock: () => sem.upRead(),
      writeLock: () => sem.downWrite(),
      writeUnlock: () => sem.upWrite(),
      detach: () => sem.space.detach(),
    };
  },
};
