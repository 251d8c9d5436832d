import { ACQUIRED, CANCELLED, LOCK_CAPACITY, TOO_MANY_READERS, WOULD_DEADLOCK } from './core/layout.ts';
import { readerIsIn } from './core/count.ts';
import { clockMs } from './core/env.ts';
import { asyncTag, readerTag, recordReader } from './core/owner.ts';
import { arriveReader, arriveWriter, enterReader, enterWriter, releaseRead, releaseWrite } from './core/fast-path.ts';
import { arriveReaderPolitely, NOT_ARRIVED, readSlow, tryRead, withdrawReader } from './core/read.ts';
import { downgradeWrite, wakeAfterRead, wakeAfterWrite } from './core/release.ts';
import { countWriteSteal, stealRead, stealWrite } from './core/steal.ts';
import { writeSlow } from './core/write.ts';
import { Acquisition, type Mode } from './async/acquisition.ts';
import {
  CannotBlockError,
  DeadlockError,
  DetachedError,
  InvalidHandleError,
  NotOwnerError,
  TimeoutError,
  TooManyReadersError,
} from './errors.ts';
import { openSpace } from './format.ts';
import { ReadHold, type ReadGuard, WriteHold, type WriteGuard } from './guard.ts';
import { inspectLock, type RwSemState, summarize } from './inspect.ts';
import {
  type AcquireOptions,
  check,
  checkAcquire,
  type CheckedAcquire,
  checkObject,
  isWhole,
  type LockSpaceOptions,
  LONGEST_MS,
} from './options.ts';
import { LockSpace, type LockSpaceHandle } from './space.ts';

/** Names a lock to other threads. */
export interface RwSemHandle extends LockSpaceHandle {
  readonly index: number;
}

/** What this thread may do with the lock: ordered so that the fast paths test it once. */
const MAY_BLOCK = 0;
const MAY_NOT_BLOCK = 1;
const DETACHED = 2;

/**
 * A reader-writer lock in shared memory: many readers or one writer, over all threads attached.
 *
 * Three ways in, all in one queue: blocking (`read`, `write`, `downRead`, `downWrite`), which park
 * the thread and are refused where it may not block; async (`readAsync`, `writeAsync`, `withRead`,
 * `withWrite`), which never block; and `try…`, which never wait. Nothing else waits for a holder either.
 * What has to touch the queue may wait a moment for the queue's own lock, spinning where the thread
 * may not block.
 */
export class RwSem {
  /** The space this lock lies in. */
  readonly space: LockSpace;
  /** Pass this to other threads; `RwSem.attach` takes it there. */
  readonly handle: RwSemHandle;

  /** @internal */ readonly at: number;
  /** @internal How many acquisitions queue inside the thread. */ overflowing = 0;
  readonly #mem: Int32Array;
  readonly #me: number;
  readonly #tag: number;
  readonly #readerTag: number;
  readonly #asyncTag: number;
  #gate: number;
  /** The count from which this thread last took the write lock: 0, or waiters that it may pass. */
  #free = 0;

  // What this thread holds and awaits, by whom. A guard owns its hold, the raw calls own theirs.
  #rawReads = 0;
  #rawWrites = 0;
  #guardReads = 0;
  #guardWrites = 0;
  /** @internal */ readonly pending: Set<Acquisition> = new Set();

  private constructor(space: LockSpace, index: number, at: number) {
    this.space = space;
    this.handle = Object.freeze({ ...space.handle, index });
    this.at = at;
    this.#mem = space.mem;
    this.#me = space.record.at;
    this.#tag = space.record.tag;
    this.#readerTag = readerTag(space.record.tag);
    this.#asyncTag = asyncTag(space.record.tag);
    this.#gate = space.record.canBlock ? MAY_BLOCK : MAY_NOT_BLOCK;
  }

  /** @internal */
  static of(space: LockSpace, index: number, at: number): RwSem {
    return new RwSem(space, index, at);
  }

