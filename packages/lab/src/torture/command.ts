/** `rwsem-lab torture`: from arguments to exit code. */
import { writeFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { ArgumentError, checkWritable } from '../bench/argument-error.ts';
import { decimalNumber, wholeNumber } from '../bench/plan.ts';
import { stopOnInterrupt } from '../bench/interrupt.ts';
import { namedOrParsed, type NamedPolicy } from '../locks/policy.ts';
import { toJson } from '../report/bench-report.ts';
import { collectProvenance } from '../report/provenance.ts';
import { createTortureProgress, renderVerdict, type TortureReport } from '../report/torture-report.ts';
import { MOST_ACTORS } from './cell.ts';
import { LIBRARIES, runTorture, type TortureOptions } from './torture.ts';

interface Arguments extends Omit<TortureOptions, 'policies' | 'seed'> {
  seed?: number;
  policy?: NamedPolicy[];
  json?: string;
  lock: 'rwsem' | 'broken';
}

/** Every value of every setting, one at a time. */
const POLICIES = ['default', 'handoffAfterMs=0', 'handoffAfterMs=Infinity', 'writerWake=grant', 'spin=off', 'spin=any-owner', 'readerSteal=false'];

export const TORTURE_EXIT_CODES = { held: 0, FAILED: 1, BLIND: 3 } as const;

export function addTortureCommand(program: Command): void {
  const command = program
    .command('torture')
    .description('random operations of every kind on real threads, for minutes or hours; a broken lock first')
    .addHelpText('after', '\nExit code: 0 held; 1 something was found; 2 bad arguments; 3 the broken lock was not found out.')
    .action(torture);
  const option = <T>(flags: string, about: string, parse: (text: string, previous: T) => T, fallback?: T) =>
    command.addOption(new Option(flags, about).argParser(parse).default(fallback));
  option('--seconds <s>', 'in all, after the broken lock', decimalNumber('--seconds', 0, 1e6), 60);
  option('--leg-seconds <s>', 'with the same threads and the same policy', decimalNumber('--leg-seconds', 0, 1e6), 8);
  option('--threads <n>', 'that block; the main thread awaits beside them', wholeNumber('--threads', 2, MOST_ACTORS - 1), 6);
  option('--seed <n>', 'of the first leg, the next has one more (default: another every time)', wholeNumber('--seed', 0, 2 ** 31 - 1));
  option('--policy <settings>', `a name or settings, repeated for several (default: ${POLICIES.join(' ')})`, (text, previous?: NamedPolicy[]) => [
    ...(previous ?? []),
    namedOrParsed(text),
  ]);
  option('--long-hold-ms <ms>', 'how long a rare section sleeps; 0 for none', wholeNumber('--long-hold-ms', 0, 10_000), 100);
  option('--hang-ms <ms>', 'nobody finishing anything for so long is a hang', wholeNumber('--hang-ms', 100, 600_000), 15_000);
  option('--starve-ms <ms>', 'somebody getting nothing for so long, while others do, is starved', wholeNumber('--starve-ms', 100, 600_000), 15_000);
  option('--lock <name>', 'rwsem, or broken to see that one fail', lockName, 'rwsem');
  command.option('--json <file>', 'write what was done and found');
}

function lockName(text: string): 'rwsem' | 'broken' {
  if (text !== 'rwsem' && text !== 'broken') throw new ArgumentError(`--lock is rwsem or broken, not "${text}"`);
  return text;
}

async function torture({ policy, seed = Date.now() % 2 ** 31, json, lock, ...rest }: Arguments): Promise<void> {
  const options: TortureOptions = { ...rest, seed, policies: policy ?? POLICIES.map(namedOrParsed) };
  if (json !== undefined) checkWritable(json);
  process.stderr.write(`seed ${seed}, ${options.threads} threads, ${options.seconds} s\n`);
  const progress = createTortureProgress(process.stderr, options.seconds);
  const interrupt = stopOnInterrupt();
  const libraries = lock === 'broken' ? { ...LIBRARIES, sound: LIBRARIES.broken } : LIBRARIES;
  const result = await runTorture(options, progress, interrupt.signal, libraries);
  progress.done();
  interrupt.release();

  const policies = options.policies.map(({ name }) => name);
  const report: TortureReport = { kind: 'rwsem-lab torture', schema: 1, provenance: collectProvenance(), options: { ...options, policies }, ...result };
  if (json !== undefined) writeFileSync(json, toJson(report));
  // What never settles after a failure, also that of the broken lock, would keep the process alive.
  process.exitCode = TORTURE_EXIT_CODES[result.verdict];
  process.stdout.write(`${renderVerdict(report)}\n`, () => process.exit());
}
