/**
 * Agents of one lock without threads: every copy of the library in a thread is an agent of its own,
 * so a test can hold, queue and look from three sides, synchronously.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ReadGuard, RwSem, RwSemState, WriteGuard } from 'rwsem';
import { hasProcesses } from './child.ts';
import { copyOfTheLibrary } from './library-copy.ts';

export { assertFree } from './free.ts';

/** Makes a lock in the memory and with the policy of a variant, in a space with these capacities. */
export type MakeLock = (capacities?: { agents?: number; waiters?: number }) => RwSem;

export const copies = [await copyOfTheLibrary(1), await copyOfTheLibrary(2)] as const;

export interface Seats {
  lock: RwSem;
  /** The same lock as seen by a second agent ... */
  other: RwSem;
  /** ... and by a third. */
  third: RwSem;
}

export function seats(lock: RwSem): Seats {
  return { lock, other: copies[0].RwSem.attach(lock.handle), third: copies[1].RwSem.attach(lock.handle) };
}

/** What `inspect` says, but for the passing of time. */
export function state(lock: RwSem): Omit<RwSemState, 'waiters'> & { waiters: object[] } {
  const { waiters, ...rest } = lock.inspect();
  return { ...rest, waiters: waiters.map(({ waitedMs: _, ...waiter }) => waiter) };
}

export function unchanged(lock: RwSem, body: () => void): void {
  const before = state(lock);
  body();
  assert.deepEqual(state(lock), before);
}

/** Matches the errors of all copies: they have classes of their own, and the same codes. */
export function code(suffix: string): { code: string } {
  return { code: `ERR_RWSEM_${suffix}` };
}
export const DEADLOCK = code('DEADLOCK');
export const NOT_OWNER = code('NOT_OWNER');
export const TIMED_OUT = { ...code('TIMEOUT'), name: 'TimeoutError' };

/** A few turns of the event loop: for showing that something does not happen. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await setImmediate();
}

export async function until(condition: () => boolean, what: string): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (!condition()) {
    assert(performance.now() < giveUpAt, `never came: ${what}`);
    await setImmediate();
  }
}

/** A promise whose outcome can be looked at. Never an unhandled rejection. */
export interface Watched<T> {
  promise: Promise<T>;
  outcome(): 'pending' | 'granted' | 'failed';
}
export function watch<T>(promise: Promise<T>): Watched<T> {
  let outcome: 'pending' | 'granted' | 'failed' = 'pending';
  promise.then(
    () => (outcome = 'granted'),
    () => (outcome = 'failed'),
  );
  return { promise, outcome: () => outcome };
}

export interface Held {
  release(): void | Promise<void>;
}
export interface HeldWrite extends Held {
  downgrade(): Held;
}
export type Way<T> = (lock: RwSem) => Promise<T>;

function within<G>(enter: (body: (guard: G) => Promise<void>) => Promise<void>): Promise<{ guard: G; end(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    let leave!: () => void;
    const left = new Promise<void>((done) => (leave = done));
    const whole = enter((guard) => {
      resolve({ guard, end: () => (leave(), whole) });
      return left;
    });
    whole.catch(reject);
  });
}

function got<T>(value: T | null): T {
  assert(value);
  return value;
}

const rawRead = (lock: RwSem): Held => ({ release: () => lock.upRead() });
const rawWrite = (lock: RwSem): HeldWrite => ({
  release: () => lock.upWrite(),
  downgrade: () => (lock.downgradeWrite(), rawRead(lock)),
});

/** Every way into a read lock that is free. */
export const READ_WAYS: Record<string, Way<Held>> = {
  'read()': async (lock) => lock.read(),
  'tryRead()': async (lock) => got(lock.tryRead()),
  'readAsync()': (lock) => lock.readAsync(),
  'downRead()': async (lock) => (lock.downRead(), rawRead(lock)),
  'tryDownRead()': async (lock) => (assert.equal(lock.tryDownRead(), true), rawRead(lock)),
  'withRead()': async (lock) => ({ release: (await within<ReadGuard>((body) => lock.withRead(body))).end }),
  'write().downgrade()': async (lock) => lock.write().downgrade(),
  'downgradeWrite()': async (lock) => (lock.downWrite(), rawWrite(lock).downgrade()),
};

/** Every way into a write lock that is free. */
export const WRITE_WAYS: Record<string, Way<HeldWrite>> = {
  'write()': async (lock) => lock.write(),
  'tryWrite()': async (lock) => got(lock.tryWrite()),
  'writeAsync()': (lock) => lock.writeAsync(),
  'downWrite()': async (lock) => (lock.downWrite(), rawWrite(lock)),
  'tryDownWrite()': async (lock) => (assert.equal(lock.tryDownWrite(), true), rawWrite(lock)),
  'withWrite()': async (lock) => {
    const { guard, end } = await within<WriteGuard>((body) => lock.withWrite(body));
    return { release: end, downgrade: () => (guard.downgrade(), { release: end }) };
  },
};

export const WAYS_IN: Record<'read' | 'write', Record<string, Way<Held>>> = { read: READ_WAYS, write: WRITE_WAYS };

/** The blocking forms with guards, of each of these. */
export function takersOf(...agents: RwSem[]): Array<() => ReadGuard | WriteGuard> {
  return agents.flatMap((agent) => [() => agent.read(), () => agent.write()]);
}

/** As the last test of a file. What holds the process alive after it would otherwise hang the run. */
export function endsByItself(): void {
  if (!hasProcesses) return;
  test('settled acquisitions keep nothing alive', () => {
    setTimeout(() => {
      console.error('still alive because of', process.getActiveResourcesInfo());
      process.exit(1);
    }, 5_000).unref();
  });
}
