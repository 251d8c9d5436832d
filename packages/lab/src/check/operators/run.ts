/** All mutants, or those of some files: tried by a crew of threads, and what came of it as text. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import pc from 'picocolors';
import { hashCore, sha256 } from '../../report/provenance.ts';
import { plainTable } from '../../report/terminal.ts';
import { CheckArgumentError } from '../check-error.ts';
import { type CrewJob, type Moment, runCrew } from '../../crew.ts';
import { BATTERY } from './battery.ts';
import type { Mutant } from './mutant.ts';
import type { TryLimits, Verdict } from './try-mutant.ts';

export interface MutantTask {
  mutant: Mutant;
  limits: TryLimits;
}

export interface TriedMutant extends Mutant {
  verdict: Verdict | null;
}

const TRIALS: CrewJob<MutantTask> = {
  script: new URL('./worker.js', import.meta.url),
  nameOf: ({ mutant: { id } }) => `trying ${id}`,
};

/** Those of these files (`wake`, `read`); of all if there are none. */
export function selectMutants(all: readonly Mutant[], files: readonly string[]): readonly Mutant[] {
  const known = new Set(all.map(({ file }) => file.replace('.js', '')));
  for (const file of files) if (!known.has(file)) throw new CheckArgumentError(`there are no mutants of "${file}"; there are some of: ${[...known].join(', ')}`);
  return all.filter(({ file }) => files.length === 0 || files.includes(file.replace('.js', '')));
}

/** What a verdict is about: another battery may catch what this one does not. */
function hashTrial(): string {
  return sha256(hashCore().sha256 + JSON.stringify(BATTERY)).slice(0, 16);
}

/** Verdicts from an earlier run on the same core with the same battery. */
function readVerdicts(path: string, trial: string): Map<string, Verdict> {
  const found = new Map<string, Verdict>();
  if (!existsSync(path)) return found;
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    let entry: { trial?: string; id?: string; verdict?: Verdict };
    try {
      entry = JSON.parse(line) as typeof entry;
    } catch {
      continue; // the last line of a run that was killed
    }
    if (entry.trial === trial && entry.id !== undefined && entry.verdict !== undefined) found.set(entry.id, entry.verdict);
  }
  return found;
}

export interface TryOptions {
  workers: number;
  limits: TryLimits;
  /** Verdicts are appended here, and those that are here are not looked for again. */
  resume?: string | undefined;
  moved(done: number, moments: readonly Moment<MutantTask>[]): void;
  signal: AbortSignal;
}

export async function tryMutants(mutants: readonly Mutant[], { workers, limits, resume, moved, signal }: TryOptions): Promise<TriedMutant[]> {
  const trial = hashTrial();
  const verdicts = resume === undefined ? new Map<string, Verdict>() : readVerdicts(resume, trial);
  const tasks = mutants.filter(({ id }) => !verdicts.has(id)).map((mutant) => ({ mutant, limits }));
  let done = mutants.length - tasks.length;
  await runCrew<MutantTask, Verdict>(
    TRIALS,
    tasks,
    workers,
    {
      moved: (moments) => moved(done, moments),
      finished({ mutant: { id } }, verdict) {
        done++;
        verdicts.set(id, verdict);
        if (resume !== undefined) appendFileSync(resume, `${JSON.stringify({ trial, id, verdict })}\n`);
        return false;
      },
    },
    signal,
  );
  return mutants.map((mutant) => ({ ...mutant, verdict: verdicts.get(mutant.id) ?? null }));
}

const is = {
  caught: (verdict: Verdict | null): boolean => verdict !== null && 'caught' in verdict,
  survived: (verdict: Verdict | null): boolean => verdict !== null && 'survived' in verdict,
  stillborn: (verdict: Verdict | null): boolean => verdict !== null && 'stillborn' in verdict,
};

/** Survivors without a reason, and reasons for what does not survive: both must be empty. */
export function findSurprises(tried: readonly TriedMutant[], reasons: ReadonlyMap<string, string>): { unexplained: TriedMutant[]; caughtAfterAll: TriedMutant[] } {
  return {
    unexplained: tried.filter(({ id, verdict }) => is.survived(verdict) && !reasons.has(id)),
    caughtAfterAll: tried.filter(({ id, verdict }) => (is.caught(verdict) || is.stillborn(verdict)) && reasons.has(id)),
  };
}

export function renderMutants(tried: readonly TriedMutant[], reasons: ReadonlyMap<string, string>): string {
  const rowFor = (name: string, of: readonly TriedMutant[]): string[] => {
    const count = (test: (verdict: Verdict | null) => boolean): number => of.filter(({ verdict }) => test(verdict)).length;
    const [caught, survived] = [count(is.caught), count(is.survived)];
    return [name, String(of.length), String(count(is.stillborn)), String(caught), String(survived), caught + survived === 0 ? '-' : `${((100 * caught) / (caught + survived)).toFixed(0)} %`];
  };
  const files = [...new Set(tried.map(({ file }) => file))];
  const summary = plainTable(
    ['mutants of', 'number', 'no program', 'caught', 'survive', 'score'].map(pc.dim),
    ['left', 'right', 'right', 'right', 'right', 'right'],
    [...files.map((file) => rowFor(file.replace('.js', '.ts'), tried.filter((mutant) => mutant.file === file))), ...(files.length > 1 ? [rowFor('all', tried)] : [])],
  );
  const survivors = tried.filter(({ verdict }) => is.survived(verdict));
  const lines = survivors.map(({ id, file, line, verdict }) => {
    const cut = verdict !== null && 'survived' in verdict && verdict.cut > 0 ? pc.yellow(` (${verdict.cut} programs cut)`) : '';
    return `${file.replace('.js', '.ts')}:${line} ${id.slice(id.indexOf(' ') + 1)}${cut}\n    ${reasons.get(id) ?? pc.bold(pc.red('NOT EXPLAINED'))}`;
  });
  const { unexplained, caughtAfterAll } = findSurprises(tried, reasons);
  const untried = tried.filter(({ verdict }) => verdict === null).length;
  const end = [
    `${survivors.length} survive, ${unexplained.length === 0 ? 'each for a reason' : `${unexplained.length} for no reason that is known`}.`,
    ...caughtAfterAll.map(({ id }) => pc.red(`It has a reason to survive, and does not: ${id}`)),
    ...(untried > 0 ? [pc.yellow(`Not tried: ${untried}.`)] : []),
  ];
  return [summary, ...(lines.length > 0 ? ['', 'Survivors', ...lines] : []), '', ...end].join('\n');
}
