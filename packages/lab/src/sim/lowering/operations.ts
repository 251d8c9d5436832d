/**
 * Where a lowered thread stops: the operations it hands to the machine. Everything between two of them is
 * local and takes no simulated time.
 */
import type { AccessKind } from '../../lower/ir.ts';

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

/** Accesses by their name in the source. */
export const ACCESSES: Readonly<Record<AccessKind, number>> = {
  load: LOAD,
  store: STORE,
  add: ADD,
  sub: SUB,
  and: AND,
  or: OR,
  exchange: EXCHANGE,
  compareExchange: COMPARE_EXCHANGE,
  relaxedLoad: RELAXED_LOAD,
  relaxedStore: RELAXED_STORE,
  wait: WAIT,
  notify: NOTIFY,
};

/** Functions that the machine provides instead of the modules `env` and `intrinsics`. */
export const OPERATIONS: Readonly<Record<string, number>> = {
  pause: PAUSE,
  clockMs: CLOCK_MS,
  spinClockUs: CLOCK_US,
  hold: HOLD,
  think: THINK,
};

/** Called at once, in no time: how the workload talks to whoever counts and checks. */
export const HOST_CALLS: ReadonlySet<string> = new Set(['nextOperation', 'entered', 'leaving']);

/** Of what is provided, that which has a result. */
export const WITH_RESULT: ReadonlySet<string> = new Set(['clockMs', 'spinClockUs', 'nextOperation']);

/** At the head of a spin loop (`spin-loops.ts`): its number, and the locals that the machine looks at. */
export const SPIN_INTRINSIC = 'spin';
/** On the way into one: its level. What came before is not a turn. */
export const BEGIN_SPIN_INTRINSIC = 'beginSpin';

/** A load that has its value already, and only takes time. */
export const LOADED = 19;
