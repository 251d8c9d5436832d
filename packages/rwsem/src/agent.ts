/** Agent records: a thread's place in a space. Claimed by compare-exchange, so that nothing is left
 * half done if a thread ends on the way. */

import {
  AGENTS_AT,
  AGENT_CAPACITY,
  AGENT_ID_SHIFT,
  AGENT_STATE,
  AGENT_TAG,
  AGENT_WORDS,
  BLOCKING_WAITER,
  CAN_BLOCK,
  INCARNATION_MASK,
  INCARNATION_SHIFT,
  MAY_SPIN,
  PARKED,
  PROBE,
  WAITER_AGENT,
  WAITER_TAG,
  WAKE_COUNT,
} from './core/layout.ts';
import { SpaceFullError } from './errors.ts';
import { canBlock, hasSeveralCores } from './host.ts';

export interface AgentRecord {
  /** 1 to the capacity of the space. */
  id: number;
  /** Index of the record's first word. */
  at: number;
  /** Identity in owner words: id and incarnation. */
  tag: number;
  canBlock: boolean;
}

export function agentRecords(mem: Int32Array): number[] {
  const first = mem[AGENTS_AT] as number;
  return Array.from({ length: mem[AGENT_CAPACITY] as number }, (_, i) => first + i * AGENT_WORDS);
}

export function claimAgent(mem: Int32Array): AgentRecord {
  const records = agentRecords(mem);
  for (const [i, at] of records.entries()) {
    const state = Atomics.load(mem, at + AGENT_STATE);
    if ((state & 1) !== 0) continue;
    const incarnation = ((state >>> 1) + 1) & INCARNATION_MASK;
    if (Atomics.compareExchange(mem, at + AGENT_STATE, state, (incarnation << 1) | 1) !== state) continue;
    const id = i + 1;
    const tag = (incarnation << INCARNATION_SHIFT) | (id << AGENT_ID_SHIFT);
    const agent = { id, at, tag, canBlock: canBlock() };
    mem[at + CAN_BLOCK] = agent.canBlock ? 1 : 0;
    mem[at + MAY_SPIN] = hasSeveralCores() ? 1 : 0;
    mem[at + PARKED] = 0;
    mem[at + WAKE_COUNT] = 0;
    mem[at + BLOCKING_WAITER + WAITER_AGENT] = at;
    mem[at + BLOCKING_WAITER + WAITER_TAG] = tag;
    Atomics.store(mem, at + AGENT_TAG, tag);
    return agent;
  }
  throw new SpaceFullError(records.length);
}

/** Gives the record back, unless it is no longer this incarnation's. */
export function releaseAgent(mem: Int32Array, at: number, tag: number): void {
  const state = Atomics.load(mem, at + AGENT_STATE);
  if ((state & 1) === 0 || Atomics.load(mem, at + AGENT_TAG) !== tag) return;
  Atomics.store(mem, at + AGENT_TAG, 0);
  Atomics.compareExchange(mem, at + AGENT_STATE, state, state & ~1);
}

/**
 * Are two views views of the same memory? Asked of the word that belongs to this thread's own agent,
 * by changing it through one view and looking through the other.
 */
export function isSameMemory(a: Int32Array, b: Int32Array, agent: number): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < 2; i++) {
    const next = (Atomics.load(b, agent + PROBE) ^ 0x2545f491) | 0;
    Atomics.store(a, agent + PROBE, next);
    if (Atomics.load(b, agent + PROBE) !== next) return false;
  }
  return true;
}
