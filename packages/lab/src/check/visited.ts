/** The states seen so far, by fingerprint, each with the step that first led to it. */

export class VisitedSet {
  readonly #words: number;
  #table = new Int32Array(1 << 14);
  #low = new Int32Array(1 << 13);
  #high = new Int32Array(1 << 13);
  #parents = new Int32Array(1 << 13);
  #moves = new Uint16Array(1 << 13);
  size = 0;

  constructor(words: number) {
    this.#words = words;
  }

  /** The number of a new state; -number - 2 of one that is known. */
  add(state: Int32Array, parent: number, move: number): number {
    let low = 0x2545f491;
    let high = 0x1b873593;
    for (let i = 0; i < this.#words; i++) {
      const word = state[i] as number;
      low = Math.imul(low ^ word, 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(high ^ (word + i), 0x85ebca6b);
      high ^= high >>> 13;
    }
    low = Math.imul(low ^ (low >>> 16), 0x45d9f3b);
    low ^= low >>> 15;
    high = Math.imul(high ^ (high >>> 16), 0xc2b2ae35);
    high ^= high >>> 16;
    const mask = this.#table.length - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const known = this.#table[at] as number;
      if (known === 0) {
        this.#table[at] = this.size + 1;
        return this.#append(low, high, parent, move);
      }
      if (this.#low[known - 1] === low && this.#high[known - 1] === high) return -(known - 1) - 2;
    }
  }

  parent(state: number): number {
    return this.#parents[state] as number;
  }

  move(state: number): number {
    return this.#moves[state] as number;
  }

  #append(low: number, high: number, parent: number, move: number): number {
    const number = this.size++;
    if (number === this.#low.length) this.#grow();
    this.#low[number] = low;
    this.#high[number] = high;
    this.#parents[number] = parent;
    this.#moves[number] = move;
    if (this.size * 2 > this.#table.length) this.#rehash();
    return number;
  }

  #grow(): void {
    const grow = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const fresh = new Int32Array(old.length * 2);
      fresh.set(old);
      return fresh;
    };
    this.#low = grow(this.#low);
    this.#high = grow(this.#high);
    this.#parents = grow(this.#parents);
    const moves = new Uint16Array(this.#moves.length * 2);
    moves.set(this.#moves);
    this.#moves = moves;
  }

  #rehash(): void {
    const table = new Int32Array(this.#table.length * 2);
    const mask = table.length - 1;
    for (let number = 0; number < this.size; number++) {
      let at = (this.#low[number] as number) & mask;
      while (table[at] !== 0) at = (at + 1) & mask;
      table[at] = number + 1;
    }
    this.#table = table;
  }
}
