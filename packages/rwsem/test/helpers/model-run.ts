/** Runs a program on locks and models side by side, and tells when they part. */
import assert from 'node:assert/strict';
import { setImmediate as immediate } from 'node:timers/promises';
import { LockSpace, type LockSpaceOptions, type ReadGuard, type RwSem, TimeoutError, type WriteGuard } from 'rwsem';
// White box: what an idle space looks like.
import * as layout from '../../dist/core/layout.js';
import type { Command, Form } from './model-program.ts';
import { ModelLock, type Mode, type Ticket } from './stress-model.ts';

/**
 * All that is waited for happens in this event loop, in microtasks or within its polls every few
 * milliseconds. So many turns and milliseconds without anything are a hang.
 */
const HANG_TURNS = 100;
const HANG_MS = 100;

const LARGE_MS = 1_000_000;

/** One acquisition and what has become of it. */
class Task implements Ticket {
  readonly number: number;
  readonly lock: number;
  readonly mode: Mode;
  readonly form: Form;
  controller: AbortController | undefined;
  readonly reason = Symbol('aborted');
  state: 'pending' | 'held' | 'refused' | 'done' = 'pending';
  /** What is held now: a downgraded write is a read. */
  heldMode: Mode;
  guard: ReadGuard | WriteGuard | undefined;
  /** Holds that have been given up, to be released again. */
  stale: (ReadGuard | WriteGuard)[] = [];
  error: unknown;
  /** When it was granted: two with the same number were granted between the same two commands. */
  grantedAt = -1;
  abortedWhilePending = false;
  /** Settled at once; only the news of it takes a microtask. */
  isInstant = false;
  /** By the exact model. */
  expected: 'pending' | 'held' | 'refused' = 'pending';
  /** Ends the body of a `with…`; `true` makes it throw. */
  end: ((fails: boolean) => void) | undefined;
  whole: Promise<void> = Promise.resolve();

  constructor(number: number, lock: number, mode: Mode, form: Form) {
    this.number = number;
    this.lock = lock;
    this.mode = mode;
    this.heldMode = mode;
    this.form = form;
  }

  toString(): string {
    return `#${this.number} ${this.mode} ${this.form} of lock ${this.lock}`;
  }
}

export class Run {
  readonly #space: LockSpace;
  readonly #locks: RwSem[];
  readonly #tasks: Task[] = [];
  readonly #models: ModelLock<Task>[];
  readonly #isExact: boolean;
  #now = 0;
  /** Found in a handler, where throwing would go nowhere. */
  #wrong: string | undefined;

  constructor(options: LockSpaceOptions, isExact: boolean) {
    this.#space = LockSpace.create({ locks: 2, agents: 1, ...options });
    this.#locks = [this.#space.rwsem(0), this.#space.rwsem(1)];
    this.#isExact = isExact;
    this.#models = this.#locks.map(() => new ModelLock<Task>((task) => (task.expected = 'held')));
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      this.#now++;
      if (command.do === 'acquire') this.#acquire(command);
      else if (command.do === 'release') {
        // No turn of the event loop that the program does not ask for: hence no needless await.
        const released = this.#release(this.#pick(command.which, (task) => task.state === 'held'), command.which);
        if (released) await released;
      } else if (command.do === 'release again') for (const guard of this.#pick(command.which, (task) => task.stale.length > 0)?.stale ?? []) guard.release();
      else if (command.do === 'downgrade') this.#downgrade(this.#pick(command.which, (task) => task.state === 'held' && task.heldMode === 'write'));
      else this.#abort(this.#pick(command.which, (task) => task.controller !== undefined && !task.controller.signal.aborted));
      this.#check();
      if (command.after !== 'none') await this.#yield(command.after);
    }
    await this.#drain();
  }

