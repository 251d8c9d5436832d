/**
 * Fair runs that never end: strongly connected components of the graph (Tarjan), under strong fairness.
 *
 * A thread that can make a step again and again makes one again and again. So a set of states can be run
 * through for ever if every thread that can step somewhere in it does so within it. If not, the states in
 * which that thread could are taken out, and what is left is looked at again (Emerson and Lei).
 */
import type { StateGraph } from './state-graph.ts';

/** A set of states, each of which can be reached from each without leaving it. */
export interface Component {
  states: readonly number[];
  /** Threads that can step in it, and do. */
  threads: number;
  has(edge: number): boolean;
}

export class FairCycles {
  readonly #graph: StateGraph;
  /** By state: a bit for each thread that can step. */
  readonly #enabled: Uint8Array;
  /** By state: the set of states it is in at the moment; 0 if it is out. */
  readonly #region: Int32Array;
  readonly #order: Int32Array;
  readonly #low: Int32Array;
  #regions = 0;

  constructor(graph: StateGraph) {
    this.#graph = graph;
    this.#enabled = new Uint8Array(graph.states);
    this.#region = new Int32Array(graph.states);
    this.#order = new Int32Array(graph.states);
    this.#low = new Int32Array(graph.states);
    for (let state = 0; state < graph.states; state++) {
      const end = graph.endOfEdges(state);
      for (let edge = graph.firstEdge(state); edge < end; edge++) {
        if (!graph.isSpurious(edge)) this.#enabled[state] = (this.#enabled[state] as number) | (1 << graph.thread(edge));
      }
    }
  }

  /** Where everything can go on fairly for ever, and this thread never finishes what it is at. */
  without(thread: number): Component | null {
    const graph = this.#graph;
    const isAllowed = (edge: number): boolean => !(graph.finishes(edge) && graph.thread(edge) === thread);
    this.#region.fill(0);
    const all: number[] = [];
    for (let state = 0; state < graph.states; state++) if (!graph.isDone(state, thread)) all.push(state);
    const todo = [all];
    for (let states = todo.pop(); states; states = todo.pop()) {
      for (const component of this.#components(states, isAllowed)) {
        let couldStep = 0;
        let steps = 0;
        const region = ++this.#regions;
        for (const state of component) this.#region[state] = region;
        const has = (edge: number): boolean => isAllowed(edge) && this.#region[graph.to(edge)] === region;
        for (const state of component) {
          couldStep |= this.#enabled[state] as number;
          const end = graph.endOfEdges(state);
          for (let edge = graph.firstEdge(state); edge < end; edge++) {
            if (!graph.isSpurious(edge) && has(edge)) steps |= 1 << graph.thread(edge);
          }
        }
        const treatedUnfairly = couldStep & ~steps;
        if (steps !== 0 && treatedUnfairly === 0) return { states: component, threads: steps, has };
        if (steps === 0) continue;
        const rest = component.filter((state) => ((this.#enabled[state] as number) & treatedUnfairly) === 0);
        if (rest.length > 0) todo.push(rest);
      }
    }
    return null;
  }

  /** Tarjan's, without recursion: the components among these states that have more than one, or a step to itself. */
  #components(states: readonly number[], isAllowed: (edge: number) => boolean): number[][] {
    const graph = this.#graph;
    const order = this.#order;
    const low = this.#low;
    const region = ++this.#regions;
    for (const state of states) {
      this.#region[state] = region;
      order[state] = 0;
    }
    const found: number[][] = [];
    const open: number[] = [];
    const path: number[] = [];
    const nextEdge: number[] = [];
    let visited = 0;
    for (const root of states) {
      if (order[root] !== 0) continue;
      path.push(root);
      nextEdge.push(graph.firstEdge(root));
      order[root] = low[root] = ++visited;
      open.push(root);
      while (path.length > 0) {
        const at = path.length - 1;
        const state = path[at] as number;
        const edge = nextEdge[at] as number;
        if (edge < graph.endOfEdges(state)) {
          nextEdge[at] = edge + 1;
          const to = graph.to(edge);
          if (this.#region[to] !== region || !isAllowed(edge)) continue;
          if (order[to] === 0) {
            path.push(to);
            nextEdge.push(graph.firstEdge(to));
            order[to] = low[to] = ++visited;
            open.push(to);
          } else low[state] = Math.min(low[state] as number, order[to] as number);
          continue;
        }
        path.pop();
        nextEdge.pop();
        const parent = path.at(-1);
        if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[state] as number);
        if (low[state] !== order[state]) continue;
        const start = open.lastIndexOf(state);
        const component = open.splice(start);
        for (const member of component) this.#region[member] = 0; // closed: no way leads back from here
        if (component.length > 1 || this.#loops(state, isAllowed)) found.push(component);
      }
    }
    return found;
  }

  #loops(state: number, isAllowed: (edge: number) => boolean): boolean {
    const end = this.#graph.endOfEdges(state);
    for (let edge = this.#graph.firstEdge(state); edge < end; edge++) {
      if (this.#graph.to(edge) === state && isAllowed(edge)) return true;
    }
    return false;
  }
}
