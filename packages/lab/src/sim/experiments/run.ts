/** `rwsem-lab sim d1 ... all, quick`: experiments on as many threads as there are cores. */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { runCrew, type CrewJob, type CrewObserver } from '../../crew.ts';
import { toJson } from '../../report/bench-report.ts';
import { collectProvenance } from '../../report/provenance.ts';
import { formatSeconds } from '../../report/format.ts';
import { EXPERIMENTS } from './catalog.ts';
import { FULL, QUICK, verdictOf, type Experiment, type Report, type Scale } from './experiment.ts';
import type { ExperimentTask } from './experiment-thread.ts';
import { renderReport } from './render.ts';
import type { SimReport } from './report.ts';

/** Those that take longest go first. */
const BY_LENGTH = ['d3', 'd2', 'd4', 'd1'];

export interface Files {
  json?: string;
  html: string | false;
}

export async function runExperiments(name: string, seeds: number | undefined, { json, html }: Files): Promise<number> {
  const chosen = name === 'all' || name === 'quick' ? EXPERIMENTS : EXPERIMENTS.filter(({ id }) => id === name);
  const scale: Scale = name === 'quick' ? QUICK : FULL;
  const settings = { ...scale, seeds: seeds ?? scale.seeds };
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const reports = await runAll(chosen, settings);
  const provenance = collectProvenance();
  const { user, system } = process.cpuUsage(cpu);
  const totals = { seconds: (performance.now() - startedMs) / 1000, cpuSeconds: (user + system) / 1e6 };
  const judged = reports.map((report) => ({ ...report, claims: report.claims.map((claim) => ({ ...claim, verdict: verdictOf(claim) })) }));
  const report: SimReport = { kind: 'rwsem-lab sim', schema: 2, provenance, settings, totals, reports: judged };
  // The files first: whoever reads the tables may stop reading.
  if (json !== undefined) writeFileSync(json, toJson(report));
  if (html !== false) {
    const { renderSimPage } = await import('../../report/sim-page.ts'); // the plotting library takes 0.2 s to load
    writeFileSync(html, renderSimPage(report));
  }
  for (const one of reports) process.stdout.write(`${renderReport(one, settings.seeds)}\n`);
  process.stdout.write(`The core that ran: ${provenance.core.sha256.slice(0, 12)}, lowered from the built files.\n`);
  process.stdout.write(`In all ${formatSeconds(totals.seconds)}, ${formatSeconds(totals.cpuSeconds)} of processor time.\n`);
  if (html !== false) process.stdout.write(`Plots: ${resolve(html)}\n`);
  return reports.some(({ violations }) => violations > 0) ? 1 : 0;
}

const PERFORMANCES: CrewJob<ExperimentTask> = {
  script: new URL('./experiment-thread.js', import.meta.url),
  nameOf: ({ id }) => `experiment ${id}`,
};

/** Each experiment in one thread: its simulations are comparisons, and do not get faster by waiting for each other. */
export async function runAll(experiments: readonly Experiment[], scale: Scale): Promise<Report[]> {
  const tasks = experiments.map(({ id }) => ({ id, scale })).sort((a, b) => BY_LENGTH.indexOf(a.id) - BY_LENGTH.indexOf(b.id));
  const done = new Map<string, Report>();
  const observer: CrewObserver<ExperimentTask, Report> = {
    moved() {},
    finished({ id }, report) {
      done.set(id, report);
      return false;
    },
  };
  await runCrew(PERFORMANCES, tasks, availableParallelism(), observer, new AbortController().signal);
  return experiments.map(({ id }) => done.get(id)!);
}
