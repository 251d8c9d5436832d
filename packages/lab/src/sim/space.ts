/** The memory of a simulation: a space as the library formats it, with an agent record for each thread. */
import { LockSpace } from 'rwsem';
import type * as Layout from '../../../rwsem/dist/core/layout.js';
import type { PolicyOptions } from '../locks/lock.ts';

const layout = (await import(new URL('./core/layout.js', import.meta.resolve('rwsem')).href)) as typeof Layout;

/** In the order of the counters. */
const EVENT_NAMES = [
  'sleepReader', 'sleepWriter', 'wakeReader', 'wakeWriter', 'optLock', 'optFail', 'optNospin', 'rlock', 'rlockSteal',
  'rlockFast', 'rlockFail', 'rlockHandoff', 'wlock', 'wlockFail', 'wlockHandoff', 'wlockGrant', 'asyncLocalWake',
];

/** Of the one lock: it follows the header. Known beforehand, so that programs are lowered for it. */
export const LOCK_AT = layout.HEADER_WORDS;

export interface SimulatedSpace {
  mem: Int32Array;
  agents: number[];
  parkedWord(thread: number): number;
  events(): Record<string, number>;
  /** Words of the idle lock, which must be 0 when nobody is under way. */
  count(): number;
}

export function createSpace(threads: number, policy: PolicyOptions): SimulatedSpace {
  const { buffer, byteOffset } = LockSpace.create({ policy, locks: 1, agents: threads, waiters: 1 }).handle;
  const shared = new Int32Array(buffer, byteOffset);
  const mem = new Int32Array(shared); // ordinary memory: only one real thread works on it
  const first = mem[layout.AGENTS_AT]!;
  const agents = Array.from({ length: threads }, (_, thread) => first + thread * layout.AGENT_WORDS);
  agents.forEach((at, thread) => {
    const tag = (1 << layout.INCARNATION_SHIFT) | ((thread + 1) << layout.AGENT_ID_SHIFT);
    mem[at + layout.AGENT_STATE] = 3;
    mem[at + layout.AGENT_TAG] = tag;
    mem[at + layout.CAN_BLOCK] = 1;
    mem[at + layout.MAY_SPIN] = 1;
    mem[at + layout.BLOCKING_WAITER + layout.WAITER_AGENT] = at;
    mem[at + layout.BLOCKING_WAITER + layout.WAITER_TAG] = tag;
  });
  if (mem[layout.LOCKS_AT] !== LOCK_AT) throw new Error(`the lock is at ${mem[layout.LOCKS_AT]}, not ${LOCK_AT}`);
  return {
    mem,
    agents,
    parkedWord: (thread) => agents[thread]! + layout.PARKED,
    events: () => Object.fromEntries(EVENT_NAMES.map((name, event) => [name, agents.reduce((sum, at) => sum + mem[at + layout.EVENTS + event]!, 0)])),
    count: () => mem[LOCK_AT + layout.COUNT]!,
  };
}
