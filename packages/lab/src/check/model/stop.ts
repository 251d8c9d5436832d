/** Where steps begin, and what is known about each. */
import type { Routine } from '../../lower/ir.ts';
import type { Place } from '../../lower/module.ts';

/** A place between two steps of a thread. */
export interface Stop {
  routine: Routine;
  /** The first instruction of its step. */
  at: number;
  /** It goes on to the next stop at once: it is no access of its own. */
  chains: boolean;
  /** It waits until the wait lock is free. */
  needsFreeWaitLock: boolean;
  /** Here after a sleep that ends by itself. */
  timed: boolean;
  place: Place | undefined;
  access: string;
  /** Who is inside stays here for as long as it likes. */
  lingers: boolean;
  /** Where it may go on at, if that is all that happens. */
  alternatives?: readonly number[];
}

/** A place where anything of this may be the case. */
export interface Choice {
  /** What is chosen. */
  name: string;
  place: Place;
  values: readonly number[];
}

/** What is kept of a routine's locals from stop to stop. */
export interface Frames {
  /** By instruction: the locals that are needed there. */
  live: readonly ReadonlySet<number>[];
  /** By local: its place in the frame. */
  places: ReadonlyMap<number, number>;
}
