/** The counters of slow-path events by name: one list, in the order of their words. */

import {
  ASYNC_LOCAL_WAKE,
  EVENTS,
  OPT_FAIL,
  OPT_LOCK,
  OPT_NOSPIN,
  RLOCK,
  RLOCK_FAIL,
  RLOCK_FAST,
  RLOCK_HANDOFF,
  RLOCK_STEAL,
  SLEEP_READER,
  SLEEP_WRITER,
  WAKE_READER,
  WAKE_WRITER,
  WLOCK,
  WLOCK_FAIL,
  WLOCK_GRANT,
  WLOCK_HANDOFF,
} from './core/layout.ts';

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

const EVENT_WORDS: Readonly<Record<keyof LockEvents, number>> = {
  sleepReader: SLEEP_READER,
  sleepWriter: SLEEP_WRITER,
  wakeReader: WAKE_READER,
  wakeWriter: WAKE_WRITER,
  optLock: OPT_LOCK,
  optFail: OPT_FAIL,
  optNospin: OPT_NOSPIN,
  rlock: RLOCK,
  rlockSteal: RLOCK_STEAL,
  rlockFast: RLOCK_FAST,
  rlockFail: RLOCK_FAIL,
  rlockHandoff: RLOCK_HANDOFF,
  wlock: WLOCK,
  wlockFail: WLOCK_FAIL,
  wlockHandoff: WLOCK_HANDOFF,
  wlockGrant: WLOCK_GRANT,
  asyncLocalWake: ASYNC_LOCAL_WAKE,
};

/** Any thread may look at any time; the counters of running threads may be a moment old. */
export function sumEvents(mem: Int32Array, agents: readonly number[]): LockEvents {
  const sums = {} as LockEvents;
  for (const [name, event] of Object.entries(EVENT_WORDS) as [keyof LockEvents, number][]) {
    let sum = 0;
    for (const agent of agents) sum = (sum + Atomics.load(mem, agent + EVENTS + event)) >>> 0;
    sums[name] = sum;
  }
  return sums;
}
