/**
 * The mode `delayed`: plain accesses do not take effect in the order of the program. Between two accesses
 * that order a thread's
 *
 *  - plain store may take effect late, after later accesses, and in another order than stores of other words
 *    (`Layout.delaysAt`, the first words). Itself the thread sees what it has stored;
 *  - plain read may find what the word held earlier (the next words). When somebody changes a word that a
 *    thread may read plainly before it acquires again, that thread may note the old value; its read finds it.
 *
 * An atomic store releases: it waits for the plain stores before it. An atomic load acquires: no plain read
 * after it is early. Whatever else is atomic does both.
 */
import { LATE_STORES, EARLY_VALUES, type Layout, LOCK_AT, PC, PLACES, SLEEP } from './layout.ts';
import type { Ahead, PlainRead } from './reach.ts';
import type { Runtime } from './runtime.ts';

export interface Delay {
  kind: 'late' | 'takes effect' | 'early';
  address: number;
  value: number;
}

export class Delays {
  readonly #runtime: Runtime;
  readonly #state: Int32Array;
  readonly #layout: Layout;
  readonly #ahead: readonly Ahead[];
  /** By address: a record begins there. */
  #records = new Set<number>();
  #threads = 0;
  #blockWords = 0;
  /** For traces only: what was late or early in this step. */
  log: Delay[] = [];

  constructor(runtime: Runtime, layout: Layout, ahead: readonly Ahead[]) {
    this.#runtime = runtime;
    this.#state = runtime.state;
    this.#layout = layout;
    this.#ahead = ahead;
  }

  prepare(threads: number, blockWords: number): void {
    this.#threads = threads;
    this.#blockWords = blockWords;
    this.#records = this.#layout.recordStarts(threads);
  }

  /** Before each run of a step. */
  forgetLog(): void {
    if (this.log.length > 0) this.log = [];
  }

  /** Stores that have not taken effect yet. */
  pending(block: number): number {
    return this.#size(block + this.#layout.delaysAt + LATE_STORES);
  }

  /** One of them does. */
  perform(block: number, me: number, index: number): void {
    const state = this.#state;
    const at = block + this.#layout.delaysAt + LATE_STORES + 2 * index;
    const address = state[at] as number;
    const value = state[at + 1] as number;
    this.#remove(block + this.#layout.delaysAt + LATE_STORES, address);
    this.log.push({ kind: 'takes effect', address, value });
    this.#write(address, value, me, block);
  }

  /** A plain store. */
  store(address: number, value: number, me: number, block: number, mattersIfLate: boolean): void {
    const stores = block + this.#layout.delaysAt + LATE_STORES;
    this.#remove(block + this.#layout.delaysAt + EARLY_VALUES, address);
    const hasRoom = this.#find(stores, address) >= 0 || this.#size(stores) < PLACES;
    if (mattersIfLate && this.#isSeen(address) && hasRoom && this.#runtime.choose(2) === 1) {
      this.#runtime.place(address, me);
      this.#put(stores, address, value);
      this.log.push({ kind: 'late', address, value });
      return;
    }
    this.#remove(stores, address);
    this.#write(address, value, me, block);
  }

