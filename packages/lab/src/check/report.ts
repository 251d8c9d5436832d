/** What was explored, as data and as text. */
import { createLogUpdate } from 'log-update';
import pc from 'picocolors';
import { formatSeconds } from '../report/format.ts';
import type { Provenance } from '../report/provenance.ts';
import { plainTable } from '../report/terminal.ts';
import type { Moment } from '../crew.ts';
import type { Group } from './plan.ts';
import type { CheckResult, CheckTask } from './task.ts';

const whole = (value: number): string => value.toLocaleString('en');

export type Verdict = 'held' | 'VIOLATED' | 'cut' | 'not run';

/** One program; without a result it was not run, or not to its end. */
export interface CheckRow {
  group: string;
  program: string;
  mode: string;
  result: CheckResult | null;
}

export interface CheckReport {
  kind: 'rwsem-lab check';
  schema: 1;
  provenance: Provenance;
  mutation: string | null;
  mostStates: number;
  rows: CheckRow[];
}

export function verdictOf({ result }: CheckRow): Verdict {
  if (result === null) return 'not run';
  return result.failure ? 'VIOLATED' : result.complete ? 'held' : 'cut';
}

export function renderTable(groups: readonly Group[], rows: readonly CheckRow[]): string {
  const lines = groups.map(({ title, mode, programs }) => {
    const members = rows.filter((row) => row.group === title && row.mode === mode);
    const done = members.flatMap(({ result }) => result ?? []);
    const sum = (of: (result: CheckResult) => number): number => done.reduce((total, result) => total + of(result), 0);
    const longest = done.reduce((most, result) => Math.max(most, result.longest), 0);
    return [title, mode || '-', String(programs.length), whole(sum(({ states }) => states)), String(longest), verdicts(members), sum(({ seconds }) => seconds).toFixed(1)];
  });
  return plainTable(
    ['explored', 'mode', 'programs', 'states', 'longest', 'verdict', 's'].map(pc.dim),
    ['left', 'left', 'right', 'right', 'right', 'left', 'right'],
    lines,
  );
}

/** `held`, or how many of which. */
function verdicts(members: readonly CheckRow[]): string {
  const counts = new Map<Verdict, number>();
  for (const member of members) counts.set(verdictOf(member), (counts.get(verdictOf(member)) ?? 0) + 1);
  const color = (verdict: Verdict): string => (verdict === 'held' ? pc.green(verdict) : verdict === 'VIOLATED' ? pc.bold(pc.red(verdict)) : pc.yellow(verdict));
  return [...counts].map(([verdict, count]) => (counts.size === 1 ? color(verdict) : `${count} ${color(verdict)}`)).join(', ');
}

/** In one line, and if not everything was explored, what was not. */
export function renderSummary(rows: readonly CheckRow[], seconds: number): string {
  const states = rows.reduce((total, { result }) => total + (result?.states ?? 0), 0);
  const of = (verdict: Verdict): CheckRow[] => rows.filter((row) => verdictOf(row) === verdict);
  const lines = [`${of('held').length} of ${rows.length} programs were explored completely and held; ${whole(states)} states in ${formatSeconds(seconds)}.`];
  for (const { program, result } of rows) if (result?.overtaken !== undefined) lines.push(`Past a handoff at most ${result.overtaken} others got in: ${program}`);
  for (const { program, mode, result } of of('cut')) lines.push(pc.yellow(`Cut at the limit, ${whole(result?.states ?? 0)} states, up to ${result?.longest ?? 0} steps: ${program}, mode ${mode || '-'}`));
  const left = of('not run');
  if (left.length > 0) lines.push(pc.yellow(`Not run: ${left.length} programs.`));
  return lines.join('\n');
}

export interface CheckProgress {
  moved(moments: readonly Moment<CheckTask>[]): void;
  finished(row: CheckRow): void;
  done(): void;
}

/** On a terminal one line that is always current; elsewhere one line for each group that is done. */
export function createCheckProgress(stream: NodeJS.WriteStream, groups: readonly Group[]): CheckProgress {
  const live = stream.isTTY ? createLogUpdate(stream) : null;
  const startedMs = performance.now();
  const total = groups.reduce((sum, { programs }) => sum + programs.length, 0);
  const left = new Map(groups.map((group) => [`${group.title} ${group.mode}`, group.programs.length]));
  let finished = 0;
  const elapsed = (): string => formatSeconds((performance.now() - startedMs) / 1000);
  return {
    moved(moments) {
      const parts = moments.map(({ task, states, depth }) => `${pc.bold(task.program)} ${pc.dim(task.mode)} ${whole(states)} states, ${depth} steps`);
      live?.([`${pc.dim(`${finished}/${total} · ${elapsed()}`)}`, ...parts].join('\n'));
    },
    finished({ group, mode }) {
      finished++;
      const key = `${group} ${mode}`;
      const rest = (left.get(key) ?? 1) - 1;
      left.set(key, rest);
      if (!live && rest === 0) stream.write(`[${elapsed()}] ${group}${mode && `, mode ${mode}`}: done\n`);
    },
    done() {
      live?.clear();
      live?.done();
    },
  };
}
