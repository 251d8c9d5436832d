/**
 * Can the end be reached from every state? If not, threads can get where they go round for ever, whatever
 * the scheduler does: nobody sleeps, so that it is no lost wake-up.
 */

export class ReachableEnd {
  #froms = new Int32Array(1 << 16);
  #tos = new Int32Array(1 << 16);
  #edges = 0;
  readonly #ends: number[] = [];

  edge(from: number, to: number): void {
    if (this.#edges === this.#froms.length) {
      this.#froms = doubled(this.#froms);
      this.#tos = doubled(this.#tos);
    }
    this.#froms[this.#edges] = from;
    this.#tos[this.#edges++] = to;
  }

  /** Everybody is done in this state. */
  end(state: number): void {
    this.#ends.push(state);
  }

  /** The first state from which no end can be reached; -1 if there is none. */
  firstWithout(states: number): number {
    // Edges by their target, backwards from the ends.
    const starts = new Int32Array(states + 1);
    for (let edge = 0; edge < this.#edges; edge++) (starts[(this.#tos[edge] as number) + 1] as number)++;
    for (let state = 0; state < states; state++) (starts[state + 1] as number) += starts[state] as number;
    const next = starts.slice();
    const sources = new Int32Array(this.#edges);
    for (let edge = 0; edge < this.#edges; edge++) sources[(next[this.#tos[edge] as number] as number)++] = this.#froms[edge] as number;
    const reaches = new Uint8Array(states);
    const todo = [...this.#ends];
    for (const state of todo) reaches[state] = 1;
    for (let state = todo.pop(); state !== undefined; state = todo.pop()) {
      for (let at = starts[state] as number; at < (starts[state + 1] as number); at++) {
        const source = sources[at] as number;
        if (reaches[source] === 1) continue;
        reaches[source] = 1;
        todo.push(source);
      }
    }
    return reaches.indexOf(0);
  }
}

function doubled(old: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(old.length * 2);
  grown.set(old);
  return grown;
}
