/**
 * A state is one short vector of numbers: the words of the lock, then per thread its control words, the
 * words of its records, and its frame (the locals that are still needed). Addresses stay those of the
 * shipped layout; tables lead from address to place in the vector. A word that has no place never changes,
 * or nothing depends on it; an address without a record is an error of the core.
 */
import type { CoreLibrary } from '../../lower/module.ts';
import { MOST_THREADS } from './program.ts';
import type { Mode } from './mode.ts';

/** Control words of a thread, before its words of memory. */
export const PC = 0;
/** Where in the vector the word is that it sleeps on, plus 1; 0 awake. */
export const SLEEP = 1;
/** What it holds, by the constants below. */
export const INSIDE = 2;
/** Which of its operations it is at. */
export const AT_OPERATION = 3;
export const CONTROL_WORDS = 4;
/** READ_HOLD and WRITE_HOLD of `operations.ts` add to these; DOWNGRADING counts as a write. */
export const READS_INSIDE = 15;
export const WRITES_INSIDE = 16;
export const DOWNGRADING = 32;
/** Granted, and its thread has not seen it yet: a bit for each of its records, once for reads, once for writes. */
export const GRANTED_READ = 64;
export const GRANTED_WRITE = 512;
const GRANTED_MASK = 7;

/** In the mode `delayed`, behind a thread's words of memory: plain stores that are late, as addresses and values; so many. */
export const LATE_STORES = 0;
export const PLACES = 2;
/** Earlier values of words, which its next plain reads of these find. */
export const EARLY_VALUES = 2 * PLACES;
/** Who knows of its last read of the users' data, of its last write. */
export const DATA_READ = 4 * PLACES;
export const DATA_WRITTEN = DATA_READ + 1;
const DELAY_WORDS = DATA_WRITTEN + 1;

export const LOCK_AT = 64;
const AGENTS_AT = 128;
/** Relative to the agent record, far behind all agents. */
export const ASYNC_WAITERS_AT = 4096;

/** What a thread holds, seen and unseen. */
export function holdsOf(inside: number): { reads: number; writes: number } {
  const bits = (from: number): number => {
    const some = (inside / from) & GRANTED_MASK;
    return (some & 1) + ((some >> 1) & 1) + (some >> 2);
  };
  const isWriting = (inside & (WRITES_INSIDE | DOWNGRADING)) !== 0;
  return { reads: (inside & READS_INSIDE) + bits(GRANTED_READ), writes: Number(isWriting) + bits(GRANTED_WRITE) };
}

/** How an address may be touched without an atomic operation. */
export const FREELY = 0;
/** With the wait lock (I4). */
export const QUEUE_WORD = 1;
/** With the wait lock, or by its own thread; not once a blocking waiter has been granted (I7). */
export const WAITER_WORD = 2;
/** Not at all: of the spinner queue, where nobody may spin. */
export const SPIN_WORD = 3;

export const NO_RECORD = -2;
const CONSTANT = -1;

export class Layout {
  readonly #library: CoreLibrary;
  readonly #words = new Map<string, number>();
  readonly lockSlots = new Map<number, number>();
  /** Offset in the agent record to offset in the thread's block. */
  readonly agentSlots = new Map<number, number>();
  /** In the mode `delayed`: words of an agent record's first part that other threads access. */
  readonly seenByOthers: ReadonlySet<number>;
  readonly names: string[] = [];
  readonly agentNames: string[] = [];
  /** Places of the lock's words that are 0 when everybody is done (I12). */
  readonly idleSlots: readonly number[];
  readonly lockWords: number;
  /** In a block: the words of the mode `delayed`. */
  readonly delaysAt: number;
  readonly frameAt: number;
  readonly agentWords: number;
  /** By address: place in the vector, or CONSTANT or NO_RECORD. */
  readonly slots: Int32Array;
  /** By address: what a constant word holds. */
  readonly constants: Int32Array;
  readonly classes: Uint8Array;
  /** By address: the agent record whose thread it belongs to. */
  readonly owners: Int32Array;
  /** By address in the record of a blocking waiter: its grant word. -1 elsewhere. */
  readonly grants: Int32Array;
  /** By address: it is a waiter's grant word. */
  readonly areGrants: Uint8Array;

