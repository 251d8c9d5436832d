/** The catalogue of mutations, run: what caught each, or why nothing did. */
import pc from 'picocolors';
import { plainTable } from '../report/terminal.ts';
import { type Mutation, MUTATIONS, type Property } from './mutations/index.ts';
import type { CheckResult, CheckTask } from './task.ts';

/** Where a mutation must survive that is foretold to be caught nowhere. */
const SURVIVAL = { program: 'any/anyAsync... | any/anyAsync...', mode: 'one-core' };

export type MutationOutcome =
  | { id: string; program: string; mode: string; caught: Property; steps: number }
  /** Explored completely, and nothing was found. */
  | { id: string; program: string; mode: string; survived: true }
  | { id: string; untried: string };

export interface MutationTask extends CheckTask {
  mutation: string;
}

export function taskFor({ id, expect }: Mutation, mostStates: number): MutationTask {
  if ('uncaught' in expect) return { mutation: id, ...SURVIVAL, mostStates };
  return { mutation: id, program: expect.program, mode: expect.mode ?? '', mostStates };
}

export function outcomeOf({ mutation: id, program, mode }: MutationTask, { failure, complete, longest }: CheckResult): MutationOutcome {
  if (failure) return { id, program, mode, caught: failure.property, steps: longest };
  return complete ? { id, program, mode, survived: true } : { id, untried: 'cut at the limit of states' };
}

export function untried(id: string): MutationOutcome {
  return { id, untried: 'stopped before its turn' };
}

/** Is it what the catalogue foretells? */
export function isForetold({ expect }: Mutation, outcome: MutationOutcome): boolean {
  if ('untried' in outcome) return true;
  if ('uncaught' in expect) return 'survived' in outcome;
  return 'caught' in outcome && (outcome.caught === expect.property || outcome.caught === expect.or);
}

/** One line each, so that a change shows as one. */
export function formatOutcomes(outcomes: readonly MutationOutcome[]): string {
  return `[\n${outcomes.map((outcome) => `  ${JSON.stringify(outcome)}`).join(',\n')}\n]\n`;
}

export function renderOutcomes(outcomes: readonly MutationOutcome[]): string {
  const byId = new Map(MUTATIONS.map((mutation) => [mutation.id, mutation]));
  const rows = outcomes.map((outcome) => {
    const mutation = byId.get(outcome.id) as Mutation;
    const mark = isForetold(mutation, outcome) ? '' : pc.bold(pc.red('NOT AS FORETOLD'));
    const reason = 'uncaught' in mutation.expect ? `not caught: ${mutation.expect.uncaught}` : 'not caught';
    if ('untried' in outcome) return [outcome.id, pc.yellow('not tried'), '', outcome.untried, mark];
    if ('survived' in outcome) return [outcome.id, '-', '', reason, mark];
    return [outcome.id, pc.green(outcome.caught), String(outcome.steps), `${outcome.program}${outcome.mode && `, mode ${outcome.mode}`}`, mark];
  });
  const table = plainTable(['mutation', 'caught by', 'steps', 'in, or why not', ''].map(pc.dim), ['left', 'left', 'right', 'left', 'left'], rows);
  const count = (is: (outcome: MutationOutcome) => boolean): number => outcomes.filter(is).length;
  const surprises = count((outcome) => !isForetold(byId.get(outcome.id) as Mutation, outcome));
  const summary = `${outcomes.length} mutations: ${count((o) => 'caught' in o)} caught, ${count((o) => 'survived' in o)} not, ${count((o) => 'untried' in o)} not tried; ${surprises === 0 ? 'all as foretold' : `${surprises} not as foretold`}.`;
  return `${table}\n\n${summary}`;
}
