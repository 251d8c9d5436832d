/** One exploration, from its description to what was found: what the workers do. */
import { patchCore, readShippedCore, readSource, type SourceFile } from '../lower/source.ts';
import { CheckArgumentError } from './check-error.ts';
import { checkBounds } from './bounds.ts';
import type { CrewJob } from '../crew.ts';
import { explore, type Exploration, type Limits } from './explore.ts';
import { checkLiveness } from './liveness.ts';
import { parseMode } from './model/mode.ts';
import { type LoadedProgram, Model } from './model/model.ts';
import { parseProgram } from './model/program.ts';
import { applyMutation, MUTATIONS } from './mutations/index.ts';
import { checkReachableEnd } from './reachable-end.ts';
import { exploreWithSpin } from './spin/explore-with-spin.ts';

export interface CheckTask {
  program: string;
  mode: string;
  /** Programs that are compiled together with it, since they need the same operations. */
  family?: readonly string[];
  /** Id of a mutation that the core is to have. */
  mutation?: string | undefined;
  mostStates: number;
  engine?: 'own' | 'spin';
}

export interface CheckResult extends Omit<Exploration, 'depth'> {
  /** The longest of the shortest ways to a state; with a failure, the steps to it. */
  longest: number;
  seconds: number;
  /** In the mode `bypass`: how many others, at most, got in past somebody who had asked for handoff. */
  overtaken?: number;
}

export function sourcesWith(mutation: string | undefined): SourceFile[] {
  const shipped = readShippedCore();
  if (mutation === undefined) return shipped;
  const found = MUTATIONS.find(({ id }) => id === mutation);
  if (!found) throw new CheckArgumentError(`there is no mutation "${mutation}"; \`rwsem-lab check --mutations\` lists them`);
  return patchCore(shipped, applyMutation(found, readSource));
}

/** The command that runs it; what is to be done with it comes behind. */
export function commandFor({ program, mode, mutation }: Pick<CheckTask, 'program' | 'mode' | 'mutation'>): string {
  return `npx rwsem-lab check --program '${program}' --mode '${mode}'${mutation === undefined ? '' : ` --mutation ${mutation}`}`;
}

/** The last model that was compiled: often the next task needs it too. */
let last: { key: string; model: Model } | undefined;

export function loadTask({ program, mode, family = [program], mutation }: CheckTask): LoadedProgram {
  const key = JSON.stringify([mode, family, mutation]);
  if (last?.key !== key) last = { key, model: new Model(sourcesWith(mutation), parseMode(mode), family.map(parseProgram)) };
  return last.model.load(parseProgram(program));
}

/** What the threads of a crew do (`worker.ts`). */
export const EXPLORATIONS: CrewJob<CheckTask> = {
  script: new URL('./worker.js', import.meta.url),
  nameOf: ({ program, mode }) => `exploring ${program}, mode "${mode}"`,
};

/** In the way of its mode. */
export function exploreAs(loaded: LoadedProgram, limits: Limits): Exploration {
  const { mode } = loaded.model;
  return (mode.fair ? checkLiveness : mode.ready ? checkReachableEnd : mode.bounded ? checkBounds : explore)(loaded, limits);
}

export function runTask(task: CheckTask, onProgress: NonNullable<Limits['onProgress']>): CheckResult {
  const startedMs = performance.now();
  const bySpin = task.engine === 'spin';
  const loaded = loadTask(bySpin ? { ...task, family: [task.program] } : task);
  const { mode, runtime } = loaded.model;
  const { depth, states, steps, failure, schedule, complete } = bySpin ? exploreWithSpin(loaded) : exploreAs(loaded, { mostStates: task.mostStates, onProgress });
  const longest = failure ? schedule.length : depth;
  return { ...(mode.bypass ? { overtaken: runtime.mostOvertaken } : {}), states, steps, failure, schedule, complete, longest, seconds: (performance.now() - startedMs) / 1000 };
}
