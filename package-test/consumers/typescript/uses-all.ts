/** Every public name in use, and wrong uses that a compiler must refuse: types that became `any` are found. */
import {
  CannotBlockError, DeadlockError, DetachedError, InvalidHandleError, LockSpace, NoSharedMemoryError, NotOwnerError, RwSem,
  RwSemError, SpaceFullError, StillInUseError, TimeoutError, TooManyReadersError,
  type AcquireOptions, type LockEvents, type LockSpaceHandle, type LockSpaceOptions, type Policy, type ReadGuard,
  type RwSemHandle, type RwSemState, type WriteGuard,
} from 'rwsem';

const policy: Partial<Policy> = { handoffAfterMs: 1, writerWake: 'grant', spin: 'any-owner', readerSteal: false };
const options: LockSpaceOptions = { locks: 4, agents: 2, waiters: 3, policy };
const space: LockSpace = LockSpace.create(options);
const shared: LockSpaceHandle = space.handle;
const buffer: SharedArrayBuffer = shared.buffer;
LockSpace.attach({ buffer, byteOffset: shared.byteOffset });
LockSpace.format(new SharedArrayBuffer(LockSpace.byteLength(options)), 0, options).detach();

const lock: RwSem = space.rwsem(3);
const handle: RwSemHandle = lock.handle;
const again: RwSem = RwSem.attach(handle);
const alone: RwSem = RwSem.create({ agents: 1 });
const acquire: AcquireOptions = { timeoutMs: 5, signal: new AbortController().signal, urgent: true };

const writing: WriteGuard = again.write(acquire);
const reading: ReadGuard = writing.downgrade();
const mode: 'read' = reading.mode;
const held: boolean = reading.held;
reading.release();
const tried: ReadGuard | null = alone.tryRead();
tried?.[Symbol.dispose]();

export async function later(): Promise<number> {
  (await lock.readAsync(acquire)).release();
  const length: number = await lock.withRead(() => 3, acquire);
  const text: string = await lock.withWrite(async (guard: WriteGuard) => guard.mode);
  return length + text.length;
}

const state: RwSemState = lock.inspect();
const first: number | undefined = state.waiters[0]?.waitedMs;
const counters: LockEvents = space.events();

try {
  lock.downRead();
  lock.upRead();
} catch (error) {
  if (error instanceof RwSemError) console.log(error.code, error.message);
}
export const classes: Array<abstract new (...given: never[]) => RwSemError> = [
  CannotBlockError, DeadlockError, DetachedError, InvalidHandleError, NoSharedMemoryError, NotOwnerError, SpaceFullError,
  StillInUseError, TimeoutError, TooManyReadersError,
];

// @ts-expect-error a read guard has nothing to downgrade
reading.downgrade();
// @ts-expect-error an index, not a name
space.rwsem('3');
// @ts-expect-error a mode of spinning that there is not
RwSem.create({ policy: { spin: 'always' } });
// @ts-expect-error locks are made by create and attach
new RwSem();
// @ts-expect-error a handle needs its index
RwSem.attach({ buffer, byteOffset: 0 });
// @ts-expect-error guards do not change
reading.held = false;

export { counters, first, held, mode };
