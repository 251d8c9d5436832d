/** The counters of slow-path events by name: one list, in the order of their words. */

import { EVENTS } from './core/layout.ts';

/**
 * Sums over all agents since the space was made, modulo 2^32. The names are the kernel's. Acquisitions that succeed at the first
 * attempt are not counted.
 */
export interface LockEvents {
  /** A queued reader slept. */
  sleepReader: number;
  /** A queued writer slept. */
  sleepWriter: number;
  /** Readers granted by a waker. */
  wakeReader: number;
  /** A queued writer was told to try. */
  wakeWriter: number;
  /** A spinner took the write lock. */
  optLock: number;
  /** A spinner gave up. */
  optFail: number;
  /** The time for spinning on readers ran out. */
  optNospin: number;
  /** A read lock was got by queueing. */
  rlock: number;
  /** A read lock was stolen in the slow path. */
  rlockSteal: number;
  /** A reader left the slow path at once: nobody to wait for. */
  rlockFast: number;
  /** A queued reader was cancelled. */
  rlockFail: number;
  /** Handoff was set for a queued reader. */
  rlockHandoff: number;
  /** A write lock was got by queueing. */
  wlock: number;
  /** A queued writer was cancelled. */
  wlockFail: number;
  /** Handoff was set for a queued writer. */
  wlockHandoff: number;
  /** A waker transferred the write lock to a queued writer. */
  wlockGrant: number;
  /** A waker signalled an async waiter of its own thread. */
  asyncLocalWake: number;
}

/** In the order of their words. */
const EVENT_NAMES = [
  'sleepReader',
  'sleepWriter',
  'wakeReader',
  'wakeWriter',
  'optLock',
  'optFail',
  'optNospin',
  'rlock',
  'rlockSteal',
  'rlockFast',
  'rlockFail',
  'rlockHandoff',
  'wlock',
  'wlockFail',
  'wlockHandoff',
  'wlockGrant',
  'asyncLocalWake',
] as const;

/** Any thread may look at any time; the counters of running threads may be a moment old. */
export function sumEvents(mem: Int32Array, agents: readonly number[]): LockEvents {
  const sumOf = (event: number): number => agents.reduce((sum, agent) => (sum + Atomics.load(mem, agent + EVENTS + event)) >>> 0, 0);
  return Object.fromEntries(EVENT_NAMES.map((name, event) => [name, sumOf(event)])) as Record<(typeof EVENT_NAMES)[number], number>;
}
