/**
 * The stress: threads that do random operations on a few locks, round after round. Between rounds all
 * threads stand still, and the locks must be as idle as new ones: a wake-up that got lost shows at
 * once, when nobody comes by to make up for it.
 */

import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import type { LockEvents, Policy } from 'rwsem';
import { ACTIVITY_WORDS, Actor, countDone, describeActivity, type Library, type Mix, type Tally } from './actor.ts';
import { Cell, CELL_WORDS } from './cell.ts';
import { Random } from './random.ts';
import { watchEventLoop } from './watchdog.ts';

export interface StressOptions {
  /** URL of the library's index file. */
  library: string;
  policy: Partial<Policy>;
  seed: number;
  seconds: number;
  workers: number;
  /** Nobody finishing an operation for so long is a hang. */
  hangMs: number;
  /** Per thread and round, to choose from. Short rounds find lost wake-ups, long ones the rest. */
  operations: readonly number[];
}

export interface StressReport extends Tally {
  rounds: number;
  operations: number;
  events: LockEvents;
}

/** Something that must not happen has happened; the message has the state of the locks. */
export class StressFailure extends Error {
  override name = 'StressFailure';
}

// Control words
export const ROUND = 0;
export const STOP = 1;
export const ARRIVED = 2;
export const MIX = 3; // three words: operations, locks, writes in percent
export const CONTROL_WORDS = 8;

export interface StressThreadData {
  library: string;
  handle: import('rwsem').LockSpaceHandle;
  locks: number;
  cells: Int32Array;
  activity: Int32Array;
  control: Int32Array;
  index: number;
  seed: number;
  asyncShare: number;
}

export type StressThreadMessage = { failure: string } | { done: Tally };

const IDLE_WORDS = { COUNT: 0, HEAD: 0, TAIL: 0, WAIT_LOCK: 0, SPIN_TAIL: 0 };
const IDLE_STATE = { mode: 'free', readers: 0, owner: null, handoff: false, waiters: [] };
const LOCKS = 3;
/** To start or end some threads, on a busy machine. */
const START_MS = 20_000;
const MAIN_LANES = 4;
/** Between two looks whether anybody moves. */
const LOOK_MS = 50;

export function readMix(control: Int32Array): Mix {
  return {
    operations: control[MIX] as number,
    locks: control[MIX + 1] as number,
    writes: (control[MIX + 2] as number) / 100,
  };
}

