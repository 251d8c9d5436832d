/**
 * Where a lowered thread stops: the operations it hands to the machine. Everything between two of them is
 * local and takes no simulated time.
 */
export const LOAD = 1;
export const STORE = 2;
export const ADD = 3;
export const SUB = 4;
export const AND = 5;
export const OR = 6;
export const EXCHANGE = 7;
export const COMPARE_EXCHANGE = 8;
export const RELAXED_LOAD = 9;
export const RELAXED_STORE = 10;
/** The last that touches memory and nothing else. */
export const LAST_ACCESS = RELAXED_STORE;
export const WAIT = 11;
export const NOTIFY = 12;
export const PAUSE = 13;
export const CLOCK_MS = 14;
export const CLOCK_US = 15;
/** Inside the lock: the critical section of the workload. */
export const HOLD = 16;
export const THINK = 17;
/** Many turns of a spin loop at once. */
export const SPIN = 18;

export const ATOMICS: Readonly<Record<string, number>> = {
  load: LOAD,
  store: STORE,
  add: ADD,
  sub: SUB,
  and: AND,
  or: OR,
  exchange: EXCHANGE,
  compareExchange: COMPARE_EXCHANGE,
  wait: WAIT,
  notify: NOTIFY,
};

/** Functions that the machine provides instead of the modules `env`, `memory` and `intrinsics`. */
export const INTRINSICS: Readonly<Record<string, number>> = {
  relaxedLoad: RELAXED_LOAD,
  relaxedStore: RELAXED_STORE,
  pause: PAUSE,
  clockMs: CLOCK_MS,
  spinClockUs: CLOCK_US,
  hold: HOLD,
  think: THINK,
};

/** Called at once, in no time: how the workload talks to whoever counts and checks. */
export const HOST_CALLS: ReadonlySet<string> = new Set(['nextOperation', 'entered', 'leaving']);

/** A load that has its value already, and only takes time. */
export const LOADED = 19;
