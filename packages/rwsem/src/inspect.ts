/** Looking at a lock from outside: for people and for tests, never for decisions. */

import {
  AGENT_CAPACITY,
  COUNT,
  HEAD,
  KIND,
  NEXT,
  OWNER,
  SINCE_MS,
  WAITER_CAPACITY,
  WAITER_TAG,
  ASYNC_WAITER,
  WRITE_WAITER,
} from './core/layout.ts';
import { hasHandoff, isHeld, isWriteLocked, readerCount } from './core/count.ts';
import { clockMs, pause } from './core/env.ts';
import { agentId, isAsyncOwner } from './core/owner.ts';
import { tryWaitLock, unlockWaitLock } from './core/wait-lock.ts';

/** A lock at one moment; stale as soon as it is returned. */
export interface RwSemState {
  mode: 'free' | 'read' | 'write';
  /** How often it is read-held. */
  readers: number;
  /** The writer, or the last reader as a hint; `agent` as in `LockSpace.agent`. */
  owner: { agent: number; async: boolean } | null;
  /** The first waiter has asked that nobody overtake it any more. */
  handoff: boolean;
  /** Queued in shared memory, first in line first. */
  waiters: Array<{ agent: number; mode: 'read' | 'write'; async: boolean; waitedMs: number }>;
}

/** For the wait lock, spinning. It is held for microseconds; a holder that died must not hang us. */
const PATIENCE_MS = 50;
const FIELDS = 3; // per waiter: kind, tag, since

export function inspectLock(mem: Int32Array, lock: number, me: number): RwSemState {
  const capacity = (mem[AGENT_CAPACITY] as number) + (mem[WAITER_CAPACITY] as number);
  const copy = new Int32Array(FIELDS * Math.min(capacity, countWaiters(mem, lock, capacity) + 64));

  const locked = takeWaitLock(mem, lock, me);
  const count = Atomics.load(mem, lock + COUNT);
  const owner = Atomics.load(mem, lock + OWNER);
  let copied = 0;
  for (let waiter = Atomics.load(mem, lock + HEAD); waiter !== 0 && copied < copy.length; copied += FIELDS) {
    copy[copied] = mem[waiter + KIND] as number;
    copy[copied + 1] = mem[waiter + WAITER_TAG] as number;
    copy[copied + 2] = mem[waiter + SINCE_MS] as number;
    waiter = mem[waiter + NEXT] as number;
  }
  if (locked) unlockWaitLock(mem, lock);

  const now = clockMs();
  const waiters: RwSemState['waiters'] = [];
  for (let i = 0; i < copied; i += FIELDS) {
    const kind = copy[i] as number;
    waiters.push({
      agent: agentId(copy[i + 1] as number),
      mode: (kind & WRITE_WAITER) !== 0 ? 'write' : 'read',
      async: (kind & ASYNC_WAITER) !== 0,
      waitedMs: Math.max(0, (now - (copy[i + 2] as number)) | 0),
    });
  }
  const hasOwner = isHeld(count) && agentId(owner) !== 0;
  const readers = isWriteLocked(count) ? 0 : readerCount(count);
  return {
    mode: isWriteLocked(count) ? 'write' : readers > 0 ? 'read' : 'free',
    readers,
    owner: hasOwner ? { agent: agentId(owner), async: isAsyncOwner(owner) } : null,
    handoff: hasHandoff(count),
    waiters,
  };
}

/** `RwSem { write by agent 3, 2 waiting }` */
export function summarize({ mode, readers, owner, handoff, waiters }: RwSemState): string {
  let text: string = mode;
  if (mode === 'write' && owner) text = `write by agent ${owner.agent}`;
  if (mode === 'read') text = `read by ${readers}`;
  if (waiters.length > 0) text += `, ${waiters.length} waiting`;
  if (handoff) text += ', handoff';
  return `RwSem { ${text} }`;
}

/** Without the lock, hence only a guess for how much to allocate, which is not done while holding it. */
function countWaiters(mem: Int32Array, lock: number, capacity: number): number {
  let found = 0;
  for (let waiter = Atomics.load(mem, lock + HEAD); waiter !== 0 && found < capacity; found++) {
    waiter = mem[waiter + NEXT] as number;
  }
  return found;
}

function takeWaitLock(mem: Int32Array, lock: number, me: number): boolean {
  const start = performance.now();
  while (!tryWaitLock(mem, lock, me)) {
    if (performance.now() - start > PATIENCE_MS) return false;
    pause();
  }
  return true;
}
