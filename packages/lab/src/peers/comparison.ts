/** Runs of bench against the locks of others, and the judgement: what we answer for is our own lock. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Verdict } from '../bench/competitor.ts';
import { isFailure } from '../bench/statistics.ts';
import type { BenchReport } from '../report/bench-report.ts';

const cli = fileURLToPath(new URL('../cli.js', import.meta.url));

/** Locks for one table. */
export interface Comparison {
  title: string;
  /** In the names of its reports. */
  name: string;
  /** Whose failure is a failure of the run. The first is what the ratios refer to. */
  ours: readonly string[];
  others: readonly string[];
}

export interface ComparisonRun {
  comparisons: readonly Comparison[];
  /** The program that runs bench. */
  node: string;
  /** For bench, in every comparison. */
  parameters: readonly string[];
  say(text: string): void;
}

const DID: Readonly<Record<string, string>> = {
  VIOLATED: 'let two in at once',
  HUNG: 'hung',
  FAILED: 'failed',
} satisfies Partial<Record<Verdict, string>>;

/** The exit code. Reports go to the working directory. */
export function runComparisons({ comparisons, node, parameters, say }: ComparisonRun): number {
  const trouble: Trouble[] = [];
  for (const { title, name, ours, others } of comparisons) {
    say(title);
    const reports = `bench-report.${name}`;
    rmSync(`${reports}.json`, { force: true }); // of an earlier run
    const locks = [...ours, ...others].join(',');
    const { status } = spawnSync(node, [cli, 'bench', '--locks', locks, '--html', `${reports}.html`, '--json', `${reports}.json`, ...parameters], { stdio: 'inherit' });
    // 1 may be the verdict on any lock, which the report tells; whatever else is not 0 is no verdict.
    const found = status === 0 || status === 1 ? troubleOf(readReport(`${reports}.json`), ours) : [];
    if (status !== 0 && found.length === 0) return status ?? 1;
    trouble.push(...found);
  }
  const failed = trouble.filter(({ isOurs }) => isOurs);
  const others = trouble.filter(({ isOurs }) => !isOurs);
  for (const { lock, did } of failed) process.stdout.write(`${lock}, which is ours, ${did}.\n`);
  for (const { lock, did } of others) process.stdout.write(`${lock}, which is not ours, ${did}: its rows above say so.\n`);
  if (others.length > 0) process.stdout.write('The exit code is about our locks alone.\n');
  process.stdout.write(`As data: ${comparisons.map(({ name }) => resolve(`bench-report.${name}.json`)).join(', ')}\n`);
  return failed.length > 0 ? 1 : 0;
}

interface Trouble {
  lock: string;
  isOurs: boolean;
  did: string;
}

/** A lock that has no business being absent is in trouble, too. */
function troubleOf(report: BenchReport | null, ours: readonly string[]): Trouble[] {
  if (report === null) return [];
  const { results, absent } = report;
  // Under another policy it is called `rwsem{spin=off}`.
  const isOurs = (lock: string) => ours.some((name) => lock === name || lock.startsWith(`${name}{`));
  const seen = new Map<string, Set<string>>();
  for (const { locks } of results) {
    for (const { lock, summary } of locks) {
      if (isFailure(summary.verdict)) seen.set(lock, (seen.get(lock) ?? new Set()).add(DID[summary.verdict] ?? summary.verdict));
    }
  }
  for (const lock of Object.keys(absent).filter(isOurs)) seen.set(lock, new Set(['cannot run here']));
  return [...seen].map(([lock, did]) => ({ lock, isOurs: isOurs(lock), did: [...did].join(' and ') }));
}

/** Null if bench ended before it had one, and has said why. */
function readReport(file: string): BenchReport | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as BenchReport;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}
