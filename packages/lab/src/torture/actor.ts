/** One thread of the stress: random operations in every form the lock has, with a check in each. */

import { setImmediate as immediate } from 'node:timers/promises';
import type { AcquireOptions, ReadGuard, RwSem, WriteGuard } from 'rwsem';
import { Cell, Violation } from './cell.ts';
import { Random } from './random.ts';

export type Library = typeof import('rwsem');

/** What the operations of a round are like. */
export interface Mix {
  /** Operations per thread. */
  operations: number;
  /** How many of the locks are used. */
  locks: number;
  /** The share of writers among them. */
  writes: number;
  /** Once in a long while somebody sleeps inside for so long. 0: never. */
  longHoldMs?: number;
  /** Ends the round before its operations are done. */
  isOver?: () => boolean;
}

/** Words in which a thread tells what it is doing, for whoever looks at a hang. */
export const ACTIVITY_WORDS = 4;
const DONE = 0;
const DOING = 1;
const LOCK = 2;

const DOINGS = [
  'nothing',
  'downWrite',
  'downRead',
  'write',
  'read',
  'try',
  'nested read',
  'writeAsync',
  'readAsync',
  'readAsync, then read',
] as const;
type Doing = (typeof DOINGS)[number];

export function describeActivity(activity: Int32Array, actor: number): string {
  const at = actor * ACTIVITY_WORDS;
  const doing = DOINGS[activity[at + DOING] as number] ?? '?';
  return `${activity[at + DONE]} operations done, last began ${doing} on lock ${activity[at + LOCK]}`;
}

export function countDone(activity: Int32Array): number {
  let sum = 0;
  for (let at = 0; at < activity.length; at += ACTIVITY_WORDS) sum += Atomics.load(activity, at + DONE);
  return sum;
}

export function doneBy(activity: Int32Array, actor: number): number {
  return Atomics.load(activity, actor * ACTIVITY_WORDS + DONE);
}

export function isAtWork(activity: Int32Array, actor: number): boolean {
  return Atomics.load(activity, actor * ACTIVITY_WORDS + DOING) !== 0;
}

/** What came of the operations. */
export interface Tally {
  writes: number[];
  reads: number;
  timeouts: number;
  aborts: number;
  refusals: number;
  misses: number;
  downgrades: number;
  longHolds: number;
}

/** An inspect() that took longer may have looked without the wait lock. */
const CERTAIN_MS = 40;

/** One section in so many is a long one, if there are any. */
const LONG_HOLDS = 1 / 5000;

interface Wish {
  options: AcquireOptions | undefined;
  abort: { controller: AbortController; reason: symbol; turns: number } | undefined;
}

export class Actor {
  readonly tally: Tally;
  readonly #library: Library;
  readonly #locks: readonly RwSem[];
  readonly #cells: readonly Cell[];
  readonly #random: Random;
  readonly #activity: Int32Array;
  readonly #at: number;
  readonly #bed = new Int32Array(new SharedArrayBuffer(4));
  readonly #mayBlock: boolean;

  constructor(
    library: Library,
    locks: readonly RwSem[],
    cells: Int32Array,
    activity: Int32Array,
    /** From 0; what it writes into cells is one more. */
    index: number,
    seed: number,
    mayBlock: boolean,
  ) {
    this.#library = library;
    this.#locks = locks;
    this.#cells = locks.map((_, i) => new Cell(cells, i, index + 1));
    this.#random = new Random(seed);
    this.#activity = activity;
    this.#at = index * ACTIVITY_WORDS;
    this.#mayBlock = mayBlock;
    this.tally = { writes: locks.map(() => 0), reads: 0, timeouts: 0, aborts: 0, refusals: 0, misses: 0, downgrades: 0, longHolds: 0 };
  }

