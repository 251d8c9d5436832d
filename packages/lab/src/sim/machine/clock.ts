/** What a thread is doing, and how long it has: the sum over states is the time that has passed. */
export const STATES = ['running', 'spinning', 'switching', 'ready', 'blocked', 'sleeping', 'ended'] as const;
export const RUNNING = 0;
export const SPINNING = 1;
/** On the way onto a processor: the wake-up of an idle core, the switch. */
export const SWITCHING = 2;
/** Could run, has no processor. */
export const READY = 3;
/** Waits for the lock. */
export const BLOCKED = 4;
/** In a timed sleep of its own: a sleeping section. */
export const SLEEPING = 5;
export const ENDED = 6;

/** The time now, in nanoseconds: one cell that all parts of the machine share, for a number passed around is boxed. */
export type Clock = Float64Array;

export interface Timeline {
  state(thread: number, state: number, from: number, to: number): void;
  held(thread: number, kind: number, from: number, to: number): void;
}

export class Accounts {
  readonly #spent: Float64Array;
  readonly #state: Uint8Array;
  readonly #since: Float64Array;
  readonly #clock: Clock;
  readonly #timeline: Timeline | null;

  constructor(threads: number, clock: Clock, timeline: Timeline | null) {
    this.#clock = clock;
    this.#spent = new Float64Array(threads * STATES.length);
    this.#state = new Uint8Array(threads).fill(READY);
    this.#since = new Float64Array(threads);
    this.#timeline = timeline;
  }

  stateOf(thread: number): number {
    return this.#state[thread]!;
  }

  enter(thread: number, state: number): void {
    const now = this.#clock[0]!;
    const before = this.#state[thread]!;
    const since = this.#since[thread]!;
    const at = thread * STATES.length + before;
    this.#spent[at] = this.#spent[at]! + now - since;
    if (this.#timeline !== null && now > since) this.#timeline.state(thread, before, since, now);
    this.#state[thread] = state;
    this.#since[thread] = now;
  }

  /** Nanoseconds by state, of one thread, up to now. */
  spent(thread: number): number[] {
    this.enter(thread, this.#state[thread]!);
    return Array.from(this.#spent.subarray(thread * STATES.length, (thread + 1) * STATES.length));
  }
}
