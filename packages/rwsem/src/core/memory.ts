/**
 * Relaxed access: an ordinary read or write of a shared word, about a tenth of the price of an
 * atomic one. Allowed where
 *  - the wait lock orders it (queue links and waiter fields),
 *  - the word belongs to one agent (counters, wake list), or
 *  - it is a hint that nothing depends on (the owner word).
 */

export function relaxedLoad(mem: Int32Array, at: number): number {
  return mem[at] as number;
}

export function relaxedStore(mem: Int32Array, at: number, value: number): void {
  mem[at] = value;
}