export async function runStress(options: StressOptions): Promise<StressReport> {
  const library = (await import(options.library)) as Library;
  const layout = (await import(new URL('core/layout.js', options.library).href)) as Record<string, number>;
  const { agentRecords } = (await import(new URL('agent.js', options.library).href)) as { agentRecords(mem: Int32Array): number[] };
  const random = new Random(options.seed);
  const space = library.LockSpace.create({
    locks: LOCKS,
    agents: options.workers + 1,
    waiters: random.pick([2, 8, 1024]),
    policy: options.policy,
  });
  const { buffer, byteOffset } = space.handle;
  const mem = new Int32Array(buffer, byteOffset);
  const locks = Array.from({ length: LOCKS }, (_, i) => space.rwsem(i));
  const cells = sharedWords(LOCKS * CELL_WORDS);
  const activity = sharedWords((options.workers + 1) * ACTIVITY_WORDS);
  const control = sharedWords(CONTROL_WORDS);
  const looker = locks.map((_, i) => new Cell(cells, i, 0));
  const main = new Actor(library, locks, cells, activity, options.workers, random.next(), false);

  const lockWords = (i: number): Record<string, number> => {
    const at = (mem[layout['LOCKS_AT'] as number] as number) + i * (layout['LOCK_WORDS'] as number);
    const word = (name: string): number => Atomics.load(mem, at + (layout[name] as number));
    return { COUNT: word('COUNT'), HEAD: word('HEAD'), TAIL: word('TAIL'), WAIT_LOCK: word('WAIT_LOCK'), SPIN_TAIL: word('SPIN_TAIL') };
  };

  const agentWords = (at: number): Record<string, number> => {
    const word = (name: string): number => Atomics.load(mem, at + (layout[name] as number));
    const grant = Atomics.load(mem, at + (layout['BLOCKING_WAITER'] as number) + (layout['GRANT'] as number));
    return { GRANT: grant, PARKED: word('PARKED'), READY: word('READY'), BELL: word('BELL'), WAKE_COUNT: word('WAKE_COUNT') };
  };

  const describe = (): string =>
    [
      `seed ${options.seed}, policy ${JSON.stringify(space.policy)}, mix ${JSON.stringify(readMix(control))}, round ${control[ROUND]}`,
      ...locks.map((lock, i) => `lock ${i}: ${JSON.stringify(lock.inspect())} ${JSON.stringify(lockWords(i))}, ${looker[i]}`),
      ...Array.from({ length: options.workers + 1 }, (_, i) => `thread ${i + 1}: ${describeActivity(activity, i)}`),
      ...agentRecords(mem).map((at, i) => `agent ${i + 1}: ${JSON.stringify(agentWords(at))}`),
      `events: ${JSON.stringify(space.events())}`,
    ].join('\n  ');

  let failure: StressFailure | undefined;
  let rejectFailed!: (failure: StressFailure) => void;
  const failed = new Promise<never>((_, reject) => (rejectFailed = reject));
  failed.catch(() => {});
  const fail = (what: string): void => {
    failure ??= new StressFailure(`${what}\n  ${describe()}`);
    rejectFailed(failure);
  };
  const check = (look: () => void): void => {
    try {
      look();
    } catch (error) {
      fail(String((error as Error).message));
    }
    if (failure) throw failure;
  };

  let done = -1;
  let stillMs = 0;
  let lookedAt = performance.now();
  /** Threads take their time to start and to end. */
  let limitMs = Math.max(options.hangMs, START_MS);
  const watchdog = setInterval(() => {
    const now = performance.now();
    const count = countDone(activity);
    // A machine that stands still as a whole is no hang: a late look counts like one in time.
    stillMs = count === done ? stillMs + Math.min(now - lookedAt, 4 * LOOK_MS) : 0;
    lookedAt = now;
    done = count;
    if (stillMs > limitMs) fail(`a hang: nobody has moved for ${limitMs} ms`);
  }, LOOK_MS);

  const endWatch = watchEventLoop(options.library, space.handle, LOCKS, START_MS + options.hangMs);
  const workers: Worker[] = [];
  const tallies: Tally[] = [main.tally];
  try {
    const finished: Promise<void>[] = [];
    for (let index = 0; index < options.workers; index++) {
      const workerData: StressThreadData = {
        library: options.library,
        handle: space.handle,
        locks: LOCKS,
        cells,
        activity,
        control,
        index,
        seed: random.next(),
        asyncShare: index % 2 === 0 ? 0 : 0.3,
      };
      const worker = new Worker(new URL('./stress-thread.js', import.meta.url), { workerData });
      workers.push(worker);
      finished.push(
        new Promise((resolve) => {
          worker.on('message', (message: StressThreadMessage) => {
            if ('failure' in message) fail(message.failure);
            else {
              tallies.push(message.done);
              resolve();
            }
          });
        }),
      );
      worker.on('error', (error) => fail(`a thread ended: ${String(error.stack ?? error)}`));
    }
    const within = <T>(promise: Promise<T>): Promise<T> => Promise.race([promise, failed]);

    await within(arrivals(control, options.workers));
    stillMs = 0;
    limitMs = options.hangMs;
    const endAt = performance.now() + options.seconds * 1000;
    let rounds = 0;
    while (performance.now() < endAt) {
      control[MIX] = random.pick(options.operations);
      control[MIX + 1] = 1 + random.below(LOCKS);
      control[MIX + 2] = random.pick([5, 20, 50, 90]);
      openRound(control);
      const mine = main.workAsync(readMix(control), MAIN_LANES).catch((error: unknown) => {
        fail(`the main thread: ${String((error as Error).stack ?? error)}`);
      });
      await within(Promise.all([mine, arrivals(control, options.workers)]));
      rounds++;
      // Nobody is at work: every lock must be as good as new.
      locks.forEach((lock, i) => {
        check(() => (looker[i] as Cell).expectEmpty());
        check(() => assert.deepEqual(lockWords(i), IDLE_WORDS, `lock ${i} is not idle between rounds`));
        check(() => assert.deepEqual(lock.inspect(), IDLE_STATE, `lock ${i} does not look idle between rounds`));
      });
    }

    limitMs = Math.max(options.hangMs, START_MS);
    Atomics.store(control, STOP, 1);
    openRound(control);
    await within(Promise.all(finished));
    const total: Tally = { writes: locks.map(() => 0), reads: 0, timeouts: 0, aborts: 0, refusals: 0, misses: 0, downgrades: 0 };
    for (const tally of tallies) {
      tally.writes.forEach((writes, i) => ((total.writes[i] as number) += writes));
      for (const key of ['reads', 'timeouts', 'aborts', 'refusals', 'misses', 'downgrades'] as const) total[key] += tally[key];
    }
    looker.forEach((cell, i) => check(() => cell.expectWrites(total.writes[i] as number)));
    await within(recordsComeBack(mem, layout['WAITERS_USED'] as number, START_MS, fail));
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) worker.postMessage('exit');
    await within(Promise.all(ended));
    check(() => {});
    return { ...total, rounds, operations: countDone(activity), events: space.events() };
  } finally {
    clearInterval(watchdog);
    await Promise.all(workers.map((worker) => worker.terminate()));
    await endWatch();
  }
}

function sharedWords(words: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(words * 4));
}

function openRound(control: Int32Array): void {
  Atomics.store(control, ARRIVED, 0);
  Atomics.add(control, ROUND, 1);
  Atomics.notify(control, ROUND);
}

async function arrivals(control: Int32Array, expected: number): Promise<void> {
  for (;;) {
    const arrived = Atomics.load(control, ARRIVED);
    if (arrived === expected) return;
    const wait = Atomics.waitAsync(control, ARRIVED, arrived);
    if (wait.async) await wait.value;
  }
}

/** Records of cancelled acquisitions come back when their signals have arrived: soon, in every thread. */
async function recordsComeBack(mem: Int32Array, used: number, withinMs: number, fail: (what: string) => void): Promise<void> {
  const start = performance.now();
  while (Atomics.load(mem, used) !== 0) {
    if (performance.now() - start > withinMs) {
      fail(`${Atomics.load(mem, used)} waiter records are in use with nobody waiting`);
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
