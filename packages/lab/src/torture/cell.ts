/**
 * The data that one lock guards, and the checks by which every critical section looks for others.
 *
 * Everything a writer changes is a plain word, read when it comes and written when it goes, so that
 * two writers at once lose an update, and a missing happens-before edge may show too.
 */

export const CELL_WORDS = 128;
/** What every write adds to the sum; modulo 2^32, as the words are. */
export const WRITE_ADDS = 10_000;

/** The id of the writer inside. */
const INSIDE = 0;
/** Two words that are equal whenever no writer is inside. */
const FIRST = 1;
const SECOND = 2;
const SUM = 3;
/** Readers inside, counted by themselves, atomically; in a cache line of its own. */
const READERS = 16;
/**
 * What each thread holds by its own account: one for every read hold, `WRITES` for the write lock. Only
 * the thread itself changes its word, plainly; everybody inside looks at all of them.
 */
const SHADOWS = 32;
const WRITES = 1 << 16;
/** How many threads can work on a cell. */
export const MOST_ACTORS = CELL_WORDS - SHADOWS - 1;

/** Two threads were inside that exclude each other, or something like it. */
export class Violation extends Error {
  override name = 'Violation';
}

export interface WriteVisit {
  readonly first: number;
  readonly sum: number;
}

export class Cell {
  readonly #words: Int32Array;
  readonly #lock: number;
  readonly #me: number;

  constructor(words: Int32Array, lock: number, me: number) {
    this.#words = words.subarray(lock * CELL_WORDS, (lock + 1) * CELL_WORDS);
    this.#lock = lock;
    this.#me = me;
  }

  beginWrite(): WriteVisit {
    const words = this.#words;
    this.#expectNoReaders('when it came');
    if (words[INSIDE] !== 0) this.#fail(`writer ${words[INSIDE]} was inside when a writer came`);
    words[INSIDE] = this.#me;
    this.#expectShadows(0);
    this.#changeShadow(WRITES);
    const first = words[FIRST] as number;
    const sum = words[SUM] as number;
    if (first !== words[SECOND]) this.#fail(`a writer found the pair torn: ${first} and ${words[SECOND]}`);
    words[FIRST] = (first + 1) | 0;
    return { first, sum };
  }

  endWrite({ first, sum }: WriteVisit): void {
    const words = this.#words;
    this.#expectNoReaders('when it went');
    if (words[INSIDE] !== this.#me) this.#fail(`writer ${words[INSIDE]} was inside when this writer went`);
    if (words[SUM] !== sum) this.#fail(`the sum changed from ${sum} to ${words[SUM]} under a writer`);
    if (words[FIRST] !== ((first + 1) | 0)) this.#fail(`the pair changed under a writer`);
    this.#changeShadow(-WRITES);
    this.#expectShadows(0);
    words[SUM] = (sum + WRITE_ADDS) | 0;
    words[SECOND] = (first + 1) | 0;
    words[INSIDE] = 0;
  }

  /** What to pass to `endRead`. */
  beginRead(): number {
    Atomics.add(this.#words, READERS, 1);
    this.#changeShadow(1);
    this.#expectShadows(WRITES - 1);
    return this.#look();
  }

  endRead(seen: number): void {
    const now = this.#look();
    if (now !== seen) this.#fail(`a writer changed ${seen} to ${now} under a reader`);
    this.#expectShadows(WRITES - 1);
    this.#changeShadow(-1);
    Atomics.sub(this.#words, READERS, 1);
  }

  #changeShadow(by: number): void {
    const at = SHADOWS + this.#me;
    this.#words[at] = (this.#words[at] as number) + by;
  }

  #expectShadows(most: number): void {
    const words = this.#words;
    for (let at = SHADOWS; at < CELL_WORDS; at++) {
      const shadow = words[at] as number;
      if (shadow < 0 || shadow > most) this.#fail(`thread ${at - SHADOWS} held ${shadow >= WRITES ? 'the write lock' : `${shadow} read locks`} meanwhile`);
    }
  }

  #look(): number {
    const words = this.#words;
    if (words[INSIDE] !== 0) this.#fail(`writer ${words[INSIDE]} was inside beside a reader`);
    const first = words[FIRST] as number;
    const second = words[SECOND] as number;
    if (first !== second) this.#fail(`a reader found the pair torn: ${first} and ${second}`);
    return first;
  }

  #expectNoReaders(when: string): void {
    const readers = Atomics.load(this.#words, READERS);
    if (readers !== 0) this.#fail(`${readers} readers were inside beside a writer ${when}`);
  }

  #fail(what: string): never {
    throw new Violation(`lock ${this.#lock}, thread ${this.#me}: ${what}`);
  }

  /** With nobody inside: the words must be those that so many writes leave. */
  expectWrites(writes: number): void {
    const words = this.#words;
    const sum = Math.imul(writes, WRITE_ADDS);
    if (words[SUM] !== sum) this.#fail(`${writes} writes make ${sum}, and the sum is ${words[SUM]}`);
    if (words[FIRST] !== (writes | 0)) this.#fail(`${writes} writes, and the pair says ${words[FIRST]}`);
    this.expectEmpty();
  }

  expectEmpty(): void {
    this.#look();
    this.#expectNoReaders('while nobody was at work');
    this.#expectShadows(0);
  }

  toString(): string {
    const words = this.#words;
    return `writer inside ${words[INSIDE]}, readers inside ${words[READERS]}, pair ${words[FIRST]}/${words[SECOND]}, sum ${words[SUM]}`;
  }
}
