/**
 * The users' data, in the mode `delayed`: whoever is inside reads it, whoever is inside for writing writes it,
 * plainly. Is what they do ordered? By what an engine guarantees (happens-before): an atomic access orders
 * with the one that has written what it reads, a wake-up with its notify, and nothing else does. So no value
 * and no delay needs to be tried: who has not been told of the last write, through a chain of such pairs, may
 * see the data without it.
 *
 * Of each thread's last read and write of the data: who knows of it, a bit for each thread and for each word
 * through which others can learn of it. If all threads do, it is forgotten.
 */
import { threadName } from '../schedule.ts';
import { CheckArgumentError } from '../check-error.ts';
import { DATA_READ, DATA_WRITTEN, type Layout } from './layout.ts';
import type { Runtime } from './runtime.ts';

const MOST_BITS = 31;

export class DataOrder {
  readonly #runtime: Runtime;
  readonly #state: Int32Array;
  readonly #layout: Layout;
  /** By place in the vector: the bit of the word, or 0. */
  #bits = new Int32Array(0);
  #threads = 0;
  #blockWords = 0;
  #everybody = 0;

  constructor(runtime: Runtime, layout: Layout) {
    this.#runtime = runtime;
    this.#state = runtime.state;
    this.#layout = layout;
  }

  prepare(threads: number, blockWords: number): void {
    this.#threads = threads;
    this.#blockWords = blockWords;
    this.#everybody = (1 << threads) - 1;
    const words = this.#layout.signalSlots(threads, blockWords);
    if (threads + words.length > MOST_BITS) throw new CheckArgumentError(`${threads} threads are too many for the mode delayed, which keeps who knows of what`);
    this.#bits = new Int32Array(this.#state.length);
    words.forEach((slot, index) => (this.#bits[slot] = 1 << (threads + index)));
  }

  /** Whoever is inside reads. */
  read(block: number): void {
    this.#needToKnow(block, DATA_WRITTEN, 'reads the data, and nothing orders that after what', 'has written');
    this.#state[block + this.#layout.delaysAt + DATA_READ] = this.#everybody === 1 ? 0 : this.#bitOf(block);
  }

  write(block: number): void {
    this.#needToKnow(block, DATA_WRITTEN, 'writes the data, and nothing orders that after what', 'has written');
    this.#needToKnow(block, DATA_READ, 'writes the data, and nothing orders that after the reads of', '');
    for (let thread = 0; thread < this.#threads; thread++) {
      const at = this.#blockOf(thread) + this.#layout.delaysAt;
      this.#state[at + DATA_READ] = this.#state[at + DATA_WRITTEN] = 0;
    }
    this.#state[block + this.#layout.delaysAt + DATA_WRITTEN] = this.#everybody === 1 ? 0 : this.#bitOf(block);
  }

  #needToKnow(block: number, of: number, what: string, done: string): void {
    for (let thread = 0; thread < this.#threads; thread++) {
      const other = this.#blockOf(thread);
      const known = this.#state[other + this.#layout.delaysAt + of] as number;
      if (other === block || known === 0 || (known & this.#bitOf(block)) !== 0) continue;
      this.#runtime.fail('DATA', `${threadName(this.#threadOf(block))} ${what} ${threadName(thread)} ${done}`.trim());
    }
  }

  loaded(slot: number, block: number): void {
    this.#pass(this.#bits[slot] ?? 0, this.#bitOf(block));
  }

  stored(slot: number, block: number): void {
    this.storedPlainly(slot);
    this.#pass(this.#bitOf(block), this.#bits[slot] as number);
  }

  exchanged(slot: number, block: number): void {
    const bits = (this.#bits[slot] as number) | this.#bitOf(block);
    this.#pass(bits, bits);
  }

  woke(sleeper: number, block: number): void {
    this.#pass(this.#bitOf(block), this.#bitOf(sleeper));
  }

  /** Whoever reads that learns nothing. */
  storedPlainly(slot: number): void {
    const bit = slot < 0 ? 0 : (this.#bits[slot] as number);
    if (bit !== 0) this.#each((known) => known & ~bit);
  }

  /** What any of these knows, those know too. */
  #pass(from: number, to: number): void {
    if (from !== 0 && to !== 0) this.#each((known) => ((known & from) !== 0 ? known | to : known));
  }

  #each(change: (known: number) => number): void {
    for (let thread = 0; thread < this.#threads; thread++) {
      const first = this.#blockOf(thread) + this.#layout.delaysAt;
      for (const at of [first + DATA_READ, first + DATA_WRITTEN]) {
        const before = this.#state[at] as number;
        if (before === 0) continue;
        const known = change(before);
        this.#state[at] = (known & this.#everybody) === this.#everybody ? 0 : known;
      }
    }
  }

  #blockOf(thread: number): number {
    return this.#layout.lockWords + thread * this.#blockWords;
  }

  #threadOf(block: number): number {
    return (block - this.#layout.lockWords) / this.#blockWords;
  }

  #bitOf(block: number): number {
    return 1 << this.#threadOf(block);
  }
}
