/**
 * The queue of waiters of one lock: first come, first served, doubly linked through the waiter
 * records. Everything here needs the wait lock.
 *
 *      HEAD ──▶ ┌────────┐ NEXT ┌────────┐ NEXT ┌────────┐ ◀── TAIL
 *               │ writer │ ───▶ │ reader │ ───▶ │ reader │
 *               └────────┘ ◀─── └────────┘ ◀─── └────────┘
 *                          PREV            PREV
 *
 * The forward chain is the truth: it is whole after every single store. TAIL and PREV can be rebuilt
 * from it.
 */

import {
  GRANT,
  HANDOFF_AT_MS,
  HANDOFF_AT_ONCE,
  HANDOFF_RULE,
  HANDOFF_SET,
  HANDOFF_TIMED,
  HEAD,
  KIND,
  NEXT,
  PREV,
  SINCE_MS,
  TAIL,
  WAITER_LOCK,
  WAITING,
  WRITE_WAITER,
  ASYNC_WAITER,
  HANDOFF_NEVER,
  NEVER_MS,
  POLICY_HANDOFF_AFTER_MS,
} from './layout.ts';
import { clockMs } from './env.ts';
import { relaxedLoad, relaxedStore } from './memory.ts';

export function isWriteWaiter(mem: Int32Array, waiter: number): boolean {
  return (relaxedLoad(mem, waiter + KIND) & WRITE_WAITER) !== 0;
}

export function isAsyncWaiter(mem: Int32Array, waiter: number): boolean {
  return (relaxedLoad(mem, waiter + KIND) & ASYNC_WAITER) !== 0;
}

/** Fills in the record before it is queued; the wait lock is not needed yet. */
export function prepareWaiter(mem: Int32Array, lock: number, waiter: number, kind: number, urgent: boolean): void {
  const now = clockMs();
  const handoffAfterMs = relaxedLoad(mem, POLICY_HANDOFF_AFTER_MS);
  let rule = HANDOFF_TIMED;
  if (urgent || handoffAfterMs === 0) rule = HANDOFF_AT_ONCE;
  else if (handoffAfterMs === NEVER_MS) rule = HANDOFF_NEVER;
  relaxedStore(mem, waiter + KIND, kind);
  relaxedStore(mem, waiter + SINCE_MS, now);
  relaxedStore(mem, waiter + HANDOFF_RULE, rule);
  relaxedStore(mem, waiter + HANDOFF_AT_MS, (now + handoffAfterMs) | 0);
  relaxedStore(mem, waiter + HANDOFF_SET, 0);
  relaxedStore(mem, waiter + WAITER_LOCK, lock);
  Atomics.store(mem, waiter + GRANT, WAITING);
}

export function append(mem: Int32Array, lock: number, waiter: number): void {
  const tail = relaxedLoad(mem, lock + TAIL);
  relaxedStore(mem, waiter + NEXT, 0);
  relaxedStore(mem, waiter + PREV, tail);
  if (tail === 0) relaxedStore(mem, lock + HEAD, waiter);
  else relaxedStore(mem, tail + NEXT, waiter);
  relaxedStore(mem, lock + TAIL, waiter);
  hurryThoseBefore(mem, waiter);
}

/** Gives the waiter the place of another that is queued, which moves back by one. */
export function insertBefore(mem: Int32Array, lock: number, waiter: number, other: number): void {
  const prev = relaxedLoad(mem, other + PREV);
  relaxedStore(mem, waiter + NEXT, other);
  relaxedStore(mem, waiter + PREV, prev);
  if (prev === 0) relaxedStore(mem, lock + HEAD, waiter);
  else relaxedStore(mem, prev + NEXT, waiter);
  relaxedStore(mem, other + PREV, waiter);
  // Only the head has asked for handoff (I11), and it may not be the head any more.
  relaxedStore(mem, waiter + HANDOFF_SET, relaxedLoad(mem, other + HANDOFF_SET));
  relaxedStore(mem, other + HANDOFF_SET, 0);
  hurryThoseBefore(mem, other);
  hurryThoseBefore(mem, waiter);
}

/**
 * Whoever is in front of an urgent waiter is as urgent: it is overtaken as often as they are. So all of
 * them up to the last urgent one are, and the walk ends at the first that is.
 */
function hurryThoseBefore(mem: Int32Array, waiter: number): void {
  if (relaxedLoad(mem, waiter + HANDOFF_RULE) !== HANDOFF_AT_ONCE) return;
  let before = relaxedLoad(mem, waiter + PREV);
  while (before !== 0 && relaxedLoad(mem, before + HANDOFF_RULE) !== HANDOFF_AT_ONCE) {
    relaxedStore(mem, before + HANDOFF_RULE, HANDOFF_AT_ONCE);
    before = relaxedLoad(mem, before + PREV);
  }
}

/** Takes the waiter out and scrubs its links. */
export function unlink(mem: Int32Array, lock: number, waiter: number): void {
  const next = relaxedLoad(mem, waiter + NEXT);
  const prev = relaxedLoad(mem, waiter + PREV);
  if (prev === 0) relaxedStore(mem, lock + HEAD, next);
  else relaxedStore(mem, prev + NEXT, next);
  if (next === 0) relaxedStore(mem, lock + TAIL, prev);
  else relaxedStore(mem, next + PREV, prev);
  relaxedStore(mem, waiter + NEXT, 0);
  relaxedStore(mem, waiter + PREV, 0);
}

export function isOnlyWaiter(mem: Int32Array, lock: number, waiter: number): boolean {
  return relaxedLoad(mem, lock + HEAD) === waiter && relaxedLoad(mem, lock + TAIL) === waiter;
}
