/** Many lists over the same few nodes, each node in at most one of them, in the order of arrival. Nothing is allocated. */
export class Lists {
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;

  constructor(lists: number, nodes: number) {
    this.#first = new Int32Array(lists).fill(-1);
    this.#last = new Int32Array(lists).fill(-1);
    this.#next = new Int32Array(nodes).fill(-1);
    this.#previous = new Int32Array(nodes).fill(-1);
  }

  /** The first node, or -1. */
  first(list: number): number {
    return this.#first[list]!;
  }

  /** The node behind this one, or -1. */
  next(node: number): number {
    return this.#next[node]!;
  }

  append(list: number, node: number): void {
    const last = this.#last[list]!;
    this.#next[node] = -1;
    this.#previous[node] = last;
    if (last < 0) this.#first[list] = node;
    else this.#next[last] = node;
    this.#last[list] = node;
  }

  remove(list: number, node: number): void {
    const next = this.#next[node]!;
    const previous = this.#previous[node]!;
    if (previous < 0) this.#first[list] = next;
    else this.#next[previous] = next;
    if (next < 0) this.#last[list] = previous;
    else this.#previous[next] = previous;
  }

  /** How many there are, counted up to `most`. */
  count(list: number, most: number): number {
    let count = 0;
    for (let node = this.#first[list]!; node >= 0 && count < most; node = this.#next[node]!) count++;
    return count;
  }
}