  constructor(library: CoreLibrary, mode: Mode, usesAsync: boolean, mayDeadlock: boolean) {
    this.#library = library;
    const word = (name: string): number => this.word(name);
    this.seenByOthers = new Set(mode.delayed ? ['SPIN_NEXT', 'SPIN_PREV', 'SPIN_LOCKED', 'PARKED', 'READY', 'BELL'].map(word) : []);
    const lock = ['COUNT', 'HEAD', 'TAIL', 'WAIT_LOCK', ...(mode.owner ? ['OWNER'] : []), ...(mode.spin ? ['SPIN_TAIL'] : [])];
    lock.forEach((name, slot) => {
      this.lockSlots.set(word(name), slot);
      this.names.push(name);
    });
    this.lockWords = lock.length;
    // The owner word says who was last; a node that was left behind in the spinner queue stays its tail.
    this.idleSlots = lock.flatMap((name, slot) => (name === 'OWNER' || (name === 'SPIN_TAIL' && mode.impatient) ? [] : [slot]));
    this.agentWords = word('AGENT_WORDS');
    const waiter = ['GRANT', 'NEXT', 'PREV', 'KIND', 'HANDOFF_RULE', 'HANDOFF_SET'];
    const agent: [string, number][] = [['WAKE_COUNT', word('WAKE_COUNT')]];
    // Room for a batch and no more: whoever notes one too many leaves the record.
    for (let i = 0; i < Math.min(mode.batch, MOST_THREADS); i++) agent.push([`WAKE_LIST[${i}]`, word('WAKE_LIST') + i]);
    for (const name of waiter) agent.push([name, word('BLOCKING_WAITER') + word(name)]);
    if (mode.owner) agent.push(['PARKED', word('PARKED')]);
    // The word after `#free` is nobody's: a ghost, how many others have got in past its handoff.
    if (mode.bypass) agent.push(['overtaken', word('HELD') + 1]);
    // And so is the next: has this operation been inside?
    if (mode.alone) agent.push(['hasBeenIn', word('HELD') + 2]);
    // When it dropped the wait lock, was a writer first in the queue? Where that is the end of a step one can look.
    if (mode.waitLock && mayDeadlock) agent.push(['writerWasFirst', word('HELD') + 3]);
    if (mode.spin) for (const name of ['SPIN_NEXT', 'SPIN_PREV', 'SPIN_LOCKED', 'SPIN_STUCK']) agent.push([name, word(name)]);
    if (usesAsync) {
      for (const name of ['BELL', 'READY']) agent.push([name, word(name)]);
      for (const [index, record] of this.asyncWaiters.entries()) {
        for (const name of [...waiter, 'READY_NEXT']) agent.push([`${'ab'[index]}.${name}`, record + word(name)]);
      }
    }
    for (const [name, offset] of agent) {
      this.agentSlots.set(offset, CONTROL_WORDS + this.agentNames.length);
      this.agentNames.push(name);
    }
    this.delaysAt = CONTROL_WORDS + agent.length;
    this.frameAt = this.delaysAt + (mode.delayed ? DELAY_WORDS : 0);
    const size = this.agentAt(MOST_THREADS) + ASYNC_WAITERS_AT + 64;
    this.slots = new Int32Array(size);
    this.constants = new Int32Array(size);
    this.classes = new Uint8Array(size);
    this.owners = new Int32Array(size);
    this.grants = new Int32Array(size).fill(-1);
    this.areGrants = new Uint8Array(size);
  }

  /** Whose agent record it is. */
  threadOf(agent: number): number {
    return (agent - AGENTS_AT) / this.agentWords;
  }

  agentAt(thread: number): number {
    return AGENTS_AT + thread * this.agentWords;
  }

  /** A constant of the core. */
  word(name: string): number {
    let value = this.#words.get(name);
    if (value === undefined) this.#words.set(name, (value = this.#library.constantNamed(name)));
    return value;
  }

  /** The records of a thread's async acquisitions, relative to its agent record. */
  get asyncWaiters(): number[] {
    return [ASYNC_WAITERS_AT, ASYNC_WAITERS_AT + this.word('WAITER_WORDS')];
  }

