/** Runs a schedule again, and keeps what happened in every step. */
import type { Place } from '../lower/module.ts';
import { CheckArgumentError } from './check-error.ts';
import type { Delay } from './model/delays.ts';
import { SLEEP } from './model/layout.ts';
import type { LoadedProgram } from './model/model.ts';
import type { Failure } from './model/runtime.ts';
import { Rounds } from './round.ts';
import { type Move, threadName } from './schedule.ts';
import { WordNames } from './words.ts';

export interface TraceStep {
  thread: number;
  /** Accesses of the step, in order, and free choices. */
  statements: { place: Place; note: string }[];
  /** `COUNT 0->W`. */
  changes: string[];
}

export interface Trace {
  steps: TraceStep[];
  failure: Failure | null;
  /** Nobody can make a step after it. */
  isOver: boolean;
  /** In the mode `fair`: how many steps come before those that can be made again and again. */
  cycleAt?: number;
}

export function replay(loaded: LoadedProgram, schedule: readonly Move[]): Trace {
  const { model, threads, words } = loaded;
  const { runtime } = model;
  const { state } = runtime;
  const names = new WordNames(loaded);
  const steps: TraceStep[] = [];
  const rounds = model.mode.fair ? new Rounds(loaded) : null;
  const late = new LateStores();
  loaded.start();
  for (const [index, { thread, choice }] of schedule.entries()) {
    const where = `step ${index + 1} of the schedule`;
    if (thread >= threads) throw new CheckArgumentError(`${where}: there is no thread ${threadName(thread)} in ${loaded.program.text}`);
    if (!model.isEnabled(thread)) throw new CheckArgumentError(`${where}: ${threadName(thread)} cannot make a step there; is it the same program, mode and source?`);
    const before = state.slice(0, words);
    const endsSleep = before[model.block(thread) + SLEEP] !== 0;
    const passed: number[] = [];
    const finished = rounds?.step(thread);
    let finishes = false;
    const wasMade = runtime.skipTo(choice, () => {
      state.set(before);
      passed.length = 0;
      finishes = model.step(thread, loaded, passed);
    });
    finished?.(finishes);
    const choices = runtime.choicesMade();
    runtime.abandon();
    if (!wasMade) throw new CheckArgumentError(`${where}: ${threadName(thread)} has no choice ${choice} there; is it the same program, mode and source?`);
    const statements = passed.flatMap((number) => {
      const { place, access } = model.stops[number] ?? {};
      if (!place || (access === 'resume' && !endsSleep)) return [];
      return [{ place, note: access === 'resume' ? 'the sleep ends by itself' : '' }];
    });
    late.tell(thread, runtime.delays?.log ?? [], statements, names);
    for (const { site, chosen } of choices) {
      const known = model.choices[site];
      if (known) statements.push({ place: known.place, note: `${known.name} = ${known.values[chosen]}` });
    }
    steps.push({ thread, statements, changes: names.changes(before, state) });
    const failure = loaded.judge();
    if (failure) return { steps, failure, isOver: false };
  }
  const cycleAt = rounds?.start() ?? -1;
  if (cycleAt >= 0) return { steps, failure: rounds?.judge(cycleAt) ?? null, isOver: false, cycleAt };
  for (let thread = 0; thread < threads; thread++) if (model.isEnabled(thread)) return { steps, failure: null, isOver: false };
  return { steps, failure: loaded.judgeEnd(), isOver: true };
}

/** In the mode `delayed`: which statement a store that takes effect late comes from. */
class LateStores {
  readonly #places = new Map<string, Place>();

  /** Says with the statements of a step what was late or early in it. */
  tell(thread: number, delays: readonly Delay[], statements: TraceStep['statements'], names: WordNames): void {
    for (const { kind, address, value } of delays) {
      const last = statements.at(-1);
      const store = `${thread} ${address}`;
      if (kind === 'takes effect') {
        const place = this.#places.get(store);
        if (place) statements.push({ place, note: 'the store takes effect' });
      } else if (last && kind === 'late') {
        this.#places.set(store, last.place);
        last.note = `takes effect later: ${names.word(address, value)}`;
      } else if (last) last.note = `reads early: ${names.word(address, value)}`;
    }
  }
}
