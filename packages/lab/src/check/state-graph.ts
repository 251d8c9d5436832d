/** The graph of all states and steps of a program, in flat arrays: what can go on for ever is a cycle of it. */
import type { Edge } from './explore.ts';
import { type Move, threadOf, unpackMove } from './schedule.ts';

const FINISHES = 1;
const SPURIOUS = 2;
const FIRST_SIZE = 1 << 12;

export class StateGraph {
  states = 1;
  edges = 0;
  /** By state: the number of its first edge; those of one state follow each other. */
  #first = new Int32Array(FIRST_SIZE);
  /** By state: the edge by which it was found. */
  #foundBy = new Int32Array(FIRST_SIZE).fill(-1);
  /** By state: a bit for each thread that has done everything. */
  #done = new Uint8Array(FIRST_SIZE);
  /** By edge. */
  #to = new Int32Array(FIRST_SIZE);
  #from = new Int32Array(FIRST_SIZE);
  #moves = new Uint16Array(FIRST_SIZE);
  #flags = new Uint8Array(FIRST_SIZE);
  #left = -1;

  /** Edges come in the order in which their states were found. */
  add({ from, to, move, finishes, spurious, done }: Edge): void {
    this.#reserve();
    const edge = this.edges++;
    while (this.#left < from) this.#first[++this.#left] = edge;
    this.#from[edge] = from;
    this.#to[edge] = to;
    this.#moves[edge] = move;
    this.#flags[edge] = (finishes ? FINISHES : 0) | (spurious ? SPURIOUS : 0);
    if (to < this.states) return;
    this.#foundBy[to] = edge;
    this.#done[to] = done;
    this.states = to + 1;
  }

  isDone(state: number, thread: number): boolean {
    return (((this.#done[state] as number) >> thread) & 1) !== 0;
  }

  firstEdge(state: number): number {
    return state <= this.#left ? (this.#first[state] as number) : this.edges;
  }

  endOfEdges(state: number): number {
    return this.firstEdge(state + 1);
  }

  to(edge: number): number {
    return this.#to[edge] as number;
  }

  thread(edge: number): number {
    return threadOf(this.#moves[edge] as number);
  }

  finishes(edge: number): boolean {
    return ((this.#flags[edge] as number) & FINISHES) !== 0;
  }

  isSpurious(edge: number): boolean {
    return ((this.#flags[edge] as number) & SPURIOUS) !== 0;
  }

  move(edge: number): Move {
    return unpackMove(this.#moves[edge] as number);
  }

  /** A shortest way from the first state. */
  scheduleTo(state: number): Move[] {
    const schedule: Move[] = [];
    for (let at = state; at !== 0; ) {
      const edge = this.#foundBy[at] as number;
      schedule.push(this.move(edge));
      at = this.#from[edge] as number;
    }
    return schedule.reverse();
  }

  #reserve(): void {
    if (this.states + 1 >= this.#first.length) {
      this.#first = longer(this.#first);
      this.#foundBy = longer(this.#foundBy);
      const done = new Uint8Array(this.#done.length * 2);
      done.set(this.#done);
      this.#done = done;
    }
    if (this.edges < this.#to.length) return;
    this.#to = longer(this.#to);
    this.#from = longer(this.#from);
    const moves = new Uint16Array(this.#moves.length * 2);
    moves.set(this.#moves);
    this.#moves = moves;
    const flags = new Uint8Array(this.#flags.length * 2);
    flags.set(this.#flags);
    this.#flags = flags;
  }
}

function longer(array: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(array.length * 2);
  grown.set(array);
  return grown;
}
