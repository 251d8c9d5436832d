/** `rwsem-lab bench`: from arguments to exit code. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import pc from 'picocolors';
import { CATALOG, openCompetitors, OURS } from '../locks/catalog.ts';
import { namedOrParsed, POLICIES, policyNamed, type NamedPolicy } from '../locks/policy.ts';
import { parseConstant, type Constant } from '../locks/retuned.ts';
import { hasFailure, toJson, type BenchReport } from '../report/bench-report.ts';
import { groupByTitle } from '../report/bench-rows.ts';
import { createProgress } from '../report/progress.ts';
import { collectProvenance } from '../report/provenance.ts';
import { renderGroup, renderNotes } from '../report/terminal.ts';
import { ArgumentError, checkWritable } from './argument-error.ts';
import { calibrate } from './calibrate.ts';
import type { Competitor, Settings } from './competitor.ts';
import { stopOnInterrupt } from './interrupt.ts';
import { checkShape, decimalNumber, DEFAULTS, listOf, MOST_THREADS, planWorkloads, wholeNumber, type BenchOptions } from './plan.ts';
import { runBench, type WorkloadResult } from './run.ts';
import { parseSection } from './section.ts';
import { SHAPES } from './shapes.ts';

interface Arguments extends BenchOptions {
  json?: string;
  html: string | false;
}

export function addBenchCommand(program: Command): void {
  const list = (title: string, entries: Iterable<[string, { about: string }]>) =>
    `\n${title}:\n${[...entries].map(([name, { about }]) => `  ${name.padEnd(22)} ${about}`).join('\n')}\n`;
  const lists = list('Shapes', Object.entries(SHAPES)) + list('Locks', CATALOG) + list('Policies', Object.entries(POLICIES));
  const command = program
    .command('bench')
    .description('measure locks on real threads: acquire, critical section, release, think')
    .addHelpText('after', `${lists}\nExit code: 0 all held; 1 exclusion violated, or a lock hung or failed; 2 bad arguments.`)
    .action(async (options: Arguments) => {
      process.exitCode = await bench(options);
    });
  const option = <T>(flags: string, about: string, parse: (text: string, previous: T) => T, fallback?: T, shown?: string) =>
    command.addOption(new Option(flags, about).argParser(parse).default(fallback, shown));
  const { threads, read, seconds, rounds, warmUpMs, graceMs, seed, numberOfLocks } = DEFAULTS;
  option('--shape <names>', 'ready-made workloads (default: all, unless the following say otherwise)', listOf(shapeName));
  option('--threads <list>', `numbers of threads (default: ${threads}, or those of the shape)`, listOf(wholeNumber('--threads', 1, MOST_THREADS)));
  option('--read <list>', `percentages of reads, every thread alike (default: ${read})`, listOf(wholeNumber('--read', 0, 100)));
  option('--readers <n>', 'threads that only read; instead of --threads and --read', wholeNumber('--readers', 0, MOST_THREADS));
  option('--writers <n>', 'threads that only write', wholeNumber('--writers', 0, MOST_THREADS));
  option('--cs <section>', 'critical section: empty, 100spins, 5us (busy), 5us-sleep (default: empty, or that of the shape)', parseSection);
  option('--reader-cs <section>', 'of reads only', parseSection);
  option('--writer-cs <section>', 'of writes only', parseSection);
  option('--think <section>', 'the same, between two acquisitions', parseSection);
  option('--reader-think <section>', 'after reads only', parseSection);
  option('--writer-think <section>', 'after writes only', parseSection);
  option('--number-of-locks <n>', 'every acquisition takes one of them at random', wholeNumber('--number-of-locks', 1, 65_536), numberOfLocks);
  option('--seconds <s>', 'length of a round', decimalNumber('--seconds', 0, 3600), seconds);
  option('--rounds <n>', 'rounds of every lock, in turn', wholeNumber('--rounds', 1, 1000), rounds);
  option('--locks <names>', `what to compare (default: ${DEFAULTS.locks.join(',')}; with --compare or --constant rwsem alone)`, listOf(lockName));
  option('--policy <settings>', 'of rwsem: a name, or handoffAfterMs=4,writerWake=steal,spin=off,readerSteal=true; repeat to compare', addPolicy);
  option('--compare <policies>', 'the same, names in a list: rwsem with each of them', comparedPolicies);
  option('--constant <name=values>', 'rwsem with each of these values of a constant of its core, as in SPIN_LIMIT_US=20,50', addConstant);
  option('--sample-every <n>', 'time one acquisition in n (default: 61, or 1 if a section takes 1 µs)', wholeNumber('--sample-every', 1, 1e6));
  option('--verify <on|off>', 'check inside every section that the lock excludes', onOff, true, 'on');
  option('--seed <n>', 'of the order of reads and writes', wholeNumber('--seed', 0, 2 ** 31 - 1), seed);
  option('--warm-up-ms <ms>', 'before every round; more if there are more threads than cores', wholeNumber('--warm-up-ms', 0, 60_000), warmUpMs);
  option('--grace-ms <ms>', 'after which a thread that does not stop counts as hung', wholeNumber('--grace-ms', 1, 600_000), graceMs);
  command
    .option('--json <file>', 'write all figures of all rounds')
    .option('--html <file>', 'where the page with the plots goes', 'bench-report.html')
    .option('--no-html', 'write no page');
}

function lockName(text: string): string {
  openCompetitors([text], []);
  return text;
}

function shapeName(text: string): string {
  checkShape(text);
  return text;
}

function addPolicy(text: string, previous: NamedPolicy[] | undefined): NamedPolicy[] {
  return [...(previous ?? []), namedOrParsed(text)];
}

function addConstant(text: string, previous: Constant[] | undefined): Constant[] {
  return [...(previous ?? []), ...parseConstant(text)];
}

function comparedPolicies(text: string): NamedPolicy[] {
  return listOf((name) => name)(text).map(policyNamed);
}

function onOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new ArgumentError(`--verify is on or off, not "${text}"`);
  return text === 'on';
}

async function bench(options: Arguments): Promise<number> {
  const workloads = planWorkloads(options);
  const { policy = [], compare = [], constant = [] } = options;
  const locks = options.locks ?? (compare.length + constant.length > 0 ? [OURS] : [...DEFAULTS.locks]);
  const requested = openCompetitors(locks, [...compare, ...policy, ...constant]);
  for (const file of [options.json, options.html]) if (typeof file === 'string') checkWritable(file);

  const { present, settings, absent } = await prepareAll(requested);
  for (const [name, reason] of Object.entries(absent)) process.stderr.write(pc.yellow(`${name} is absent: ${reason}\n`));
  if (present.length === 0) throw new ArgumentError('none of the locks can run here');

  const calibration = calibrate(workloads);
  const progress = createProgress(process.stderr, options.rounds);
  const interrupt = stopOnInterrupt();
  let results: WorkloadResult[];
  try {
    results = await runBench(present, workloads, options, progress, interrupt.signal);
  } finally {
    progress.done();
    interrupt.release();
  }

  const { seconds, rounds, warmUpMs, verify, seed } = options;
  const report: BenchReport = {
    kind: 'rwsem-lab bench',
    schema: 2,
    provenance: collectProvenance(),
    options: { seconds, rounds, warmUpMs, verify, seed },
    settings,
    calibration,
    absent,
    interrupted: interrupt.signal.aborted,
    results,
  };
  await publish(report, options);
  return hasFailure(report) ? 1 : 0;
}

async function prepareAll(requested: Competitor[]) {
  const present: Competitor[] = [];
  const settings: Record<string, Settings> = {};
  const absent: Record<string, string> = {};
  for (const competitor of requested) {
    try {
      settings[competitor.name] = await competitor.prepare();
      present.push(competitor);
    } catch (error) {
      absent[competitor.name] = error instanceof Error ? error.message : String(error);
    }
  }
  return { present, settings, absent };
}

/** The files first: whoever reads the table may stop reading. */
async function publish(report: BenchReport, { json, html }: Arguments): Promise<void> {
  if (json !== undefined) writeFileSync(json, toJson(report));
  if (html !== false && report.results.length > 0) {
    const { renderHtml } = await import('../report/html.ts'); // the plotting library takes 0.2 s to load
    writeFileSync(html, renderHtml(report));
  }
  for (const [title, group] of groupByTitle(report.results)) process.stdout.write(`${renderGroup(title, group)}\n\n`);
  process.stdout.write(`${renderNotes(report)}\n`);
  if (html !== false && report.results.length > 0) process.stdout.write(`Plots: ${resolve(html)}\n`);
}