  #pick(which: number, suits: (task: Task) => boolean): Task | undefined {
    const candidates = this.#tasks.filter(suits);
    return candidates[which % candidates.length];
  }

  #acquire(command: Extract<Command, { do: 'acquire' }>): void {
    const { form, mode, timeout, signal, urgent } = command;
    const task = new Task(this.#tasks.length, command.lock, mode, form);
    this.#tasks.push(task);
    const lock = this.#locks[task.lock] as RwSem;
    const model = this.#models[task.lock] as ModelLock<Task>;
    if (form === 'try') {
      const isQueued = lock.inspect().waiters.length > 0;
      const guard = mode === 'read' ? lock.tryRead() : lock.tryWrite();
      if (guard && isQueued) this.#wrong ??= `${task} overtook the queue`;
      if (!model.tryAcquire(task)) task.expected = 'refused';
      if (guard) this.#granted(task, guard);
      else task.state = 'refused';
      return;
    }
    const options: Parameters<RwSem['readAsync']>[0] = { urgent };
    if (timeout !== 'none') options.timeoutMs = timeout === 'zero' ? 0 : LARGE_MS;
    if (signal !== 'none') {
      const controller = new AbortController();
      options.signal = controller.signal;
      if (signal === 'live') task.controller = controller;
      else controller.abort(task.reason);
    }
    const isPlain = timeout === 'none' && signal === 'none' && !urgent;

    task.isInstant = signal === 'aborted' || timeout === 'zero';
    if (signal === 'aborted') task.expected = 'refused';
    else if (timeout !== 'zero') model.acquire(task);
    else if (!model.tryAcquire(task)) task.expected = 'refused';

    const refused = (error: unknown): void => {
      if (task.state !== 'pending') this.#wrong ??= `${task} was refused after it had been ${task.state}`;
      task.state = 'refused';
      task.error = error;
      const allowed: unknown[] = signal === 'none' ? [] : [task.reason];
      const isTimeout = error instanceof TimeoutError && timeout === 'zero';
      if (!isTimeout && !allowed.includes(error)) this.#wrong ??= `${task} failed with ${String(error)}`;
      if (error === task.reason && signal === 'live' && !task.controller?.signal.aborted) this.#wrong ??= `${task} was aborted by nobody`;
    };
    if (form === 'async') {
      const acquiring = mode === 'read' ? lock.readAsync(isPlain ? undefined : options) : lock.writeAsync(isPlain ? undefined : options);
      task.whole = acquiring.then((guard) => this.#granted(task, guard), refused);
      return;
    }
    const failure = new Error('the body fails');
    let fails = false;
    const body = (guard: ReadGuard | WriteGuard): Promise<number> => {
      this.#granted(task, guard);
      return new Promise((resolve, reject) => {
        task.end = (shallFail) => {
          fails = shallFail;
          if (shallFail) reject(failure);
          else resolve(task.number);
        };
      });
    };
    const running = mode === 'read' ? lock.withRead(body, isPlain ? undefined : options) : lock.withWrite(body, isPlain ? undefined : options);
    task.whole = running.then(
      (value) => {
        if (fails || value !== task.number) this.#wrong ??= `${task} gave ${String(value)}`;
      },
      (error: unknown) => {
        if (task.end === undefined) refused(error);
        else if (!fails || error !== failure) this.#wrong ??= `${task} failed with ${String(error)} after its body ran`;
      },
    );
  }

  #granted(task: Task, guard: ReadGuard | WriteGuard): void {
    if (task.state !== 'pending') this.#wrong ??= `${task} was granted after it had been ${task.state}`;
    const others = this.#tasks.filter((other) => other.lock === task.lock && other.state === 'held');
    if (others.some((other) => other.heldMode === 'write' || task.mode === 'write')) {
      this.#wrong ??= `${task} was granted beside ${others.join(', ')}`;
    }
    if (!guard.held || guard.mode !== task.mode) this.#wrong ??= `${task} got a guard that is no ${task.mode} hold`;
    task.state = 'held';
    task.guard = guard;
    task.grantedAt = this.#now;
    this.#checkOrder(task);
  }

  /** First come, first served, but for readers granted together with a reader in front of them. */
  #checkOrder(task: Task): void {
    if (task.form === 'try') return; // it comes past whoever has been granted and not told yet, or queues inside the thread
    const isBefore = (other: Task): boolean => other.lock === task.lock && other.number < task.number;
    const isWaiting = (other: Task): boolean => other.state === 'pending' && !other.isInstant && !other.abortedWhilePending;
    const overtaken = this.#tasks.find((other) => isBefore(other) && isWaiting(other));
    if (overtaken === undefined) return;
    const leader = this.#tasks.find(
      (other) => isBefore(other) && other.number < overtaken.number && other.mode === 'read' && other.grantedAt === this.#now,
    );
    if (task.mode === 'write' || (overtaken.mode === 'write' && !leader)) this.#wrong ??= `${task} overtook ${overtaken}`;
  }

  /** In some `with…` forms the library releases, some microtasks later; then there is something to await. */
  #release(task: Task | undefined, which: number): Promise<void> | undefined {
    if (task === undefined) return undefined;
    const { guard, end } = task;
    if (!guard?.held) this.#wrong ??= `${task} does not hold what it was granted`;
    task.state = 'done';
    if (end !== undefined && which % 3 > 0) return this.#endBody(task, which % 3 === 1);
    guard?.release();
    this.#released(task);
    end?.(false);
    return undefined;
  }

  async #endBody(task: Task, fails: boolean): Promise<void> {
    task.end?.(fails);
    await task.whole;
    this.#released(task);
    await this.#yield('immediate');
  }

  #released(task: Task): void {
    if (task.guard?.held) this.#wrong ??= `${task} holds what it released`;
    if (task.guard) task.stale.push(task.guard);
    (this.#models[task.lock] as ModelLock<Task>).release(task.heldMode);
  }

  #downgrade(task: Task | undefined): void {
    if (task === undefined) return;
    const writer = task.guard as WriteGuard;
    task.guard = writer.downgrade();
    task.heldMode = 'read';
    task.stale.push(writer);
    (this.#models[task.lock] as ModelLock<Task>).downgrade();
  }

  #abort(task: Task | undefined): void {
    if (task === undefined) return;
    if (task.state === 'pending') task.abortedWhilePending = true;
    task.controller?.abort(task.reason);
    if ((this.#models[task.lock] as ModelLock<Task>).cancel(task)) task.expected = 'refused';
  }

  async #yield(kind: 'microtask' | 'immediate'): Promise<void> {
    if (kind === 'microtask') await null;
    else await immediate();
    for (const model of this.#models) model.turn();
    this.#check();
    if (kind === 'immediate' && this.#isExact) {
      for (const task of this.#tasks) {
        const state = task.state === 'done' ? 'held' : task.state;
        assert.equal(state, task.expected, `${task} should be ${task.expected} by now`);
      }
    }
  }

  #check(): void {
    if (this.#wrong !== undefined) assert.fail(this.#wrong);
    if (!this.#isExact) return;
    this.#models.forEach((model, i) => {
      const { mode, readers, waiters, handoff } = (this.#locks[i] as RwSem).inspect();
      assert.deepEqual(
        { mode, readers, handoff, waiters: waiters.map((waiter) => waiter.mode) },
        { mode: model.mode, readers: model.readers, handoff: false, waiters: model.queue.map((task) => task.mode) },
        `lock ${i}`,
      );
    });
  }

  /** Nobody gives up any more: whoever holds releases until everybody has had a turn. */
  async #drain(): Promise<void> {
    let since = performance.now();
    for (let turns = 0; ; turns++) {
      this.#now++;
      await this.#yield('immediate');
      const held = this.#tasks.filter((task) => task.state === 'held');
      for (const [i, task] of held.entries()) {
        const released = this.#release(task, i);
        if (released) await released;
      }
      if (held.length > 0) {
        turns = 0;
        since = performance.now();
        continue;
      }
      const pending = this.#tasks.filter((task) => task.state === 'pending');
      if (pending.length === 0) break;
      if (turns > HANG_TURNS && performance.now() - since > HANG_MS) {
        assert.fail(`never settled: ${pending.join(', ')}\n${this.#locks.map((lock) => JSON.stringify(lock.inspect())).join('\n')}`);
      }
    }
    await Promise.all(this.#tasks.map((task) => task.whole));
    this.#check();
    this.#expectIdle();
    this.#space.detach();
  }

  #expectIdle(): void {
    const { buffer, byteOffset } = this.#space.handle;
    const mem = new Int32Array(buffer, byteOffset);
    this.#locks.forEach((lock, i) => {
      assert.deepEqual(lock.inspect(), { mode: 'free', readers: 0, owner: null, handoff: false, waiters: [] });
      const at = (mem[layout.LOCKS_AT] as number) + i * layout.LOCK_WORDS;
      for (const word of [layout.COUNT, layout.HEAD, layout.TAIL, layout.WAIT_LOCK]) assert.equal(mem[at + word], 0);
    });
    assert.equal(mem[layout.WAITERS_USED], 0, 'no waiter record is in use');
  }
}
