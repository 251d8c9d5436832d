/** The lock of this project, awaited. */
import { LockSpace, type ReadGuard, type WriteGuard } from 'rwsem';
import type { AsyncLock, AsyncLockModule } from './lock.ts';
import type { Handle } from './rwsem.ts';

export { create } from './rwsem.ts';

export const attach: AsyncLockModule<Handle>['attach'] = ({ space: handle, locks }) => {
  const space = LockSpace.attach(handle);
  const one = (index: number): AsyncLock<ReadGuard | WriteGuard> => {
    const sem = space.rwsem(index);
    return { read: () => sem.readAsync(), write: () => sem.writeAsync(), release: (guard) => guard.release() };
  };
  return { locks: Array.from({ length: locks }, (_, index) => one(index) as AsyncLock), detach: () => space.detach() };
};
