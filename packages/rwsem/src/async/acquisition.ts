/** One pending async acquisition: its promise, its time limit, its signal. */

import type { RwSem } from '../rwsem.ts';
import type { ReadGuard, WriteGuard } from '../guard.ts';
import type { CheckedAcquire } from '../options.ts';
import { LONGEST_MS } from '../options.ts';
import { TimeoutError } from '../errors.ts';
import type { AsyncAgent } from './async-agent.ts';

export type Mode = 'read' | 'write';

export class Acquisition {
  readonly lock: RwSem;
  readonly mode: Mode;
  readonly options: CheckedAcquire;
  /** Its waiter record, 0 while it queues inside the thread. */
  waiter = 0;
  settled = false;
  /** In the queue inside the thread, with these neighbours. */
  isInside = false;
  before: Acquisition | null = null;
  after: Acquisition | null = null;

  readonly #resolve: (guard: ReadGuard & WriteGuard) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #agent: AsyncAgent;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    lock: RwSem,
    mode: Mode,
    options: CheckedAcquire,
    agent: AsyncAgent,
    resolve: (guard: never) => void,
    reject: (reason: unknown) => void,
  ) {
    this.lock = lock;
    this.mode = mode;
    this.options = options;
    this.#agent = agent;
    this.#resolve = resolve as (guard: ReadGuard & WriteGuard) => void;
    this.#reject = reject;
  }

  /** Listens for the abort. First of all, since it runs code of the user's, which may throw. */
  listen(): void {
    this.options.signal?.addEventListener('abort', this, { once: true });
  }

  startTimer(): void {
    const { timeoutMs } = this.options;
    if (timeoutMs >= LONGEST_MS) return;
    this.#timer = setTimeout(() => this.#agent.cancel(this, () => new TimeoutError(this.mode, timeoutMs)), timeoutMs);
  }

  /** The abort event. */
  handleEvent(): void {
    this.#agent.cancel(this, () => this.options.signal?.reason as unknown);
  }

  /** Without a reason the lock is held: hand out the guard. */
  settle(reason?: () => unknown): void {
    this.settled = true;
    clearTimeout(this.#timer);
    try {
      this.options.signal?.removeEventListener('abort', this);
    } catch {
      // A signal that refuses must not cost the caller the lock or the error.
    }
    if (!reason) return this.#resolve(this.lock.makeGuard(this.mode) as ReadGuard & WriteGuard);
    try {
      this.#reject(reason());
    } catch (error) {
      this.#reject(error);
    }
  }
}
