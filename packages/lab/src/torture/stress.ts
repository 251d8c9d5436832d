/**
 * The stress: threads that do random operations on a few locks, round after round. Between rounds all
 * threads stand still, and the locks must be as idle as new ones: a wake-up that got lost shows at
 * once, when nobody comes by to make up for it.
 */

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { LockEvents, Policy } from 'rwsem';
import { ACTIVITY_WORDS, countDone, describeActivity, doneBy } from './activity.ts';
import { Actor } from './actor.ts';
import { Cell, CELL_WORDS } from './cell.ts';
import type { Library, Mix, Tally } from './kit.ts';
import { Movement } from './movement.ts';
import { Random } from '../random.ts';
import { watchEventLoop } from './watchdog.ts';

export interface StressOptions {
  /** URL of the library's index file. */
  library: string;
  /** The same of the library whose core lays out the memory, if that is another. */
  layoutOf?: string;
  policy: Partial<Policy>;
  seed: number;
  seconds: number;
  workers: number;
  /** Nobody finishing an operation for so long is a hang. */
  hangMs: number;
  /** Per thread and round, to choose from. Short rounds find lost wake-ups, long ones the rest. */
  operations: readonly number[];
  /** Somebody not finishing an operation for so long, while others do, is starved. Default: not looked for. */
  starveMs?: number;
  /** See `Mix`. */
  longHoldMs?: number;
  /** The length of rounds in which all threads do the same until time is up, to compare how far they came. Default: none. */
  fairnessMs?: number;
  /** Ends it after the current round. */
  signal?: AbortSignal;
  onRound?: (rounds: number, operations: number) => void;
}

/** How many operations a thread did in the same time, over all rounds of that kind. */
export interface Fairness {
  rounds: number;
  min: number;
  mean: number;
  max: number;
}

export interface StressReport extends Tally {
  rounds: number;
  operations: number;
  fairness: Fairness | null;
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
export const LONG_HOLD_MS = 6;
/** 1: the round is a race, all threads do the same until `RACING` is 0. */
export const RACE = 7;
export const RACING = 8;
export const CONTROL_WORDS = 16;

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
/** Rounds that compare threads come when others have taken so many times as long. */
const RACE_SHARE = 8;

export function readMix(control: Int32Array): Mix {
  return {
    operations: control[MIX] as number,
    locks: control[MIX + 1] as number,
    writes: (control[MIX + 2] as number) / 100,
    longHoldMs: control[LONG_HOLD_MS] as number,
  };
}

export async function runStress(options: StressOptions): Promise<StressReport> {
  const library = (await import(options.library)) as Library;
  const layoutOf = options.layoutOf ?? options.library;
  const layout = (await import(new URL('core/layout.js', layoutOf).href)) as Record<string, number>;
  const { agentRecords } = (await import(new URL('agent.js', layoutOf).href)) as { agentRecords(mem: Int32Array): number[] };
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

  /** Threads take their time to start and to end. */
  let limitMs = Math.max(options.hangMs, START_MS);
  const moves = new Movement(activity, options.workers + 1);
  const watchdog = setInterval(() => {
    moves.look();
    if (moves.nobodyForMs() > limitMs) fail(`a hang: nobody has moved for ${limitMs} ms`);
    const starved = moves.starvedActor(options.starveMs ?? Infinity);
    if (starved !== undefined) fail(`thread ${starved + 1} is starved: not one operation in ${options.starveMs} ms while others went on`);
  }, LOOK_MS);

  const endWatch = watchEventLoop(layoutOf, space.handle, LOCKS, START_MS + options.hangMs);
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
    moves.restart();
    limitMs = options.hangMs;
    const endAt = performance.now() + options.seconds * 1000;
    control[LONG_HOLD_MS] = options.longHoldMs ?? 0;
    const { fairnessMs = 0 } = options;
    const races = new Array<number>(options.workers).fill(0);
    let rounds = 0;
    let raceRounds = 0;
    let raceAt = fairnessMs === 0 ? Infinity : performance.now();
    // Nobody is at work: every lock must be as good as new.
    const checkIdle = (): void => {
      locks.forEach((lock, i) => {
        check(() => (looker[i] as Cell).expectEmpty());
        check(() => assert.deepEqual(lockWords(i), IDLE_WORDS, `lock ${i} is not idle between rounds`));
        check(() => assert.deepEqual(lock.inspect(), IDLE_STATE, `lock ${i} does not look idle between rounds`));
      });
    };
    while (performance.now() < endAt && !options.signal?.aborted) {
      control[MIX + 2] = random.pick([5, 20, 50, 90]);
      if (performance.now() >= raceAt) {
        const before = races.map((_, i) => doneBy(activity, i));
        control[MIX] = 0x7fffffff;
        control[MIX + 1] = 1;
        control[RACE] = 1;
        Atomics.store(control, RACING, 1);
        openRound(control);
        await within(sleep(fairnessMs));
        races.forEach((sum, i) => (races[i] = sum + doneBy(activity, i) - (before[i] as number)));
        Atomics.store(control, RACING, 0);
        await within(arrivals(control, options.workers));
        control[RACE] = 0;
        raceRounds++;
        raceAt = performance.now() + RACE_SHARE * fairnessMs;
      } else {
        control[MIX] = random.pick(options.operations);
        control[MIX + 1] = 1 + random.below(LOCKS);
        openRound(control);
        const mine = main.workAsync(readMix(control), MAIN_LANES).catch((error: unknown) => {
          fail(`the main thread: ${String((error as Error).stack ?? error)}`);
        });
        await within(Promise.all([mine, arrivals(control, options.workers)]));
      }
      rounds++;
      checkIdle();
      options.onRound?.(rounds, countDone(activity));
    }

    limitMs = Math.max(options.hangMs, START_MS);
    Atomics.store(control, STOP, 1);
    openRound(control);
    await within(Promise.all(finished));
    const total: Tally = { writes: locks.map(() => 0), reads: 0, timeouts: 0, aborts: 0, refusals: 0, misses: 0, downgrades: 0, longHolds: 0 };
    for (const tally of tallies) {
      tally.writes.forEach((writes, i) => ((total.writes[i] as number) += writes));
      for (const key of ['reads', 'timeouts', 'aborts', 'refusals', 'misses', 'downgrades', 'longHolds'] as const) total[key] += tally[key];
    }
    looker.forEach((cell, i) => check(() => cell.expectWrites(total.writes[i] as number)));
    await within(recordsComeBack(mem, layout['WAITERS_USED'] as number, START_MS, fail));
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) worker.postMessage('exit');
    await within(Promise.all(ended));
    check(() => {});
    const fairness =
      raceRounds === 0
        ? null
        : { rounds: raceRounds, min: Math.min(...races), mean: races.reduce((a, b) => a + b, 0) / races.length, max: Math.max(...races) };
    return { ...total, rounds, operations: countDone(activity), fairness, events: space.events() };
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
