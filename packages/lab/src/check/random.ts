/**
 * Random schedules, for programs with more threads than can be explored: each run goes its own way, one state
 * after the other, under the same judges. Two ways to choose who is next:
 *
 *  - any that can make a step, each with the same probability;
 *  - PCT (Burckhardt and others, ASPLOS 2010), after such a run: threads have priorities in random order, the
 *    first that can makes the step, and at d - 1 random moments whoever runs falls behind all others. A mistake
 *    that takes d orderings of n threads and k steps is found by a run with a probability of at least 1 in
 *    n * k^(d-1). Ours: whoever has finished an operation gets a new priority, or a loop would be all there is.
 *
 * Nothing found is no proof: a run sees one path of very many.
 */
import { Random } from '../random.ts';
import { CheckArgumentError } from './check-error.ts';
import type { LoadedProgram } from './model/model.ts';
import type { Failure } from './model/runtime.ts';
import type { Move } from './schedule.ts';

export interface RandomOptions {
  /** Of the first run; the next has the next one. */
  seed: number;
  /** Runs; under PCT, pairs of runs. */
  count: number;
  /** PCT with this d; without it, anybody only. */
  depth?: number | undefined;
  /** After so many steps a run is over: threads may go on for ever. */
  mostSteps?: number;
}

export interface RandomResult {
  runs: number;
  steps: number;
  failure: Failure | null;
  /** Of the run that failed: with it, and a count of 1, it is the same again. */
  seed: number | null;
  schedule: Move[];
}

const MOST_STEPS = 5000;

export function randomSchedules(loaded: LoadedProgram, options: RandomOptions): RandomResult {
  const { seed, count, depth, mostSteps = MOST_STEPS } = options;
  for (const [name, value, least] of [['seed', seed, 0], ['count', count, 1], ['depth', depth ?? 1, 1], ['mostSteps', mostSteps, 1]] as const) {
    if (!Number.isInteger(value) || value < least || value > 0x7fffffff) throw new CheckArgumentError(`${name} ${value}: a whole number from ${least} to ${0x7fffffff}`);
  }
  let steps = 0;
  for (let run = 0; run < count; run++) {
    const random = new Random(seed + run);
    let found = runOnce(loaded, random, (able) => random.pick(able), mostSteps);
    steps += found.schedule.length;
    if (depth !== undefined && !found.failure) {
      // How long a run is, PCT has to know beforehand: as long as the one just made.
      found = runOnce(loaded, random, prioritised(loaded.threads, random, depth, found.schedule.length), mostSteps);
      steps += found.schedule.length;
    }
    const { failure, schedule } = found;
    if (failure) return { runs: run + 1, steps, failure, seed: seed + run, schedule };
  }
  return { runs: count, steps, failure: null, seed: null, schedule: [] };
}

/** Who is next? `hasFinished`: whoever made the last step has ended an operation with it. */
type Pick = (able: readonly number[], hasFinished: boolean) => number;

function prioritised(threads: number, random: Random, depth: number, length: number): Pick {
  const changes = new Set<number>();
  while (changes.size < Math.min(depth - 1, length)) changes.add(random.below(length));
  /** Last in it, first to go. */
  const order: number[] = [];
  for (let thread = 0; thread < threads; thread++) order.splice(random.below(thread + 1), 0, thread);
  let step = 0;
  let last = -1;
  const fallBehind = (thread: number): void => {
    order.splice(order.indexOf(thread), 1);
    order.unshift(thread);
  };
  return (able, hasFinished) => {
    if (hasFinished) {
      order.splice(order.indexOf(last), 1);
      order.splice(random.below(threads), 0, last);
    }
    const first = (): number => order.findLast((thread) => able.includes(thread)) as number;
    if (changes.has(step++)) fallBehind(first());
    last = first();
    return last;
  };
}

function runOnce(loaded: LoadedProgram, random: Random, pick: Pick, mostSteps: number): { failure: Failure | null; schedule: Move[] } {
  const { model, threads } = loaded;
  const schedule: Move[] = [];
  loaded.start();
  for (let hasFinished = false; schedule.length < mostSteps; ) {
    const able: number[] = [];
    for (let thread = 0; thread < threads; thread++) if (model.isEnabled(thread)) able.push(thread);
    if (able.length === 0) return { failure: loaded.judgeEnd(), schedule };
    const thread = pick(able, hasFinished);
    const { choice, finishes } = stepSomehow(loaded, random, thread);
    hasFinished = finishes;
    schedule.push({ thread, choice });
    const failure = loaded.judge();
    if (failure) return { failure, schedule };
  }
  return { failure: null, schedule };
}

/** A step, its free choices made at random: each way it can go with the same probability. */
function stepSomehow(loaded: LoadedProgram, random: Random, thread: number): { choice: number; finishes: boolean } {
  const { model, words } = loaded;
  const { runtime } = model;
  const { state } = runtime;
  const before = state.slice(0, words);
  let finishes = false;
  let ways = 0;
  runtime.abandon();
  do {
    if (ways++ > 0) state.set(before);
    finishes = model.step(thread, loaded);
  } while (runtime.nextCombination());
  if (ways === 1) return { choice: 0, finishes };
  const choice = random.below(ways);
  runtime.skipTo(choice, () => {
    state.set(before);
    finishes = model.step(thread, loaded);
  });
  runtime.abandon();
  return { choice, finishes };
}
