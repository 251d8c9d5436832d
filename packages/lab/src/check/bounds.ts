/**
 * Does every spin have a bound (I14)? Others may be suspended for ever, at any step: a thread that goes on
 * alone must come to the end of its operation, or to a sleep. If not, it makes steps for ever round a circle
 * of states, since what it counts is cut to a few bits (`model/narrow.ts`). A program that has ever new states is
 * cut, and nobody is accused. No clock helps out of a circle, unless the mode is `by-clock`: turns are not
 * counted there, and it is to get out as soon as a clock says that it is late.
 */
import { explore, type Exploration, type Limits } from './explore.ts';
import { SLEEP } from './model/layout.ts';
import type { LoadedProgram } from './model/model.ts';
import type { Failure } from './model/runtime.ts';
import { type Move, threadName, threadOf } from './schedule.ts';
import { StateGraph } from './state-graph.ts';

/** Explores the program; if nothing else is wrong, is there a thread that can go on alone for ever? */
export function checkBounds(loaded: LoadedProgram, limits: Omit<Limits, 'onEdge'>): Exploration {
  const graph = new StateGraph();
  const exploration = explore(loaded, {
    ...limits,
    onEdge(edge) {
      const { model } = loaded;
      graph.add({ ...edge, finishes: edge.finishes || model.runtime.state[model.block(threadOf(edge.move)) + SLEEP] !== 0 });
    },
  });
  if (exploration.failure || !exploration.complete) return exploration;
  for (let thread = 0; thread < loaded.threads; thread++) {
    const run = loaded.model.mode.byClock ? runWithoutEnd(graph, thread) : endlessRun(graph, thread);
    if (run) return { ...exploration, failure: unbounded(thread), schedule: run };
  }
  return exploration;
}

function unbounded(thread: number): Failure {
  return { property: 'STUCK', text: `I14: ${threadName(thread)} can go on alone for ever, without an end and without sleeping` };
}

/** To a state from which this thread can make steps for ever without anybody else, and once round. */
function endlessRun(graph: StateGraph, thread: number): Move[] | null {
  const ends = new Uint8Array(graph.states);
  const wayOn = (state: number): number => {
    const end = graph.endOfEdges(state);
    for (let edge = graph.firstEdge(state); edge < end; edge++) {
      if (graph.thread(edge) === thread && !graph.finishes(edge) && !graph.isSpurious(edge) && ends[graph.to(edge)] === 0) return edge;
    }
    return -1;
  };
  const first = firstUnmarked(ends, (state) => wayOn(state) < 0);
  if (first < 0) return null;
  const run = graph.scheduleTo(first);
  const passed = new Set<number>();
  for (let state = first; !passed.has(state); ) {
    passed.add(state);
    const edge = wayOn(state);
    run.push(graph.move(edge));
    state = graph.to(edge);
  }
  return run;
}

/** To a state from which this thread cannot come to an end or a sleep alone, whatever it chooses. */
function runWithoutEnd(graph: StateGraph, thread: number): Move[] | null {
  const ends = new Uint8Array(graph.states);
  const canEnd = (state: number): boolean => {
    let steps = 0;
    const end = graph.endOfEdges(state);
    for (let edge = graph.firstEdge(state); edge < end; edge++) {
      if (graph.thread(edge) !== thread) continue;
      if (graph.finishes(edge) || ends[graph.to(edge)] === 1) return true;
      steps++;
    }
    return steps === 0;
  };
  const without = firstUnmarked(ends, canEnd);
  return without < 0 ? null : graph.scheduleTo(without);
}

/** Marks states by a rule that looks at the marks of their successors: as often as a run is long. The first that is left, or -1. */
function firstUnmarked(marks: Uint8Array, isToBeMarked: (state: number) => boolean): number {
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (let state = marks.length - 1; state >= 0; state--) {
      if (marks[state] === 1 || !isToBeMarked(state)) continue;
      marks[state] = 1;
      isStable = false;
    }
  }
  return marks.indexOf(0);
}
