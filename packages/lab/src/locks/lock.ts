/**
 * What a lock has to look like to be measured.
 *
 * A lock that lives in shared memory is a module with two functions: `create`, called once by the
 * measuring thread, makes the shared state and a handle that survives structured clone; `attach`,
 * called in every worker, turns the handle into as many locks as were asked for. Nothing else of the
 * bench knows which lock it runs.
 */
import type { Policy } from 'rwsem';

/** One thread's view of a lock. Calls come in matching pairs and block the thread. */
export interface AgentLock {
  readLock(): void;
  readUnlock(): void;
  writeLock(): void;
  writeUnlock(): void;
}

/** The same for a lock that is awaited. What an acquisition resolves with goes to `release`. */
export interface AsyncLock<Held = unknown> {
  read(): PromiseLike<Held>;
  write(): PromiseLike<Held>;
  release(held: Held): void;
}

/** One thread's view of all of them. */
export interface AttachedLocks<Lock = AgentLock> {
  /** At least one. */
  readonly locks: Lock[];
  /** Gives back what `attach` took. Called once, when the thread holds nothing. */
  detach?(): void;
}

export interface SharedLock<Handle = unknown> {
  readonly handle: Handle;
  /** Goes into the report. */
  readonly settings?: Record<string, string | number | boolean>;
  /** Event counts since creation, summed over all threads and locks. */
  events?(): Record<string, number>;
  /** Called once, after every worker has detached. */
  dispose?(): void;
}

export interface LockOptions {
  /** How many threads will attach, the creating one included. */
  agents: number;
  /** How many locks. */
  locks: number;
  policy: PolicyOptions;
}

export interface LockModule<Handle = unknown, Lock = AgentLock> {
  create(options: LockOptions): SharedLock<Handle>;
  attach(handle: Handle): AttachedLocks<Lock>;
}

/** Rejects with the reason if the lock is not to be had here. */
export interface AsyncLockModule<Handle = unknown> {
  create(options: LockOptions): SharedLock<Handle> | Promise<SharedLock<Handle>>;
  attach(handle: Handle): AttachedLocks<AsyncLock> | Promise<AttachedLocks<AsyncLock>>;
}

/**
 * threads    a thread for each entry of the workload, which blocks
 * awaiting   a thread for each entry, whose event loop awaits
 * loop       a task for each entry, all on one event loop
 */
export type World = 'threads' | 'awaiting' | 'loop';

/** The part of rwsem's policy that was given on the command line; the rest are its defaults. */
export type PolicyOptions = Partial<Policy>;
