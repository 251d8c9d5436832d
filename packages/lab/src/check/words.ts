/** The numbers in a state, as people call them: `2R+A` for a count, `B` for the waiter record of thread B. */
import { AT_OPERATION, CONTROL_WORDS, DOWNGRADING, EARLY_VALUES, GRANTED_READ, INSIDE, PLACES, READS_INSIDE, SLEEP, WRITES_INSIDE } from './model/layout.ts';
import type { LoadedProgram } from './model/model.ts';
import { threadName } from './schedule.ts';

const ADDRESSES = /(HEAD|TAIL|NEXT|PREV|READY|SPIN_LOCKED)$/;

export class WordNames {
  readonly #loaded: LoadedProgram;
  readonly #addresses = new Map<number, string>();
  readonly #grants: Map<number, string>;

  constructor(loaded: LoadedProgram) {
    this.#loaded = loaded;
    const { layout } = loaded.model;
    const word = (name: string): number => layout.word(name);
    for (let thread = 0; thread < loaded.threads; thread++) {
      const agent = layout.agentAt(thread);
      const name = threadName(thread);
      // An agent and its blocking waiter are never in one and the same word.
      this.#addresses.set(agent, name).set(agent + word('BLOCKING_WAITER'), name);
      layout.asyncWaiters.forEach((record, index) => this.#addresses.set(agent + record, `${name}.${'ab'[index]}`));
    }
    this.#grants = new Map(['IDLE', 'WAITING', 'WOKEN', 'GRANTED'].map((name) => [word(name), name]));
  }

  /** What has changed from one state to another, but for frames. */
  changes(before: Int32Array, after: Int32Array): string[] {
    const { model, threads } = this.#loaded;
    const { layout } = model;
    const found: string[] = [];
    layout.names.forEach((name, at) => this.#word(found, name, name, before[at] as number, after[at] as number));
    for (let thread = 0; thread < threads; thread++) {
      const block = model.block(thread);
      const who = threadName(thread);
      const [slept, sleeps] = [before[block + SLEEP] as number, after[block + SLEEP] as number];
      if (slept !== sleeps) found.push(sleeps === 0 ? `${who} awake` : `${who} sleeps on ${this.slotName(sleeps - 1)}`);
      const [held, holds] = [before[block + INSIDE] as number, after[block + INSIDE] as number];
      if (held !== holds) found.push(`${who} ${this.#hold(holds)}`);
      if (before[block + AT_OPERATION] !== after[block + AT_OPERATION]) found.push(`${who} has done operation ${after[block + AT_OPERATION]}`);
      layout.agentNames.forEach((name, index) => {
        const at = block + CONTROL_WORDS + index;
        this.#word(found, `${who}.${name}`, name, before[at] as number, after[at] as number);
      });
      if (model.mode.delayed) found.push(...this.#noted(who, block + layout.delaysAt + EARLY_VALUES, before, after));
    }
    return found;
  }

  /** What a thread may still find, from this step on, in words that have changed. */
  #noted(who: string, table: number, before: Int32Array, after: Int32Array): string[] {
    const entries = (state: Int32Array): [number, number][] => Array.from({ length: PLACES }, (_, index) => [state[table + 2 * index] as number, state[table + 2 * index + 1] as number]);
    const known = new Set(entries(before).map(([address]) => address));
    return entries(after).flatMap(([address, value]) => (known.has(address) ? [] : `${who} may have read ${this.word(address, value)} already`));
  }

  /** The word at an address, and this value of it. */
  word(address: number, value: number): string {
    const { layout } = this.#loaded.model;
    const name = this.slotName(layout.slots[address] as number);
    return `${name} ${this.value(name, value)}`;
  }

  /** The word in this place of a state. */
  slotName(slot: number): string {
    const { model, threads } = this.#loaded;
    const { layout } = model;
    if (slot < layout.lockWords) return layout.names[slot] ?? String(slot);
    const thread = Math.floor((slot - layout.lockWords) / model.blockWords);
    const name = layout.agentNames[slot - model.block(thread) - CONTROL_WORDS];
    return thread < threads && name !== undefined ? `${threadName(thread)}.${name}` : String(slot);
  }

  #word(found: string[], title: string, name: string, before: number, after: number): void {
    if (before !== after) found.push(`${title} ${this.value(name, before)}->${this.value(name, after)}`);
  }

  value(name: string, value: number): string {
    const { layout } = this.#loaded.model;
    const word = (constant: string): number => layout.word(constant);
    if (name === 'COUNT') return this.#count(value);
    if (name.endsWith('GRANT')) return this.#grants.get(value) ?? String(value);
    if (value === 0) return '0';
    if (name.endsWith('KIND')) return [value & word('WRITE_WAITER') ? 'write' : 'read', ...(value & word('ASYNC_WAITER') ? ['async'] : [])].join('+');
    if (name === 'WAIT_LOCK') return this.#address(value & ~word('WAIT_LOCK_CONTENDED')) + (value & word('WAIT_LOCK_CONTENDED') ? '+contended' : '');
    if (name.startsWith('WAKE_LIST')) return this.#address(value & ~word('ASYNC_WAITER'));
    if (name === 'OWNER') return this.#owner(value);
    return ADDRESSES.test(name) ? this.#address(value) : String(value);
  }

  #count(value: number): string {
    const { layout } = this.#loaded.model;
    const readers = Math.floor(value / layout.word('READER'));
    const bits = [['W', 'WRITER'], ['A', 'WAITERS'], ['H', 'HANDOFF'], ['K', 'WAKING']].filter(([, name]) => (value & layout.word(name as string)) !== 0);
    const parts = [...(readers === 0 ? [] : [`${readers}R`]), ...bits.map(([letter]) => letter)];
    return parts.length === 0 ? String(value) : parts.join('+');
  }

  #owner(value: number): string {
    const { layout } = this.#loaded.model;
    const id = (value >> layout.word('AGENT_ID_SHIFT')) & layout.word('AGENT_ID_MASK');
    const flags = [['reader', 'READER_OWNED'], ['nonspinnable', 'NONSPINNABLE'], ['async', 'ASYNC_OWNER']].filter(([, name]) => (value & layout.word(name as string)) !== 0);
    return [...(id === 0 ? [] : [threadName(id - 1)]), ...flags.map(([flag]) => flag)].join('+') || String(value);
  }

  #hold(inside: number): string {
    if (inside === 0) return 'is out';
    if (inside === DOWNGRADING) return 'is about to downgrade';
    const reads = inside & READS_INSIDE;
    const parts = [
      inside & WRITES_INSIDE ? 'holds the write lock' : '',
      reads === 0 ? '' : reads === 1 ? 'holds a read lock' : `holds ${reads} read locks`,
      inside >= GRANTED_READ ? 'has been granted' : '',
    ];
    return parts.filter(Boolean).join(' and ');
  }

  #address(value: number): string {
    return this.#addresses.get(value) ?? String(value);
  }
}