  /** Fills the tables for so many threads, whose blocks are so long. */
  place(threads: number, blockWords: number): void {
    this.slots.fill(NO_RECORD);
    this.classes.fill(FREELY);
    for (let at = LOCK_AT; at < LOCK_AT + this.word('LOCK_WORDS'); at++) this.slots[at] = this.lockSlots.get(at - LOCK_AT) ?? CONSTANT;
    for (const name of ['HEAD', 'TAIL']) this.classes[LOCK_AT + this.word(name)] = QUEUE_WORD;
    const spinTail = this.word('SPIN_TAIL');
    if (!this.lockSlots.has(spinTail)) this.classes[LOCK_AT + spinTail] = SPIN_WORD;
    for (let thread = 0; thread < threads; thread++) {
      const agent = this.agentAt(thread);
      const block = this.lockWords + thread * blockWords;
      for (let at = agent; at < agent + this.agentWords; at++) this.slots[at] = CONSTANT;
      for (const record of this.#records()) for (let at = 0; at < this.word('WAITER_WORDS'); at++) this.#placeWaiterWord(agent, record, at);
      for (const [offset, slot] of this.agentSlots) this.slots[agent + offset] = block + slot;
      this.constants[agent + this.word('AGENT_TAG')] = this.#tagOf(thread);
    }
  }

  /**
   * Places in a block of words that nobody reads any more once the thread's operation is over, and what is put
   * there: nothing, but for HANDOFF_SET what some earlier acquisition may have left.
   */
  leftovers(): { slot: number; value: number }[] {
    const fields = ['GRANT', 'KIND', 'HANDOFF_RULE', 'HANDOFF_SET', 'READY_NEXT'];
    const words = this.#records().flatMap((record) => fields.map((name) => ({ offset: record + this.word(name), value: Number(name === 'HANDOFF_SET') })));
    const others = [this.word('BELL'), this.word('HELD') + 1, this.word('HELD') + 2, this.word('HELD') + 3];
    for (let i = 0; i < MOST_THREADS; i++) others.push(this.word('WAKE_LIST') + i);
    return [...words, ...others.map((offset) => ({ offset, value: 0 }))].flatMap(({ offset, value }) => {
      const slot = this.agentSlots.get(offset);
      return slot === undefined ? [] : { slot, value };
    });
  }

  /** In a block: the ghost of the mode `bypass`, or -1. */
  get overtakenAt(): number {
    return this.agentSlots.get(this.word('HELD') + 1) ?? -1;
  }

  /** In a block: the ghost of the mode `alone`, or -1. */
  get hasBeenInAt(): number {
    return this.agentSlots.get(this.word('HELD') + 2) ?? -1;
  }

  /** Addresses where a record begins. */
  recordStarts(threads: number): Set<number> {
    const starts = new Set<number>();
    for (let thread = 0; thread < threads; thread++) for (const record of [0, ...this.#records()]) starts.add(this.agentAt(thread) + record);
    return starts;
  }

  /** Places of the words by which one thread learns what another has done. */
  signalSlots(threads: number, blockWords: number): number[] {
    const own = [this.word('READY'), this.word('BELL'), ...this.#records().map((record) => record + this.word('GRANT'))];
    const places = own.flatMap((offset) => this.agentSlots.get(offset) ?? []);
    const blocks = Array.from({ length: threads }, (_, thread) => this.lockWords + thread * blockWords);
    return [...['COUNT', 'WAIT_LOCK'].map((name) => this.lockSlots.get(this.word(name)) as number), ...blocks.flatMap((block) => places.map((place) => block + place))];
  }

  /** In a block: what is remembered of the queue in the mode `wait-lock`, or -1. */
  get writerWasFirstAt(): number {
    return this.agentSlots.get(this.word('HELD') + 3) ?? -1;
  }

  /** Which of its thread's records lies there, relative to its agent record. */
  recordOf(offset: number): number {
    return this.#records().indexOf(offset);
  }

  #records(): number[] {
    return [this.word('BLOCKING_WAITER'), ...this.asyncWaiters];
  }

  #placeWaiterWord(agent: number, record: number, field: number): void {
    const at = agent + record + field;
    const isAsync = record !== this.word('BLOCKING_WAITER');
    this.slots[at] = CONSTANT;
    this.owners[at] = agent;
    this.areGrants[at] = Number(field === this.word('GRANT'));
    this.grants[at] = isAsync ? -1 : agent + record + this.word('GRANT');
    const isShared = field === this.word('WAITER_AGENT') || field === this.word('READY_NEXT');
    this.classes[at] = isAsync && isShared ? FREELY : WAITER_WORD;
    if (field === this.word('WAITER_AGENT')) this.constants[at] = agent;
    if (field === this.word('WAITER_TAG')) this.constants[at] = this.#tagOf(this.threadOf(agent)) | (isAsync ? this.word('ASYNC_OWNER') : 0);
  }

  /** What a thread stores in the owner word: its id, of a first incarnation. */
  #tagOf(thread: number): number {
    return ((thread + 1) << this.word('AGENT_ID_SHIFT')) | (1 << this.word('INCARNATION_SHIFT'));
  }
}
