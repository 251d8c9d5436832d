/** One mutant: is there a program of the battery in which the checker sees that something is wrong? */
import type { SourceFile } from '../../lower/source.ts';
import { SubsetError } from '../../lower/subset-error.ts';
import { parseMode } from '../model/mode.ts';
import { Model } from '../model/model.ts';
import { parseProgram } from '../model/program.ts';
import type { Property } from '../mutations/mutation.ts';
import { exploreAs } from '../task.ts';
import { BATTERY, type Stage } from './battery.ts';
import { type Mutant, mutate } from './mutant.ts';

export type Verdict =
  | { caught: Property | 'ERROR'; program: string; mode: string; steps: number }
  /** Nothing was found. `stages`: those whose steps it changes at all; `cut`: programs that were not explored to the end. */
  | { survived: true; stages: number; cut: number }
  /** The front end refuses it: it is no program. */
  | { stillborn: string };

export interface TryLimits {
  /** Of one program. */
  mostStates: number;
  /** Of all together: what has begun then is broken off, and nothing more is begun. */
  seconds: number;
}

/** A stage that found something in fewer states is tried first on the next mutant, which is often much the same. Not by the clock: what is found would depend on the machine. */
const FEW_STATES = 1000;

class TimeIsUp extends Error {}

export class MutantTrial {
  readonly #shipped: readonly SourceFile[];
  readonly #order: Stage[] = [...BATTERY];
  readonly #unchanged = new Map<Stage, string>();

  constructor(shipped: readonly SourceFile[]) {
    this.#shipped = shipped;
  }

  run(mutant: Mutant, { mostStates, seconds }: TryLimits, onProgress: (states: number, depth: number) => void): Verdict {
    const sources = mutate(this.#shipped, mutant);
    const endMs = performance.now() + seconds * 1000;
    let stages = 0;
    let cut = 0;
    for (const stage of [...this.#order]) {
      const { mode, programs } = stage;
      if (performance.now() > endMs) {
        cut += programs.length;
        continue;
      }
      let model: Model;
      try {
        model = new Model(sources, parseMode(mode), programs.map(parseProgram));
      } catch (error) {
        if (error instanceof SubsetError || error instanceof SyntaxError) return { stillborn: error.message };
        throw error;
      }
      if (stepsOf(model) === this.#baseline(stage)) continue;
      stages++;
      for (const program of programs) {
        try {
          const { failure, schedule, complete, states } = exploreAs(model.load(parseProgram(program)), {
            mostStates,
            onProgress: (states, depth) => {
              onProgress(states, depth);
              if (performance.now() > endMs) throw new TimeIsUp();
            },
          });
          if (failure) {
            if (states < FEW_STATES) this.#toTheFront(stage);
            return { caught: failure.property, program, mode, steps: schedule.length };
          }
          if (!complete) cut++;
        } catch (error) {
          model.runtime.abandon();
          if (error instanceof TimeIsUp) cut++;
          else return { caught: 'ERROR', program, mode, steps: 0 };
        }
      }
    }
    return { survived: true, stages, cut };
  }

  #baseline(stage: Stage): string {
    let steps = this.#unchanged.get(stage);
    if (steps === undefined) this.#unchanged.set(stage, (steps = stepsOf(new Model(this.#shipped, parseMode(stage.mode), stage.programs.map(parseProgram)))));
    return steps;
  }

  #toTheFront(stage: Stage): void {
    this.#order.splice(this.#order.indexOf(stage), 1);
    this.#order.unshift(stage);
  }
}

/** All that the engine is told: if it is the same, nothing that it finds can differ. */
function stepsOf({ emitter: { sources, stops } }: Model): string {
  return JSON.stringify([sources, stops.map(({ chains, needsFreeWaitLock, timed, lingers }) => [chains, needsFreeWaitLock, timed, lingers])]);
}