  /** A space of its own with this one lock. */
  static create(options: Omit<LockSpaceOptions, 'locks'> = {}): RwSem {
    checkObject('options', options);
    return LockSpace.create({ ...options, locks: 1 }).rwsem(0);
  }

  /** Joins the lock from another thread. In the same thread: the same object. */
  static attach(handle: RwSemHandle): RwSem {
    const mem = openSpace(handle);
    const { index } = handle;
    if (!isWhole(index, 0, (mem[LOCK_CAPACITY] as number) - 1)) throw new InvalidHandleError('its index is not a lock of the space');
    return LockSpace.join(mem).rwsem(index);
  }

  // ── Blocking ──────────────────────────────────────────────────────────────────────────────────

  /**
   * Acquires for reading. Blocks the thread until granted.
   *
   * `CannotBlockError` at once on a thread that may not block; `DeadlockError` at once if this thread
   * stands in its own way; `TimeoutError`; `TooManyReadersError`; `signal.reason` if already aborted.
   */
  read(options?: AcquireOptions): ReadGuard {
    if (options === undefined) this.#readNow('read');
    else this.#readWith(options);
    this.#guardReads++;
    return new ReadHold(this);
  }

  /** Acquires for writing. Blocks the thread until granted. Errors as for `read`. */
  write(options?: AcquireOptions): WriteGuard {
    if (options === undefined) this.#writeNow('write');
    else this.#writeWith(options);
    this.#guardWrites++;
    return new WriteHold(this);
  }

  /** `read` without a guard: pair it with `upRead`. Blocks. */
  downRead(): void {
    this.#readNow('downRead');
    this.#rawReads++;
  }

  /** `write` without a guard: pair it with `upWrite`. Blocks. */
  downWrite(): void {
    this.#writeNow('downWrite');
    this.#rawWrites = 1;
  }

  // ── Async ─────────────────────────────────────────────────────────────────────────────────────

