/**
 * The engine: every state that can be reached, breadth first, so that a counterexample is a shortest one.
 *
 * States are recognised by a fingerprint of 64 bits. Of a state that has been expanded only the fingerprint
 * and the step that first led to it are kept; the states themselves only while they wait for their turn.
 */
import type { LoadedProgram } from './model/model.ts';
import type { Failure } from './model/runtime.ts';
import { type Move, packMove, unpackMove } from './schedule.ts';
import { VisitedSet } from './visited.ts';

/** One step from one state to another, as it was explored. */
export interface Edge {
  from: number;
  to: number;
  /** Packed. */
  move: number;
  /** It ends an operation of its thread. */
  finishes: boolean;
  /** Its thread was asleep, and is awake by chance. */
  spurious: boolean;
  /** A bit for each thread that has done everything then. */
  done: number;
}

export interface Limits {
  mostStates: number;
  /** Called for every step; states are numbered in the order in which they are found, and left in that order too. May find that something is wrong with it. */
  onEdge?: (edge: Edge) => Failure | void;
  /** Called now and then. */
  onProgress?: (states: number, depth: number) => void;
}

export interface Exploration {
  states: number;
  steps: number;
  depth: number;
  failure: Failure | null;
  /** To the failure. */
  schedule: Move[];
  /** False: stopped at a limit, with states left. */
  complete: boolean;
}

const PROGRESS_EVERY = 1 << 16;

/** The states of one level, one after the other. */
class Level {
  #data: Int32Array;
  readonly #words: number;
  size = 0;

  constructor(words: number) {
    this.#words = words;
    this.#data = new Int32Array(words * 256);
  }

  push(state: Int32Array): void {
    const at = this.size++ * this.#words;
    if (at + this.#words > this.#data.length) {
      const grown = new Int32Array(this.#data.length * 2);
      grown.set(this.#data);
      this.#data = grown;
    }
    for (let i = 0; i < this.#words; i++) this.#data[at + i] = state[i] as number;
  }

  get(index: number, into: Int32Array): void {
    const at = index * this.#words;
    for (let i = 0; i < this.#words; i++) into[i] = this.#data[at + i] as number;
  }
}

export function explore(loaded: LoadedProgram, limits: Limits): Exploration {
  const { model, words, threads } = loaded;
  const { runtime } = model;
  const { state } = runtime;
  const visited = new VisitedSet(words);
  loaded.start();
  visited.add(state, -1, 0);
  let level = new Level(words);
  let next = new Level(words);
  level.push(state);
  let first = 0;
  let steps = 0;
  let depth = 0;
  const result = (failure: Failure | null, last: number, extra: Move[], complete: boolean): Exploration => ({
    states: visited.size, steps, depth, failure, schedule: failure ? [...scheduleTo(visited, last), ...extra] : [], complete,
  });
  while (level.size > 0) {
    for (let index = 0; index < level.size; index++) {
      const from = first + index;
      let isStuck = true;
      for (let thread = 0; thread < threads; thread++) {
        level.get(index, state);
        if (!model.isEnabled(thread)) continue;
        isStuck = false;
        const spurious = model.sleepsSoundly(thread);
        for (let choice = 0, more = true; more; choice++) {
          if (choice > 0) level.get(index, state);
          const finishes = model.step(thread, loaded);
          steps++;
          const move = packMove(thread, choice);
          const to = visited.add(state, from, move);
          if (to >= 0 || runtime.failure) {
            const failure = loaded.judge();
            if (failure) {
              runtime.abandon();
              return result(failure, from, [{ thread, choice }], false);
            }
            next.push(state);
          }
          const wrong = limits.onEdge?.({ from, to: to < 0 ? -to - 2 : to, move, finishes, spurious, done: model.doneThreads(threads) });
          if (wrong) {
            runtime.abandon();
            return result(wrong, from, [{ thread, choice }], false);
          }
          more = runtime.nextCombination();
        }
      }
      if (isStuck) {
        level.get(index, state);
        const failure = loaded.judgeEnd();
        if (failure) return result(failure, from, [], false);
      }
      if ((from & (PROGRESS_EVERY - 1)) === 0) limits.onProgress?.(visited.size, depth);
      if (visited.size > limits.mostStates) return result(null, 0, [], false);
    }
    first += level.size;
    [level, next] = [next, level];
    next.size = 0;
    if (level.size > 0) depth++;
  }
  return result(null, 0, [], true);
}

function scheduleTo(visited: VisitedSet, state: number): Move[] {
  const schedule: Move[] = [];
  for (let at = state; at > 0; at = visited.parent(at)) {
    schedule.push(unpackMove(visited.move(at)));
  }
  return schedule.reverse();
}
