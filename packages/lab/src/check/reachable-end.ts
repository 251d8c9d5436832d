/**
 * Can the end be reached from every state? If not, threads can get where they go round for ever, whatever
 * the scheduler does: nobody sleeps, so that it is no lost wake-up.
 */
import { explore, type Exploration, type Limits } from './explore.ts';
import type { LoadedProgram } from './model/model.ts';
import { StateGraph } from './state-graph.ts';

/** Explores the program; if nothing else is wrong, is there a state from which there is no way to the end? */
export function checkReachableEnd(loaded: LoadedProgram, limits: Omit<Limits, 'onEdge'>): Exploration {
  const graph = new StateGraph();
  const exploration = explore(loaded, { ...limits, onEdge: (edge) => graph.add(edge) });
  if (exploration.failure || !exploration.complete) return exploration;
  const lost = firstWithoutEnd(graph);
  if (lost < 0) return exploration;
  return {
    ...exploration,
    failure: { property: 'STUCK', text: 'from here the end cannot be reached any more, whoever makes a step' },
    schedule: graph.scheduleTo(lost),
  };
}

/** The first state from which no end can be reached; -1 if there is none. */
function firstWithoutEnd(graph: StateGraph): number {
  const { states, edges } = graph;
  // Edges by their target, backwards from the ends.
  const starts = new Int32Array(states + 1);
  for (let edge = 0; edge < edges; edge++) (starts[graph.to(edge) + 1] as number)++;
  for (let state = 0; state < states; state++) (starts[state + 1] as number) += starts[state] as number;
  const next = starts.slice();
  const sources = new Int32Array(edges);
  const reaches = new Uint8Array(states);
  const todo: number[] = [];
  for (let state = 0; state < states; state++) {
    const end = graph.endOfEdges(state);
    for (let edge = graph.firstEdge(state); edge < end; edge++) sources[(next[graph.to(edge)] as number)++] = state;
    if (graph.firstEdge(state) < end) continue;
    // Nobody can make a step, and nothing was wrong with that: everybody is done.
    reaches[state] = 1;
    todo.push(state);
  }
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
