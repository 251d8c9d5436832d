/** The async waiter records of a space, claimed one by one. A claim names its agent and incarnation. */

import {
  CLAIMED_BY,
  WAITERS_AT,
  WAITERS_USED,
  WAITER_AGENT,
  WAITER_CAPACITY,
  WAITER_TAG,
  WAITER_WORDS,
} from '../core/layout.ts';
import { asyncTag } from '../core/owner.ts';
import type { AgentRecord } from '../agent.ts';

export class WaiterPool {
  readonly #mem: Int32Array;
  readonly #agent: AgentRecord;
  readonly #capacity: number;
  /** Where to look next; agents start apart. */
  #hint: number;

  constructor(mem: Int32Array, agent: AgentRecord) {
    this.#mem = mem;
    this.#agent = agent;
    this.#capacity = mem[WAITER_CAPACITY] as number;
    this.#hint = (agent.id * 16) % this.#capacity;
  }

  /** A record of this agent's own, or 0 if all are taken. */
  claim(): number {
    const mem = this.#mem;
    // The tickets bound the claims, so that a holder of one finds a record.
    if (Atomics.add(mem, WAITERS_USED, 1) >= this.#capacity) {
      Atomics.sub(mem, WAITERS_USED, 1);
      return 0;
    }
    for (let looks = 2 * this.#capacity; looks > 0; looks--) {
      const waiter = (mem[WAITERS_AT] as number) + this.#hint * WAITER_WORDS;
      this.#hint = (this.#hint + 1) % this.#capacity;
      if (Atomics.load(mem, waiter + CLAIMED_BY) !== 0) continue;
      if (Atomics.compareExchange(mem, waiter + CLAIMED_BY, 0, this.#agent.tag) !== 0) continue;
      mem[waiter + WAITER_AGENT] = this.#agent.at;
      mem[waiter + WAITER_TAG] = asyncTag(this.#agent.tag);
      return waiter;
    }
    Atomics.sub(mem, WAITERS_USED, 1);
    return 0;
  }

  release(waiter: number): void {
    Atomics.store(this.#mem, waiter + CLAIMED_BY, 0);
    Atomics.sub(this.#mem, WAITERS_USED, 1);
  }
}
