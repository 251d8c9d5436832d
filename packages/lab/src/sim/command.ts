/** `rwsem-lab sim`: from arguments to exit code. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { ArgumentError, checkWritable } from '../bench/argument-error.ts';
import { decimalNumber, wholeNumber } from '../bench/plan.ts';
import { parseSection, type Section } from '../bench/section.ts';
import { isFailure } from '../bench/statistics.ts';
import { namedOrParsed, POLICIES, type NamedPolicy } from '../locks/policy.ts';
import { toJson } from '../report/bench-report.ts';
import { collectProvenance } from '../report/provenance.ts';
import { renderGroup } from '../report/terminal.ts';
import { ChromeTrace } from './chrome-trace.ts';
import { EXPERIMENTS } from './experiments/catalog.ts';
import { runExperiments } from './experiments/run.ts';
import { compareWithReality, renderReality } from './experiments/reality.ts';
import { renderModel } from './experiments/render.ts';
import { customModel, javaScriptWorld, MODELS } from './machine/models.ts';
import { renderNotes, runWhatIf } from './what-if.ts';

interface Arguments {
  cores: number;
  sockets: number;
  hyperthreads: number;
  world: 'kernel' | 'javascript';
  model?: string;
  threads: number;
  read: number;
  hold: Section;
  think: Section;
  policy?: NamedPolicy[];
  ms: number;
  seeds?: number;
  json?: string;
  html: string | false;
  trace?: string;
}

const MOST_PROCESSORS = 1024;
const MOST_THREADS = 4095;
const DEFAULT_SEEDS = 5;
const NAMES = [...EXPERIMENTS.map(({ id }) => id), 'all', 'quick', 'reality', 'models'];

export function addSimCommand(program: Command): void {
  const empty = parseSection('empty');
  const command = program
    .command('sim')
    .argument('[experiment]', `${NAMES.join(', ')}; without: a machine of your own`)
    .description('run the shipped lock on a simulated machine')
    .addHelpText('after', `\nModels: ${Object.keys(MODELS).join(', ')}\nPolicies: ${Object.keys(POLICIES).join(', ')}\n\nExit code: 0 exclusion held; 1 it was violated; 2 bad arguments.`)
    .action(async (experiment: string | undefined, options: Arguments) => {
      process.exitCode = await (experiment === undefined ? whatIf(options) : experimentNamed(experiment, options));
    });
  const option = <T>(flags: string, about: string, parse: (text: string, previous: T) => T, fallback?: T, shown?: string) =>
    command.addOption(new Option(flags, about).argParser(parse).default(fallback, shown));
  option('--cores <n>', 'of all sockets together', wholeNumber('--cores', 1, MOST_PROCESSORS), 64);
  option('--sockets <n>', 'a divisor of the cores', wholeNumber('--sockets', 1, 64), 2);
  option('--hyperthreads <n>', 'for each core', wholeNumber('--hyperthreads', 1, 8), 1);
  option('--model <name>', 'a machine of the documents instead', modelName);
  option('--world <kernel|javascript>', 'how threads are scheduled and what calls cost', worldName, 'kernel');
  option('--threads <n>', 'number of threads', wholeNumber('--threads', 1, MOST_THREADS), 64);
  option('--read <percent>', 'share of reads', wholeNumber('--read', 0, 100), 50);
  option('--hold <section>', 'critical section: empty, 100spins, 5us (busy), 5us-sleep', parseSection, empty, 'empty');
  option('--think <section>', 'the same, between two acquisitions', parseSection, empty, 'empty');
  option('--policy <settings>', 'a name or settings as in bench; repeat to compare', addPolicy);
  option('--ms <ms>', 'simulated milliseconds, after a tenth of them to warm up', decimalNumber('--ms', 0, 60_000), 20);
  option('--seeds <n>', 'runs, each with another seed', wholeNumber('--seeds', 1, 100), undefined, String(DEFAULT_SEEDS));
  command.option('--json <file>', 'all figures');
  command.option('--html <file>', 'where the page with the plots goes', 'sim-report.html');
  command.option('--no-html', 'write no page');
  command.option('--trace <file>', 'timeline of the first run, for chrome://tracing or ui.perfetto.dev');
}

async function experimentNamed(name: string, { seeds, json, html }: Arguments): Promise<number> {
  if (!NAMES.includes(name)) throw new ArgumentError(`no experiment is called "${name}"; there are ${NAMES.join(', ')}`);
  if (name === 'models') {
    process.stdout.write(`${Object.values(MODELS).map(renderModel).join('\n\n')}\n`);
    return 0;
  }
  if (name === 'reality') {
    const { model, rows, violations } = await compareWithReality(seeds ?? DEFAULT_SEEDS);
    process.stdout.write(`${renderReality(model, rows)}\n`);
    return violations > 0 ? 1 : 0;
  }
  for (const file of [json, html]) if (typeof file === 'string') checkWritable(file);
  return runExperiments(name, seeds, { html, ...(json === undefined ? {} : { json }) });
}

function modelName(text: string): string {
  if (!Object.hasOwn(MODELS, text)) throw new ArgumentError(`no model is called "${text}"; there are ${Object.keys(MODELS).join(', ')}`);
  return text;
}

function addPolicy(text: string, previous: NamedPolicy[] = []): NamedPolicy[] {
  const added = namedOrParsed(text);
  if (previous.some(({ name }) => name === added.name)) throw new ArgumentError(`--policy ${added.name} is given twice`);
  return [...previous, added];
}

function worldName(text: string): 'kernel' | 'javascript' {
  if (text !== 'kernel' && text !== 'javascript') throw new ArgumentError(`--world is kernel or javascript, not "${text}"`);
  return text;
}

async function whatIf(options: Arguments): Promise<number> {
  const { cores, sockets, hyperthreads, threads, read, hold, think, ms, seeds = DEFAULT_SEEDS, trace, json, html } = options;
  if (cores % sockets !== 0) throw new ArgumentError(`${cores} cores cannot be spread evenly over ${sockets} sockets`);
  if (cores * hyperthreads > MOST_PROCESSORS) throw new ArgumentError(`at most ${MOST_PROCESSORS} processors, cores times --hyperthreads`);
  for (const file of [trace, json, html]) if (typeof file === 'string') checkWritable(file);
  const kernel = options.model === undefined ? customModel(cores, sockets, hyperthreads) : MODELS[options.model]!;
  const model = options.world === 'kernel' ? kernel : javaScriptWorld(kernel);
  const recorder = trace === undefined ? null : new ChromeTrace(threads);
  const report = runWhatIf({ model, threads, read, hold, think, policies: options.policy ?? [namedOrParsed('default')], ms, seeds, trace: recorder }, collectProvenance());
  if (recorder !== null && trace !== undefined) recorder.write(trace);
  if (json !== undefined) writeFileSync(json, toJson(report));
  if (html !== false) {
    const { renderWhatIfPage } = await import('../report/what-if-page.ts'); // the plotting library takes 0.2 s to load
    writeFileSync(html, renderWhatIfPage(report, trace));
  }
  process.stdout.write(`${renderGroup(report.result.title, [report.result])}\n\n${renderNotes(report)}\n`);
  if (recorder !== null) process.stdout.write(`Timeline: ${trace}${recorder.left === 0 ? '' : `, without the last ${recorder.left} entries`}\n`);
  if (html !== false) process.stdout.write(`Plots: ${resolve(html)}\n`);
  return report.result.locks.some(({ summary }) => isFailure(summary.verdict)) ? 1 : 0;
}
