/**
 * Repeatable choices (mulberry32), for whatever of the laboratory takes a seed. Where real threads race a seed
 * repeats a mixture, not a run.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 up to, and without, 1. */
  share(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** The value, up to the given share of it more or less. */
  around(value: number, share: number): number {
    return value * (1 + share * (2 * this.share() - 1));
  }

  /** 0 to `limit` - 1. */
  below(limit: number): number {
    return this.next() % limit;
  }

  chance(probability: number): boolean {
    return this.next() < probability * 0x1_0000_0000;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}
