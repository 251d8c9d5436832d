/** A run that comes back to where it was can go on so for ever. Is that fair, and does somebody starve? */
import { PC } from './model/layout.ts';
import type { LoadedProgram } from './model/model.ts';
import type { Failure } from './model/runtime.ts';
import { threadName } from './schedule.ts';

/** A state, and the step that was made there. */
interface Moment {
  state: Int32Array;
  /** Bits: threads that can step, and must in the end. */
  able: number;
  thread: number;
  finishes: boolean;
}

export class Rounds {
  readonly #loaded: LoadedProgram;
  readonly #moments: Moment[] = [];

  constructor(loaded: LoadedProgram) {
    this.#loaded = loaded;
  }

  /** Before a step of this thread; `finished` says afterwards whether an operation ended with it. */
  step(thread: number): (finishes: boolean) => void {
    const { model, threads, words } = this.#loaded;
    let able = 0;
    for (let other = 0; other < threads; other++) if (model.isEnabled(other) && !model.sleepsSoundly(other)) able |= 1 << other;
    const moment = { state: model.runtime.state.slice(0, words), able, thread, finishes: false };
    this.#moments.push(moment);
    return (finishes) => (moment.finishes = finishes);
  }

  /** How many steps come before those that lead from this state back to it; -1 if it is a new one. */
  start(): number {
    const { state } = this.#loaded.model.runtime;
    return this.#moments.findIndex((moment) => moment.state.every((word, at) => word === state[at]));
  }

  /** What is wrong with going round for ever from there on. */
  judge(start: number): Failure | null {
    const round = this.#moments.slice(start);
    const bits = (of: (moment: Moment) => number): number => round.reduce((all, moment) => all | of(moment), 0);
    const unfair = bits(({ able }) => able) & ~bits(({ thread }) => 1 << thread);
    if (unfair !== 0) return null;
    const finishing = bits(({ finishes, thread }) => (finishes ? 1 << thread : 0));
    const { model, promised } = this.#loaded;
    for (const thread of promised) {
      if (((finishing >> thread) & 1) === 0 && model.runtime.state[model.block(thread) + PC] !== 0) return starvation(thread, finishing);
    }
    return null;
  }
}

/** `finishing`: a bit for each thread that gets there again and again. */
export function starvation(thread: number, finishing: number): Failure {
  const others = [0, 1, 2, 3, 4, 5, 6, 7].filter((other) => ((finishing >> other) & 1) !== 0).map(threadName);
  const meanwhile = others.length > 0 ? `while ${others.join(', ')} can go on for ever` : 'and nobody else either';
  return { property: 'STARVE', text: `${threadName(thread)} never gets there, ${meanwhile}` };
}