  /**
   * Acquires for reading. Never blocks. Keeps the process alive until settled.
   * Rejects with `TimeoutError`, `signal.reason`, `TooManyReadersError`, `DetachedError`, or an error
   * about the options; never with `DeadlockError`, since another task may release.
   */
  readAsync(options?: AcquireOptions): Promise<ReadGuard> {
    if (options === undefined && this.#gate !== DETACHED && this.overflowing === 0) {
      if (tryRead(this.#mem, this.at, this.#asyncTag) === ACQUIRED) return Promise.resolve(this.makeGuard('read'));
    }
    return this.#acquireAsync('read', options);
  }

  /** Acquires for writing. Never blocks. Otherwise as `readAsync`. */
  writeAsync(options?: AcquireOptions): Promise<WriteGuard> {
    if (options === undefined && this.#gate !== DETACHED && this.overflowing === 0) {
      if (arriveWriter(this.#mem, this.at, this.#asyncTag) === 0) return Promise.resolve(this.makeGuard('write'));
    }
    return this.#acquireAsync('write', options);
  }

  /** Runs `body` with the lock read-held, and releases it however `body` ends. Never blocks. */
  async withRead<T>(body: (guard: ReadGuard) => T | PromiseLike<T>, options?: AcquireOptions): Promise<T> {
    checkBody(body);
    const guard = await this.readAsync(options);
    try {
      return await body(guard);
    } finally {
      guard.release();
    }
  }

  /** Runs `body` with the lock write-held, and releases what is left of it however `body` ends. Never blocks. */
  async withWrite<T>(body: (guard: WriteGuard) => T | PromiseLike<T>, options?: AcquireOptions): Promise<T> {
    checkBody(body);
    const guard = (await this.writeAsync(options)) as WriteHold;
    try {
      return await body(guard);
    } finally {
      guard.releaseAll();
    }
  }

  // ── Trying ────────────────────────────────────────────────────────────────────────────────────

  /** Acquires for reading if that needs no waiting, else `null`. `TooManyReadersError` as in `read`. */
  tryRead(): ReadGuard | null {
    return this.#try('read') ? this.makeGuard('read') : null;
  }

  /** Acquires for writing if that needs no waiting, else `null`. */
  tryWrite(): WriteGuard | null {
    return this.#try('write') ? this.makeGuard('write') : null;
  }

  /** `tryRead` without a guard: pair a `true` with `upRead`. */
  tryDownRead(): boolean {
    if (!this.#try('read')) return false;
    this.#rawReads++;
    return true;
  }

  /** `tryWrite` without a guard: pair a `true` with `upWrite`. */
  tryDownWrite(): boolean {
    if (!this.#try('write')) return false;
    this.#rawWrites = 1;
    return true;
  }

  // ── Releasing ─────────────────────────────────────────────────────────────────────────────────

  /** Ends a `downRead`. Never waits. `NotOwnerError`, and nothing changed, without one in this thread. */
  upRead(): void {
    if (this.#rawReads === 0) this.#notHeld('upRead', 'downRead');
    this.#rawReads--;
    if (releaseRead(this.#mem, this.at)) this.#wakeAfterRead();
  }

  /** Ends a `downWrite`. Never waits. `NotOwnerError`, and nothing changed, without one in this thread. */
  upWrite(): void {
    if (this.#rawWrites === 0) this.#notHeld('upWrite', 'downWrite');
    this.#rawWrites = 0;
    if (releaseWrite(this.#mem, this.at)) this.#wakeAfterWrite();
  }

  /**
   * Turns a `downWrite` into a `downRead`, without letting a writer in between; end it with `upRead`.
   * Never waits. `NotOwnerError`, and nothing changed, without a `downWrite` in this thread.
   */
  downgradeWrite(): void {
    if (this.#rawWrites === 0) this.#notHeld('downgradeWrite', 'downWrite');
    this.#rawWrites = 0;
    this.#rawReads++;
    this.#downgrade();
  }

  /** @internal */
  releaseReadHold(): void {
    this.#guardReads--;
    if (releaseRead(this.#mem, this.at)) this.#wakeAfterRead();
  }

  /** @internal */
  releaseWriteHold(): void {
    this.#guardWrites--;
    if (releaseWrite(this.#mem, this.at)) this.#wakeAfterWrite();
  }

  /** @internal */
  downgradeWriteHold(): void {
    this.#guardWrites--;
    this.#guardReads++;
    this.#downgrade();
  }

  #downgrade(): void {
    downgradeWrite(this.#mem, this.at, this.#me, this.#tag);
    this.space.asyncAgent.lookSoon();
  }

  #wakeAfterRead(): void {
    wakeAfterRead(this.#mem, this.at, this.#me);
    this.space.asyncAgent.lookSoon();
  }

  #wakeAfterWrite(): void {
    wakeAfterWrite(this.#mem, this.at, this.#me);
    this.space.asyncAgent.lookSoon();
  }

  // ── Looking ───────────────────────────────────────────────────────────────────────────────────

  /** Who holds the lock and who waits, at this moment. For people: it is stale at once. Never waits. */
  inspect(): RwSemState {
    if (this.#gate === DETACHED) throw new DetachedError();
    return inspectLock(this.#mem, this.at, this.#me);
  }

  /** `RwSem { write by agent 3, 2 waiting }` */
  toString(): string {
    return this.#gate === DETACHED ? 'RwSem { detached }' : summarize(this.inspect());
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  // ── Fast paths of the blocking forms ──────────────────────────────────────────────────────────

  #readNow(form: string): void {
    if (this.#gate !== MAY_BLOCK) this.#refuse(form);
    const count = enterReader(this.#mem, this.at, this.#readerTag);
    if (count !== 0) this.#readRest(count, Infinity, false);
  }

  #writeNow(form: string): void {
    if (this.#gate !== MAY_BLOCK) this.#refuse(form);
    const free = this.#free;
    const count = enterWriter(this.#mem, this.at, this.#tag, free);
    if ((count | free) !== 0) this.#writeRest(count, free);
  }

  // ── Slow paths ────────────────────────────────────────────────────────────────────────────────

  #readWith(options: AcquireOptions): void {
    const { timeoutMs, urgent } = this.#checkBlocking('read', options);
    if (timeoutMs === 0 && !this.#holdsRead()) {
      // Leaves no trace if it fails.
      if (this.tryAcquire('read', false)) return;
      this.#refuseDeadlock('read');
      throw new TimeoutError('read', 0);
    }
    const count = timeoutMs < LONGEST_MS ? arriveReaderPolitely(this.#mem, this.at) : arriveReader(this.#mem, this.at);
    if (count === NOT_ARRIVED) this.#readSlow(count, timeoutMs, urgent);
    else this.#readRest(count, timeoutMs, urgent);
  }

  #writeWith(options: AcquireOptions): void {
    const { timeoutMs, urgent } = this.#checkBlocking('write', options);
    const count = arriveWriter(this.#mem, this.at, this.#tag);
    if (count !== 0 && !stealWrite(this.#mem, this.at, this.#me, count)) this.#writeSlow(timeoutMs, urgent);
  }

  #checkBlocking(form: Mode, options: AcquireOptions): CheckedAcquire {
    const checked = checkAcquire(options);
    if (this.#gate !== MAY_BLOCK) this.#refuse(form);
    if (checked.signal?.aborted) throw checked.signal.reason;
    return checked;
  }

  /** What is left after the fast path: record this thread as the last reader, steal, or wait. */
  #readRest(count: number, timeoutMs: number, urgent: boolean): void {
    if (readerIsIn(count)) recordReader(this.#mem, this.at, this.#tag);
    else if (!stealRead(this.#mem, this.at, this.#me, count)) this.#readSlow(count, timeoutMs, urgent);
    else this.space.asyncAgent.lookSoon(); // it may have taken an async read of this very thread along
  }

  /** The same for a writer, who was to find the count `free`. */
  #writeRest(count: number, free: number): void {
    if (count === free) countWriteSteal(this.#mem, this.#me, count);
    else if (stealWrite(this.#mem, this.at, this.#me, count)) this.#free = count;
    else this.#writeSlow(Infinity, false);
  }

  /** Not granted, and nothing to steal: is waiting hopeless? Then wait. Returns only with the lock held. */
  #readSlow(count: number, timeoutMs: number, urgent: boolean): void {
    if (this.#isDeadlocked('read')) {
      if (count !== NOT_ARRIVED) withdrawReader(this.#mem, this.at, this.#me);
      this.space.asyncAgent.lookSoon();
      this.#refuseDeadlock('read');
    }
    const status = readSlow(
      this.#mem,
      this.at,
      this.#me,
      count,
      this.#holdsRead(),
      this.pending.values().next().value?.waiter ?? 0,
      urgent,
      timeoutMs < LONGEST_MS,
      giveUpAtMs(timeoutMs),
    );
    this.space.asyncAgent.lookSoon();
    if (status === CANCELLED) throw new TimeoutError('read', timeoutMs);
    if (status === TOO_MANY_READERS) throw new TooManyReadersError();
    if (status === WOULD_DEADLOCK) {
      throw new DeadlockError('read', 'this thread holds the lock for reading, and the writer that is next in line waits for it');
    }
  }

  #writeSlow(timeoutMs: number, urgent: boolean): void {
    this.#refuseDeadlock('write');
    if (timeoutMs === 0) throw new TimeoutError('write', 0);
    const status = writeSlow(this.#mem, this.at, this.#me, urgent, timeoutMs < LONGEST_MS, giveUpAtMs(timeoutMs));
    this.space.asyncAgent.lookSoon();
    if (status === CANCELLED) throw new TimeoutError('write', timeoutMs);
  }

  #acquireAsync<G extends ReadGuard | WriteGuard>(mode: Mode, options: AcquireOptions | undefined): Promise<G> {
    try {
      const checked = checkAcquire(options);
      if (this.#gate === DETACHED) throw new DetachedError();
      if (checked.signal?.aborted) throw checked.signal.reason;
      if (this.overflowing === 0 && this.tryAcquire(mode, true)) return Promise.resolve(this.makeGuard(mode) as G);
      if (checked.timeoutMs === 0) throw new TimeoutError(mode, 0);
      const { asyncAgent } = this.space;
      return new Promise<G>((resolve, reject) => {
        asyncAgent.start(new Acquisition(this, mode, checked, asyncAgent, resolve, reject));
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #try(mode: Mode): boolean {
    if (this.#gate === DETACHED) throw new DetachedError();
    // Not past those that wait inside this thread.
    return this.overflowing === 0 && this.tryAcquire(mode, false);
  }

  /** @internal */
  tryAcquire(mode: Mode, isAsync: boolean): boolean {
    const tag = isAsync ? this.#asyncTag : this.#tag;
    if (mode === 'write') return arriveWriter(this.#mem, this.at, tag) === 0;
    const status = tryRead(this.#mem, this.at, tag);
    if (status === TOO_MANY_READERS) throw new TooManyReadersError();
    return status === ACQUIRED;
  }

  // ── What this thread holds and awaits ─────────────────────────────────────────────────────────

  #holdsRead(): boolean {
    return this.#rawReads + this.#guardReads > 0;
  }

  #holdsWrite(): boolean {
    return this.#rawWrites + this.#guardWrites > 0;
  }

  /** While this thread is blocked nobody can end what it holds, nor use what it awaits. */
  #isDeadlocked(mode: Mode): boolean {
    if (this.#holdsWrite()) return true;
    if (mode === 'write') return this.#holdsRead() || this.pending.size > 0;
    return this.pending.size > 0 && [...this.pending].some((acquisition) => acquisition.mode === 'write');
  }

  #refuseDeadlock(mode: Mode): void {
    if (!this.#isDeadlocked(mode)) return;
    throw new DeadlockError(
      mode,
      this.#holdsWrite()
        ? 'this thread holds the lock for writing'
        : this.#holdsRead()
          ? 'this thread holds the lock for reading'
          : 'this thread awaits the lock, and its async acquisition could not go on while the thread is blocked',
    );
  }

  /** @internal A guard for a hold that has just been acquired. */
  makeGuard(mode: 'read'): ReadGuard;
  makeGuard(mode: 'write'): WriteGuard;
  makeGuard(mode: Mode): ReadGuard | WriteGuard;
  makeGuard(mode: Mode): ReadGuard | WriteGuard {
    if (mode === 'read') {
      this.#guardReads++;
      return new ReadHold(this);
    }
    this.#guardWrites++;
    return new WriteHold(this);
  }

  /** @internal `'holds'`, `'awaits'`, or `''` if this thread has nothing to do with the lock. */
  use(): 'holds' | 'awaits' | '' {
    if (this.#holdsRead() || this.#holdsWrite()) return 'holds';
    return this.pending.size > 0 ? 'awaits' : '';
  }

  /** @internal */
  detach(): void {
    this.#gate = DETACHED;
  }

  #refuse(form: string): never {
    throw this.#gate === DETACHED ? new DetachedError() : new CannotBlockError(form);
  }

  #notHeld(form: string, pair: string): never {
    if (this.#gate === DETACHED) throw new DetachedError();
    throw new NotOwnerError(`${form}() without a ${pair}() of this thread to end (guards have their own release())`);
  }
}

/** Never early: the clock may be almost a millisecond behind. Means nothing without a time limit. */
function giveUpAtMs(timeoutMs: number): number {
  return (clockMs() + Math.ceil(timeoutMs) + 1) | 0;
}

function checkBody(body: unknown): void {
  check(typeof body === 'function', 'body', 'a function', body, TypeError);
}
