export { RwSem, type RwSemHandle } from './rwsem.ts';
export { LockSpace, type LockSpaceHandle } from './space.ts';
export type { ReadGuard, WriteGuard } from './guard.ts';
export type { AcquireOptions, LockSpaceOptions, Policy } from './options.ts';
export type { RwSemState } from './inspect.ts';
export type { LockEvents } from './lock-events.ts';
export {
  CannotBlockError,
  DeadlockError,
  DetachedError,
  InvalidHandleError,
  NoSharedMemoryError,
  NotOwnerError,
  RwSemError,
  SpaceFullError,
  StillInUseError,
  TimeoutError,
  TooManyReadersError,
} from './errors.ts';