  /** A round with blocking operations and, for the given share, batches of async ones. */
  async workBlocking(mix: Mix, asyncShare: number): Promise<void> {
    for (let done = 0; done < mix.operations && !mix.isOver?.(); done++) {
      if (!this.#random.chance(asyncShare)) this.#blocking(mix, 0);
      else if (this.#random.chance(0.2)) await this.#mixed(mix);
      else await Promise.all(Array.from({ length: 1 + this.#random.below(4) }, () => this.#async(mix, 0)));
    }
    this.#begin('nothing', 0);
  }

  /** A round with several tasks on this event loop. */
  async workAsync(mix: Mix, lanes: number): Promise<void> {
    const lane = async (): Promise<void> => {
      for (let done = 0; done < mix.operations; done += lanes) await this.#async(mix, 0);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    this.#begin('nothing', 0);
  }

  #begin(doing: Doing, lock: number): void {
    this.#activity[this.#at + DOING] = DOINGS.indexOf(doing);
    this.#activity[this.#at + LOCK] = lock;
  }

  #done(): void {
    Atomics.add(this.#activity, this.#at + DONE, 1);
  }

  // ── Blocking ──────────────────────────────────────────────────────────────────────────────────

  /** Locks are taken in ascending order, from `lowest`. */
  #blocking(mix: Mix, lowest: number): void {
    const i = lowest + this.#random.below(mix.locks - lowest);
    const isWrite = this.#random.chance(mix.writes);
    const form = this.#random.below(10);
    if (form < 4) this.#raw(mix, i, isWrite);
    else if (form < 8) this.#guarded(mix, i, isWrite);
    else this.#trying(mix, i, isWrite, form === 8);
    this.#done();
  }

  #raw(mix: Mix, i: number, isWrite: boolean): void {
    const lock = this.#locks[i] as RwSem;
    this.#begin(isWrite ? 'downWrite' : 'downRead', i);
    if (!isWrite) {
      lock.downRead();
      this.#readInside(mix, i);
      lock.upRead();
      return;
    }
    lock.downWrite();
    this.#writeInside(mix, i);
    if (this.#random.chance(0.25)) {
      lock.downgradeWrite();
      this.#afterDowngrade(i);
      this.#readInside(mix, i);
      lock.upRead();
    } else {
      lock.upWrite();
    }
  }

  #guarded(mix: Mix, i: number, isWrite: boolean): void {
    const lock = this.#locks[i] as RwSem;
    const options = this.#blockingOptions();
    this.#begin(isWrite ? 'write' : 'read', i);
    let guard: ReadGuard | WriteGuard;
    try {
      guard = isWrite ? lock.write(options) : lock.read(options);
    } catch (error) {
      if (options?.timeoutMs === undefined || !(error instanceof this.#library.TimeoutError)) throw error;
      this.tally.timeouts++;
      return;
    }
    this.#insideGuard(mix, i, guard);
  }

  #trying(mix: Mix, i: number, isWrite: boolean, raw: boolean): void {
    const lock = this.#locks[i] as RwSem;
    this.#begin('try', i);
    if (raw) {
      if (!(isWrite ? lock.tryDownWrite() : lock.tryDownRead())) this.tally.misses++;
      else if (isWrite) {
        this.#writeInside(mix, i);
        lock.upWrite();
      } else {
        this.#readInside(mix, i);
        lock.upRead();
      }
      return;
    }
    const guard = isWrite ? lock.tryWrite() : lock.tryRead();
    if (guard) this.#insideGuard(mix, i, guard);
    else this.tally.misses++;
  }

  #insideGuard(mix: Mix, i: number, guard: ReadGuard | WriteGuard): void {
    if (guard.mode === 'read') {
      this.#readInside(mix, i);
      guard.release();
      return;
    }
    this.#writeInside(mix, i);
    if (this.#random.chance(0.75)) {
      guard.release();
      return;
    }
    const reader = guard.downgrade();
    this.#afterDowngrade(i);
    this.#readInside(mix, i);
    guard.release(); // does nothing
    reader.release();
  }

  #writeInside(mix: Mix, i: number): void {
    const cell = this.#cells[i] as Cell;
    const visit = cell.beginWrite();
    this.#linger(mix);
    if (this.#mayBlock && this.#random.chance(0.02)) {
      this.#expectRefusal(() => (this.#locks[i] as RwSem).downRead(), 'read', 'writing');
    }
    this.#inner(mix, i);
    cell.endWrite(visit);
    (this.tally.writes[i] as number)++;
  }

  #readInside(mix: Mix, i: number): void {
    const cell = this.#cells[i] as Cell;
    const seen = cell.beginRead();
    this.#linger(mix);
    if (this.#mayBlock && this.#random.chance(0.1)) this.#nested(i);
    if (this.#mayBlock && this.#random.chance(0.02)) {
      this.#expectRefusal(() => (this.#locks[i] as RwSem).downWrite(), 'write', 'reading');
    }
    this.#inner(mix, i);
    cell.endRead(seen);
    this.tally.reads++;
  }

  /** A second lock, in order, while the first is held. */
  #inner(mix: Mix, i: number): void {
    if (this.#mayBlock && i + 1 < mix.locks && this.#random.chance(0.05)) this.#blocking(mix, i + 1);
  }

  /** Reading again while reading: granted, or refused because a writer waits. */
  #nested(i: number): void {
    const lock = this.#locks[i] as RwSem;
    const cell = this.#cells[i] as Cell;
    const options = this.#random.chance(0.7) ? undefined : this.#blockingOptions();
    this.#begin('nested read', i);
    let guard: ReadGuard;
    try {
      guard = lock.read(options);
    } catch (error) {
      const { DeadlockError, TimeoutError } = this.#library;
      if (error instanceof DeadlockError) this.tally.refusals++;
      else if (options?.timeoutMs !== undefined && error instanceof TimeoutError) this.tally.timeouts++;
      else throw error;
      return;
    }
    const seen = cell.beginRead();
    this.#linger();
    cell.endRead(seen);
    guard.release();
  }