  #write(address: number, value: number, me: number, block: number): void {
    const state = this.#state;
    const slot = this.#runtime.place(address, me);
    const before = state[slot] as number;
    state[slot] = value;
    if (address === LOCK_AT) this.#runtime.countChanged(before, me, block);
    else this.#runtime.signalled(address, value);
    this.#runtime.data?.storedPlainly(slot);
    this.#changed(address, before, value, block);
  }

  /** A plain read. */
  load(address: number, me: number, block: number): number {
    const state = this.#state;
    const found = this.#runtime.load(address, me);
    const own = this.#find(block + this.#layout.delaysAt + LATE_STORES, address);
    if (own >= 0) return state[own + 1] as number;
    const values = block + this.#layout.delaysAt + EARLY_VALUES;
    const early = this.#find(values, address);
    if (early < 0) return found;
    const value = state[early + 1] as number;
    // The next read of it may be as early.
    if (!this.#reads((this.#ahead[state[block + PC] as number] as Ahead).after, address, me) || this.#runtime.choose(2) === 0) this.#remove(values, address);
    this.log.push({ kind: 'early', address, value });
    return value;
  }

  /** An atomic load: of what this thread has stored, or of the word as it is. */
  loadAtomically(address: number, me: number, block: number): number {
    const found = this.#runtime.load(address, me);
    this.acquired(block);
    const own = this.#find(block + this.#layout.delaysAt + LATE_STORES, address);
    if (own >= 0) return this.#state[own + 1] as number; // and learns nothing of what others have stored
    this.#runtime.data?.loaded(this.#layout.slots[address] as number, block);
    return found;
  }

  /** After an atomic store. */
  stored(address: number, slot: number, before: number, block: number): void {
    this.#remove(block + this.#layout.delaysAt + EARLY_VALUES, address);
    this.#runtime.data?.stored(slot, block);
    this.#changed(address, before, this.#state[slot] as number, block);
  }

  /** After any other atomic operation on a word; a compare-exchange may not have written. */
  exchanged(address: number, slot: number, before: number, hasWritten: boolean, block: number): void {
    this.acquired(block);
    if (hasWritten) this.#runtime.data?.exchanged(slot, block);
    else this.#runtime.data?.loaded(slot, block);
    this.#changed(address, before, this.#state[slot] as number, block);
  }

  /** After a wait that has compared. */
  compared(slot: number, block: number): void {
    this.acquired(block);
    this.#runtime.data?.loaded(slot, block);
  }

  /** After a notify: who was woken has what its waker had. */
  notified(sleepers: readonly number[], block: number): void {
    this.acquired(block);
    for (const sleeper of sleepers) this.#runtime.data?.woke(sleeper - SLEEP, block);
  }

  /** No plain read from here on is early. */
  acquired(block: number): void {
    const values = block + this.#layout.delaysAt + EARLY_VALUES;
    this.#state.fill(0, values, values + 2 * PLACES);
  }

  /** After a step: what this thread can no longer read early is forgotten. */
  forget(block: number, me: number): void {
    const state = this.#state;
    const values = block + this.#layout.delaysAt + EARLY_VALUES;
    for (let at = values + 2 * (PLACES - 1); at >= values; at -= 2) {
      const address = state[at] as number;
      if (address !== 0 && !this.mayComeTo(address, me, block)) this.#remove(values, address);
    }
  }

  /** Does this thread still read that word plainly, now or before the next access that acquires? */
  mayComeTo(address: number, me: number, block: number): boolean {
    return this.#reads((this.#ahead[this.#state[block + PC] as number] as Ahead).from, address, me);
  }

  /** The others may note what was there. */
  #changed(address: number, before: number, after: number, block: number): void {
    if (before === after || !this.#isSeen(address)) return;
    const state = this.#state;
    const { delaysAt } = this.#layout;
    for (let thread = 0; thread < this.#threads; thread++) {
      const other = this.#layout.lockWords + thread * this.#blockWords;
      if (other === block || state[other + SLEEP] !== 0) continue;
      if (!this.#reads((this.#ahead[state[other + PC] as number] as Ahead).after, address, this.#layout.agentAt(thread))) continue;
      const values = other + delaysAt + EARLY_VALUES;
      if (this.#size(values) === PLACES || this.#find(values, address) >= 0 || this.#find(other + delaysAt + LATE_STORES, address) >= 0) continue;
      if (this.#runtime.choose(2) === 1) this.#put(values, address, before);
    }
  }

  /** What has no place in the state, as counters, is the same whenever it is stored. */
  #isSeen(address: number): boolean {
    return (this.#layout.slots[address] as number) >= 0;
  }

  #reads(reads: readonly PlainRead[], address: number, me: number): boolean {
    for (const read of reads) {
      if (read === 'anywhere') return true;
      if (read.base === 'absolute' ? read.offset === address : read.base === 'me' ? me + read.offset === address : this.#records.has(address - read.offset)) return true;
    }
    return false;
  }

  // Tables of addresses and values, the greatest address first, so that there is one order only.

  #size(table: number): number {
    let size = 0;
    while (size < PLACES && this.#state[table + 2 * size] !== 0) size++;
    return size;
  }

  /** Where its entry is; -1. */
  #find(table: number, address: number): number {
    for (let at = table; at < table + 2 * PLACES; at += 2) if (this.#state[at] === address) return at;
    return -1;
  }

  #put(table: number, address: number, value: number): void {
    const state = this.#state;
    this.#remove(table, address);
    let at = table + 2 * this.#size(table);
    for (; at > table && (state[at - 2] as number) < address; at -= 2) {
      state[at] = state[at - 2] as number;
      state[at + 1] = state[at - 1] as number;
    }
    state[at] = address;
    state[at + 1] = value;
  }

  #remove(table: number, address: number): void {
    const at = this.#find(table, address);
    if (at < 0) return;
    const end = table + 2 * PLACES;
    this.#state.copyWithin(at, at + 2, end);
    this.#state[end - 2] = this.#state[end - 1] = 0;
  }
}
