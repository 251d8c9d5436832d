import type { ReadGuard, RwSem, WriteGuard } from 'rwsem';

/** What this example needs of a lock. */
export type IndexLock = Pick<RwSem, 'read' | 'write' | 'withRead'>;

const readGuard: ReadGuard = { mode: 'read', held: true, release() {}, [Symbol.dispose]() {} };
const writeGuard: WriteGuard = { mode: 'write', held: true, release() {}, downgrade: () => readGuard, [Symbol.dispose]() {} };

/**
 * Keeps nobody out. A check that finds nothing wrong says something only if it finds what goes
 * wrong without a lock.
 */
export const noLock: IndexLock = {
  read: () => readGuard,
  write: () => writeGuard,
  withRead: async (body) => body(readGuard),
};