  /** The thread reads asynchronously and blocks for another read meanwhile; it may be refused, not stuck. */
  async #mixed(mix: Mix): Promise<void> {
    const i = this.#random.below(mix.locks);
    const lock = this.#locks[i] as RwSem;
    const cell = this.#cells[i] as Cell;
    this.#begin('readAsync, then read', i);
    const pending = lock.readAsync();
    this.#nested(i);
    const guard = await pending;
    const seen = cell.beginRead();
    this.#linger();
    cell.endRead(seen);
    guard.release();
    this.tally.reads++;
    this.#done();
  }

  #expectRefusal(attempt: () => void, mode: string, doing: string): void {
    try {
      attempt();
    } catch (error) {
      if (!(error instanceof this.#library.DeadlockError)) throw error;
      this.tally.refusals++;
      return;
    }
    throw new Violation(`a thread that was ${doing} got the ${mode} lock as well`);
  }

  /** The readers in front of the queue have joined by the time `downgrade` returns, and so do later ones. */
  #afterDowngrade(i: number): void {
    this.tally.downgrades++;
    const start = performance.now();
    const { waiters } = (this.#locks[i] as RwSem).inspect();
    const tookMs = performance.now() - start;
    if (waiters[0]?.mode === 'read' && tookMs < CERTAIN_MS) {
      throw new Violation(`lock ${i}: a downgrade left a reader waiting in front: ${JSON.stringify(waiters)}`);
    }
  }

  #blockingOptions(): AcquireOptions | undefined {
    if (this.#random.chance(0.4)) return undefined;
    const options: AcquireOptions = {};
    if (this.#random.chance(0.6)) options.timeoutMs = this.#random.pick([0, 0.1, 1, 1, 2, 5]);
    if (this.#random.chance(0.2)) options.urgent = true;
    return options;
  }

  /** Mostly short; now and then as long as a time slice of the system, or asleep past the handoff deadline. */
  #linger(mix?: Mix): void {
    if (mix?.longHoldMs && this.#mayBlock && this.#random.chance(LONG_HOLDS)) {
      this.tally.longHolds++;
      Atomics.wait(this.#bed, 0, 0, mix.longHoldMs);
    }
    const kind = this.#random.below(1024);
    if (kind === 0 && this.#mayBlock) Atomics.wait(this.#bed, 0, 0, 1 + this.#random.below(6));
    else spend(kind < 16 ? 20_000 : kind < 512 ? this.#random.below(300) : 0);
  }

  // ── Async ─────────────────────────────────────────────────────────────────────────────────────

  async #async(mix: Mix, lowest: number): Promise<void> {
    const i = lowest + this.#random.below(mix.locks - lowest);
    const lock = this.#locks[i] as RwSem;
    const isWrite = this.#random.chance(mix.writes);
    const form = this.#random.below(8);
    if (form === 0) {
      this.#begin('try', i);
      const guard = isWrite ? lock.tryWrite() : lock.tryRead();
      if (guard) await this.#insideAsync(mix, i, guard);
      else {
        this.tally.misses++;
        await null;
      }
    } else {
      this.#begin(isWrite ? 'writeAsync' : 'readAsync', i);
      const wish = this.#wish();
      try {
        if (form < 5) {
          const acquiring = isWrite ? lock.writeAsync(wish.options) : lock.readAsync(wish.options);
          this.#abortLater(wish);
          await this.#insideAsync(mix, i, await acquiring);
        } else {
          const body = (guard: ReadGuard | WriteGuard): Promise<void> => this.#insideAsync(mix, i, guard, false);
          const running = isWrite ? lock.withWrite(body, wish.options) : lock.withRead(body, wish.options);
          this.#abortLater(wish);
          await running;
        }
      } catch (error) {
        if (wish.abort !== undefined && error === wish.abort.reason) this.tally.aborts++;
        else if (wish.options?.timeoutMs !== undefined && error instanceof this.#library.TimeoutError) this.tally.timeouts++;
        else throw error;
      }
    }
    this.#done();
  }

  async #insideAsync(mix: Mix, i: number, guard: ReadGuard | WriteGuard, release = true): Promise<void> {
    const cell = this.#cells[i] as Cell;
    let reader: ReadGuard | undefined;
    if (guard.mode === 'write') {
      const visit = cell.beginWrite();
      await this.#yield();
      await this.#innerAsync(mix, i);
      cell.endWrite(visit);
      (this.tally.writes[i] as number)++;
      if (this.#random.chance(0.25)) {
        reader = guard.downgrade();
        this.#afterDowngrade(i);
      }
    } else {
      reader = guard;
    }
    if (reader !== undefined) {
      const seen = cell.beginRead();
      await this.#yield();
      if (guard.mode === 'read') await this.#innerAsync(mix, i);
      cell.endRead(seen);
      this.tally.reads++;
      if (release) reader.release();
    }
    if (release) guard.release();
  }

  async #innerAsync(mix: Mix, i: number): Promise<void> {
    if (i + 1 < mix.locks && this.#random.chance(0.05)) await this.#async(mix, i + 1);
  }

  async #yield(): Promise<void> {
    const kind = this.#random.below(8);
    if (kind === 0) await immediate();
    else if (kind < 4) await null;
  }

  #wish(): Wish {
    if (this.#random.chance(0.5)) return { options: undefined, abort: undefined };
    const options: AcquireOptions = {};
    let abort: Wish['abort'];
    if (this.#random.chance(0.4)) options.timeoutMs = this.#random.pick([0, 0.1, 1, 2, 5]);
    if (this.#random.chance(0.2)) options.urgent = true;
    if (this.#random.chance(0.4)) {
      abort = { controller: new AbortController(), reason: Symbol('aborted'), turns: this.#random.below(5) - 1 };
      options.signal = abort.controller.signal;
      if (abort.turns < 0) abort.controller.abort(abort.reason);
    }
    return { options, abort };
  }

  #abortLater({ abort }: Wish): void {
    if (abort === undefined || abort.turns < 0) return;
    const { controller, reason } = abort;
    let { turns } = abort;
    const step = (): void => {
      if (turns === 0) controller.abort(reason);
      else {
        turns--;
        setImmediate(step);
      }
    };
    step();
  }
}

/** Where the results of `spend` go, so that they are computed. */
export let sink = 0;

function spend(turns: number): void {
  let value = sink;
  for (let i = 0; i < turns; i++) value = (Math.imul(value, 31) + i) | 0;
  sink = value;
}
