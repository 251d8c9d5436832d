/** The lock of this project, by the calls that make no object per acquisition. */
import { LockSpace, type LockSpaceHandle } from 'rwsem';
import type { LockModule } from './lock.ts';

export interface Handle {
  space: LockSpaceHandle;
  locks: number;
}

export const { create, attach }: LockModule<Handle> = {
  create({ agents, locks, policy }) {
    const space = LockSpace.create({ agents, locks, policy });
    return {
      handle: { space: space.handle, locks },
      settings: { ...space.policy },
      events: () => ({ ...space.events() }),
      dispose: () => space.detach(),
    };
  },
  attach({ space: handle, locks }) {
    const space = LockSpace.attach(handle);
    const one = (index: number) => {
      const sem = space.rwsem(index);
      return {
        readLock: () => sem.downRead(),
        readUnlock: () => sem.upRead(),
        writeLock: () => sem.downWrite(),
        writeUnlock: () => sem.upWrite(),
      };
    };
    return { locks: Array.from({ length: locks }, (_, index) => one(index)), detach: () => space.detach() };
  },
};
