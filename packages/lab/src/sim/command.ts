/** `rwsem-lab sim`: from arguments to exit code. */
import { Option, type Command } from 'commander';
import { ArgumentError, checkWritable } from '../bench/argument-error.ts';
import { decimalNumber, wholeNumber } from '../bench/plan.ts';
import { parseSection, type Section } from '../bench/section.ts';
import type { PolicyOptions } from '../locks/lock.ts';
import { parsePolicy } from '../locks/policy.ts';
import { hashCore } from '../report/provenance.ts';
import { ChromeTrace } from './chrome-trace.ts';
import { EXPERIMENTS } from './experiments/catalog.ts';
import { runExperiments } from './experiments/run.ts';
import { compareWithReality, renderReality } from './experiments/reality.ts';
import { renderModel } from './experiments/render.ts';
import { customModel, javaScriptWorld, MODELS } from './machine/models.ts';
import { hasViolation, renderWhatIf, runWhatIf, type WhatIf } from './what-if.ts';

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
  policy?: PolicyOptions[];
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
    .addHelpText('after', `\nModels: ${Object.keys(MODELS).join(', ')}\n\nExit code: 0 exclusion held; 1 it was violated; 2 bad arguments.`)
    .action(async (experiment: string | undefined, options: Arguments) => {
      process.exitCode = experiment === undefined ? whatIf(options) : await experimentNamed(experiment, options);
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
  option('--policy <settings>', 'as in bench; repeat to compare', (text: string, previous: PolicyOptions[] | undefined) => [...(previous ?? []), parsePolicy(text)]);
  option('--ms <ms>', 'simulated milliseconds, after a tenth of them to warm up', decimalNumber('--ms', 0, 60_000), 20);
  option('--seeds <n>', 'runs, each with another seed', wholeNumber('--seeds', 1, 100), undefined, String(DEFAULT_SEEDS));
  command.option('--json <file>', 'all figures of the experiments');
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

function worldName(text: string): 'kernel' | 'javascript' {
  if (text !== 'kernel' && text !== 'javascript') throw new ArgumentError(`--world is kernel or javascript, not "${text}"`);
  return text;
}

function whatIf(options: Arguments): number {
  const { cores, sockets, hyperthreads, threads, read, hold, think, ms, seeds = DEFAULT_SEEDS, trace } = options;
  if (cores % sockets !== 0) throw new ArgumentError(`${cores} cores cannot be spread evenly over ${sockets} sockets`);
  if (cores * hyperthreads > MOST_PROCESSORS) throw new ArgumentError(`at most ${MOST_PROCESSORS} processors, cores times --hyperthreads`);
  if (trace !== undefined) checkWritable(trace);
  const kernel = options.model === undefined ? customModel(cores, sockets, hyperthreads) : MODELS[options.model]!;
  const model = options.world === 'kernel' ? kernel : javaScriptWorld(kernel);
  const recorder = trace === undefined ? null : new ChromeTrace(threads);
  const task: WhatIf = { model, threads, read, hold, think, policies: options.policy ?? [{}], ms, seeds, trace: recorder };
  const results = runWhatIf(task);
  process.stdout.write(`${renderWhatIf(task, results)}\nThe core that ran: ${hashCore().sha256.slice(0, 12)}, lowered from the built files.\n`);
  if (recorder !== null && trace !== undefined) {
    recorder.write(trace);
    process.stdout.write(`Timeline: ${trace}${recorder.left === 0 ? '' : `, without the last ${recorder.left} entries`}\n`);
  }
  return hasViolation(results) ? 1 : 0;
}
