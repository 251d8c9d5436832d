/** The one source of chance in a simulation: xorshift, 32 bits. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 1;
    for (let i = 0; i < 8; i++) this.next();
  }

  /** From 0 up to, and without, 1. */
  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) / 0x1_0000_0000;
  }

  /** The value, up to the given share of it more or less. */
  around(value: number, share: number): number {
    return value * (1 + share * (2 * this.next() - 1));
  }
}
