/**
 * How other threads reach this thread's event loop, and what keeps the loop alive meanwhile.
 *
 * One `Atomics.waitAsync` is outstanding per agent, however many acquisitions are pending: promises
 * of `waitAsync` that nobody notifies are never freed. They keep no runtime alive either, so one
 * ordinary interval timer does, while it is needed. Where nobody can ring, because the engine has no
 * `waitAsync` or because all waiter records are taken, the same timer looks every POLL_MS.
 */

import { BELL } from '../core/layout.ts';
import type { AgentRecord } from '../agent.ts';

const POLL_MS = 2;
/** Long, and still within the 31 bits that timers take. */
const KEEP_ALIVE_MS = 0x3fffffff;

/** Not every engine has `waitAsync`. */
const atomics = Atomics as {
  waitAsync?(mem: Int32Array, at: number, value: number): { async: boolean; value: string | Promise<string> };
};

export class Doorbell {
  readonly #mem: Int32Array;
  readonly #at: number;
  readonly #onRing: () => void;
  #isArmed = false;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** 0 without a timer. */
  #everyMs = 0;

  constructor(mem: Int32Array, agent: AgentRecord, onRing: () => void) {
    this.#mem = mem;
    this.#at = agent.at + BELL;
    this.#onRing = onRing;
  }

  /** From here on every ring is answered. Rings before that may have been missed: look yourself. */
  arm(): void {
    if (this.#isArmed || !atomics.waitAsync) return;
    const rung = Atomics.load(this.#mem, this.#at);
    const wait = atomics.waitAsync(this.#mem, this.#at, rung);
    this.#isArmed = true;
    // Weak: the wait may stay outstanding for ever, and must not hold the space for so long.
    const self = new WeakRef(this);
    void Promise.resolve(wait.value).then(() => self.deref()?.answer());
  }

  /** The wait has ended. */
  answer(): void {
    this.#isArmed = false;
    this.#onRing();
  }

  /** Keeps the thread alive as long as that is needed, and looks now and then if nobody can ring. */
  keepAlive(needed: boolean, poll: boolean): void {
    const everyMs = !needed ? 0 : poll || !atomics.waitAsync ? POLL_MS : KEEP_ALIVE_MS;
    if (everyMs === this.#everyMs) return;
    clearInterval(this.#timer);
    this.#everyMs = everyMs;
    if (needed) this.#timer = setInterval(this.#onRing, everyMs);
  }

  /** Ends the outstanding wait, if any. */
  close(): void {
    if (this.#isArmed) Atomics.notify(this.#mem, this.#at);
  }
}
