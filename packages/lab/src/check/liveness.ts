/**
 * Does everybody get the lock in the end? Programs of threads that loop for ever, every state of them, and
 * the fair runs among these in which somebody never finishes what it is at.
 *
 * MODULO THE WAIT LOCK. It is test-and-set, and starves by itself (DESIGN.md, "The wait lock"). Here taking
 * it is one step, possible while it is free; by strong fairness whoever waits for it gets it in the end.
 * The mode says so (`fair`), and that deadlines have passed. Everything else is as it ships: a compare-exchange that others can make fail for ever is found.
 */
import { CheckArgumentError } from './check-error.ts';
import { explore, type Exploration, type Limits } from './explore.ts';
import { type Component, FairCycles } from './fair-cycles.ts';
import type { LoadedProgram } from './model/model.ts';
import { starvation } from './round.ts';
import type { Move } from './schedule.ts';
import { StateGraph } from './state-graph.ts';

/** A run that never ends: there, and round and round. */
export interface Lasso {
  /** Who never gets there. */
  thread: number;
  prefix: Move[];
  cycle: Move[];
}

export interface LivenessResult extends Exploration {
  lasso: Lasso | null;
}

/** Explores the program; if nothing else is wrong, is there somebody who starves? */
export function checkLiveness(loaded: LoadedProgram, limits: Omit<Limits, 'onEdge'>): LivenessResult {
  if (!loaded.model.mode.fair) throw new CheckArgumentError('starvation is looked for in the mode fair');
  const graph = new StateGraph();
  const exploration = explore(loaded, { ...limits, onEdge: (edge) => graph.add(edge) });
  if (exploration.failure || !exploration.complete) return { ...exploration, lasso: null };
  const cycles = new FairCycles(graph);
  for (const thread of loaded.promised) {
    const component = cycles.without(thread);
    if (component) return { ...exploration, ...found(graph, component, thread) };
  }
  return { ...exploration, lasso: null };
}

function found(graph: StateGraph, component: Component, thread: number): Pick<LivenessResult, 'failure' | 'schedule' | 'lasso'> {
  const start = component.states.reduce((least, state) => Math.min(least, state));
  const round = roundTrip(graph, component, start);
  const prefix = graph.scheduleTo(start);
  const cycle = round.map((edge) => graph.move(edge));
  const finishing = round.reduce((bits, edge) => (graph.finishes(edge) ? bits | (1 << graph.thread(edge)) : bits), 0);
  return { failure: starvation(thread, finishing), schedule: [...prefix, ...cycle], lasso: { thread, prefix, cycle } };
}

/** From the state back to it, with a step of everybody who can step: short, not shortest. */
function roundTrip(graph: StateGraph, component: Component, start: number): number[] {
  const trip: number[] = [];
  let at = start;
  const go = (isGoal: (edge: number) => boolean): void => {
    const way = shortestWay(graph, component, at, isGoal);
    trip.push(...way);
    at = graph.to(way.at(-1) as number);
  };
  for (let missing = component.threads; missing !== 0; ) {
    const from = trip.length;
    go((edge) => !graph.isSpurious(edge) && ((missing >> graph.thread(edge)) & 1) !== 0);
    for (const edge of trip.slice(from)) if (!graph.isSpurious(edge)) missing &= ~(1 << graph.thread(edge));
  }
  if (at !== start) go((edge) => graph.to(edge) === start);
  return trip;
}

function shortestWay(graph: StateGraph, component: Component, from: number, isGoal: (edge: number) => boolean): number[] {
  const reachedBy = new Map<number, { edge: number; state: number }>();
  const queue = [from];
  const wayTo = (state: number, last: number): number[] => {
    const way = [last];
    for (let at = state; at !== from; ) {
      const by = reachedBy.get(at) as { edge: number; state: number };
      way.push(by.edge);
      at = by.state;
    }
    return way.reverse();
  };
  for (const state of queue) {
    const end = graph.endOfEdges(state);
    for (let edge = graph.firstEdge(state); edge < end; edge++) {
      if (!component.has(edge)) continue;
      if (isGoal(edge)) return wayTo(state, edge);
      const to = graph.to(edge);
      if (to === from || reachedBy.has(to)) continue;
      reachedBy.set(to, { edge, state });
      queue.push(to);
    }
  }
  throw new Error('a component that is not strongly connected');
}
