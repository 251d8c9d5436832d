/** Operations that block their thread, in every form and one inside another. */
import type { AcquireOptions, ReadGuard, RwSem, WriteGuard } from 'rwsem';
import { type Cell, Violation } from './cell.ts';
import type { Kit, Mix } from './kit.ts';

/** One section in so many is a long one, if there are any. */
const LONG_HOLDS = 1 / 5000;

export class BlockingWork {
  readonly #kit: Kit;
  readonly #bed = new Int32Array(new SharedArrayBuffer(4));

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  /** Locks are taken in ascending order, from `lowest`. */
  once(mix: Mix, lowest = 0): void {
    const i = lowest + this.#kit.random.below(mix.locks - lowest);
    const isWrite = this.#kit.random.chance(mix.writes);
    const form = this.#kit.random.below(10);
    if (form < 4) this.#raw(mix, i, isWrite);
    else if (form < 8) this.#guarded(mix, i, isWrite);
    else this.#trying(mix, i, isWrite, form === 8);
    this.#kit.activity.done();
  }

  #raw(mix: Mix, i: number, isWrite: boolean): void {
    const lock = this.#kit.locks[i] as RwSem;
    this.#kit.activity.begin(isWrite ? 'downWrite' : 'downRead', i);
    if (!isWrite) {
      lock.downRead();
      this.#readInside(mix, i);
      lock.upRead();
      return;
    }
    lock.downWrite();
    this.#writeInside(mix, i);
    if (this.#kit.random.chance(0.25)) {
      lock.downgradeWrite();
      this.#kit.afterDowngrade(i);
      this.#readInside(mix, i);
      lock.upRead();
    } else {
      lock.upWrite();
    }
  }

  #guarded(mix: Mix, i: number, isWrite: boolean): void {
    const lock = this.#kit.locks[i] as RwSem;
    const options = this.#blockingOptions();
    this.#kit.activity.begin(isWrite ? 'write' : 'read', i);
    let guard: ReadGuard | WriteGuard;
    try {
      guard = isWrite ? lock.write(options) : lock.read(options);
    } catch (error) {
      if (options?.timeoutMs === undefined || !(error instanceof this.#kit.library.TimeoutError)) throw error;
      this.#kit.tally.timeouts++;
      return;
    }
    this.#insideGuard(mix, i, guard);
  }

  #trying(mix: Mix, i: number, isWrite: boolean, raw: boolean): void {
    const lock = this.#kit.locks[i] as RwSem;
    this.#kit.activity.begin('try', i);
    if (raw) {
      if (!(isWrite ? lock.tryDownWrite() : lock.tryDownRead())) this.#kit.tally.misses++;
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
    else this.#kit.tally.misses++;
  }

  #insideGuard(mix: Mix, i: number, guard: ReadGuard | WriteGuard): void {
    if (guard.mode === 'read') {
      this.#readInside(mix, i);
      guard.release();
      return;
    }
    this.#writeInside(mix, i);
    if (this.#kit.random.chance(0.75)) {
      guard.release();
      return;
    }
    const reader = guard.downgrade();
    this.#kit.afterDowngrade(i);
    this.#readInside(mix, i);
    guard.release(); // does nothing
    reader.release();
  }

  #writeInside(mix: Mix, i: number): void {
    const cell = this.#kit.cells[i] as Cell;
    const visit = cell.beginWrite();
    this.#linger(mix);
    if (this.#kit.mayBlock && this.#kit.random.chance(0.02)) {
      this.#expectRefusal(() => (this.#kit.locks[i] as RwSem).downRead(), 'read', 'writing');
    }
    this.#inner(mix, i);
    cell.endWrite(visit);
    (this.#kit.tally.writes[i] as number)++;
  }

  #readInside(mix: Mix, i: number): void {
    const cell = this.#kit.cells[i] as Cell;
    const seen = cell.beginRead();
    this.#linger(mix);
    if (this.#kit.mayBlock && this.#kit.random.chance(0.1)) this.#nested(i);
    if (this.#kit.mayBlock && this.#kit.random.chance(0.02)) {
      this.#expectRefusal(() => (this.#kit.locks[i] as RwSem).downWrite(), 'write', 'reading');
    }
    this.#inner(mix, i);
    cell.endRead(seen);
    this.#kit.tally.reads++;
  }

  /** A second lock, in order, while the first is held. */
  #inner(mix: Mix, i: number): void {
    if (this.#kit.mayBlock && i + 1 < mix.locks && this.#kit.random.chance(0.05)) this.once(mix, i + 1);
  }

  /** Reading again while reading: granted, or refused because a writer waits. */
  #nested(i: number): void {
    const lock = this.#kit.locks[i] as RwSem;
    const options = this.#kit.random.chance(0.7) ? undefined : this.#blockingOptions();
    this.#kit.activity.begin('nested read', i);
    let guard: ReadGuard;
    try {
      guard = lock.read(options);
    } catch (error) {
      const { DeadlockError, TimeoutError } = this.#kit.library;
      if (error instanceof DeadlockError) this.#kit.tally.refusals++;
      else if (options?.timeoutMs !== undefined && error instanceof TimeoutError) this.#kit.tally.timeouts++;
      else throw error;
      return;
    }
    this.#look(i);
    guard.release();
  }

  /** The thread reads asynchronously and blocks for another read meanwhile; it may be refused, not stuck. */
  async mixed(mix: Mix): Promise<void> {
    const i = this.#kit.random.below(mix.locks);
    const lock = this.#kit.locks[i] as RwSem;
    this.#kit.activity.begin('readAsync, then read', i);
    const pending = lock.readAsync();
    this.#nested(i);
    const guard = await pending;
    this.#look(i);
    guard.release();
    this.#kit.tally.reads++;
    this.#kit.activity.done();
  }

  /** Inside for a moment, for reading. */
  #look(i: number): void {
    const cell = this.#kit.cells[i] as Cell;
    const seen = cell.beginRead();
    this.#linger();
    cell.endRead(seen);
  }

  #expectRefusal(attempt: () => void, mode: string, doing: string): void {
    try {
      attempt();
    } catch (error) {
      if (!(error instanceof this.#kit.library.DeadlockError)) throw error;
      this.#kit.tally.refusals++;
      return;
    }
    throw new Violation(`a thread that was ${doing} got the ${mode} lock as well`);
  }

  #blockingOptions(): AcquireOptions | undefined {
    if (this.#kit.random.chance(0.4)) return undefined;
    const options: AcquireOptions = {};
    if (this.#kit.random.chance(0.6)) options.timeoutMs = this.#kit.random.pick([0, 0.1, 1, 1, 2, 5]);
    if (this.#kit.random.chance(0.2)) options.urgent = true;
    return options;
  }

  /** Mostly short; now and then as long as a time slice of the system, or asleep past the handoff deadline. */
  #linger(mix?: Mix): void {
    if (mix?.longHoldMs && this.#kit.mayBlock && this.#kit.random.chance(LONG_HOLDS)) {
      this.#kit.tally.longHolds++;
      Atomics.wait(this.#bed, 0, 0, mix.longHoldMs);
    }
    const kind = this.#kit.random.below(1024);
    if (kind === 0 && this.#kit.mayBlock) Atomics.wait(this.#bed, 0, 0, 1 + this.#kit.random.below(6));
    else spend(kind < 16 ? 20_000 : kind < 512 ? this.#kit.random.below(300) : 0);
  }
}

/** Where the results of `spend` go, so that they are computed. */
export let sink = 0;

function spend(turns: number): void {
  let value = sink;
  for (let i = 0; i < turns; i++) value = (Math.imul(value, 31) + i) | 0;
  sink = value;
}
