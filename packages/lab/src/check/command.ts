/** `rwsem-lab check`: from arguments to exit code. */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Option, type Command } from 'commander';
import { createLogUpdate } from 'log-update';
import { checkWritable } from '../bench/argument-error.ts';
import { stopOnInterrupt } from '../bench/interrupt.ts';
import { wholeNumber } from '../bench/plan.ts';
import { namedOrParsed, type NamedPolicy } from '../locks/policy.ts';
import { toJson } from '../report/bench-report.ts';
import { collectProvenance } from '../report/provenance.ts';
import { CheckArgumentError } from './check-error.ts';
import { runCrew } from '../crew.ts';
import { parseMode } from './model/mode.ts';
import { parseProgram } from './model/program.ts';
import { formatOutcomes, isForetold, type MutationOutcome, type MutationTask, outcomeOf, renderOutcomes, taskFor, untried } from './mutation-run.ts';
import { MUTATIONS } from './mutations/index.ts';
import { customPlan, everydayPlan, type Group, largePlan } from './plan.ts';
import { printTrace } from './print-trace.ts';
import { checkAtRandom } from './random-command.ts';
import { replay } from './replay.ts';
import { type CheckReport, type CheckRow, createCheckProgress, renderSummary, renderTable, verdictOf } from './report.ts';
import { formatSchedule, parseSchedule } from './schedule.ts';
import { checkOperators } from './operators/command.ts';
import { missingTools } from './spin/tools.ts';
import { type CheckResult, type CheckTask, commandFor, EXPLORATIONS, loadTask, sourcesWith } from './task.ts';

type Engine = (typeof ENGINES)[number];

interface Arguments {
  program?: string[];
  policy?: NamedPolicy[];
  mode?: string;
  replay?: string;
  mutation?: string;
  large?: boolean;
  mutations?: boolean;
  record?: string;
  operators?: boolean;
  file?: string[];
  seconds?: number;
  resume?: string;
  engine: Engine;
  random?: number;
  seed?: number;
  pct?: number;
  mostStates?: number;
  workers: number;
  json?: string;
}

interface PlannedTask extends CheckTask {
  row: CheckRow;
}

/** Each takes some 20 bytes, and those that wait for their turn a few hundred. */
const MOST_STATES = 200_000_000;
const MOST_STATES_OF_A_MUTATION = 1_500_000;
const SECONDS_OF_A_MUTANT = 60;

const ENGINES = ['own', 'spin'] as const;

export const CHECK_EXIT_CODES = { held: 0, violated: 1, incomplete: 3 } as const;

export function addCheckCommand(program: Command): void {
  const command = program
    .command('check')
    .description('every interleaving of small programs, run by the shipped core')
    .addHelpText('after', '\nExit code: 0 everything was explored and held; 1 something is violated; 2 bad arguments; 3 nothing was found, but not everything was explored.')
    .action(async (options: Arguments) => {
      if (options.operators === true) process.exitCode = await tryOperators(options);
      else if (options.mutations === true) process.exitCode = await checkMutations(options);
      else if (options.random !== undefined) process.exitCode = runAtRandom(options, options.random);
      else process.exitCode = options.replay === undefined ? await check(options) : replaySchedule(options, options.replay);
    });
  const option = <T>(flags: string, about: string, parse: (text: string, previous: T) => T, fallback?: T) =>
    command.addOption(new Option(flags, about).argParser(parse).default(fallback));
  option('--program <text>', "such as 'read write | any...', repeat for several (default: the everyday set)", (text, previous?: string[]) => [...(previous ?? []), parseProgram(text).text]);
  option('--policy <settings>', 'a name or settings as in bench, repeat for several', (text, previous?: NamedPolicy[]) => [...(previous ?? []), namedOrParsed(text)]);
  option('--mode <words>', 'what else is to be different', (text) => parseMode(text).text);
  command.option('--replay <schedule>', 'shows this run of the program, step by step');
  command.option('--mutation <id>', 'with this mistake in the core');
  command.option('--mutations', 'every mistake of the catalogue, each where it must be caught');
  command.option('--record <file>', 'with --mutations: what came of each, for the tests');
  command.option('--operators', 'mutants made by rule (mutation operators): what survives, and why');
  option('--file <names>', 'with --operators: only of these files of the core, such as wake,read', (text) => text.split(','));
  option('--seconds <n>', `with --operators: for one mutant, then what is left is cut (default: ${SECONDS_OF_A_MUTANT})`, wholeNumber('--seconds', 1, 86400));
  command.option('--resume <file>', 'with --operators: verdicts are kept here, and not looked for again while the core is the same');
  command.addOption(new Option('--engine <name>', 'spin explores the same steps by SPIN, which has to be installed, up to 4 GB of states').choices(ENGINES).default('own'));
  option('--random <runs>', 'so many single runs of each program instead, for those that are too large', wholeNumber('--random', 1, 1e9));
  option('--seed <n>', 'with --random: of the first run (default: 1)', wholeNumber('--seed', 0, 1e9));
  option('--pct <depth>', 'with --random: as many again by priorities that change depth - 1 times in a run', wholeNumber('--pct', 1, 1000));
  command.option('--large', 'the everyday set and more, for hours');
  option('--most-states <n>', `of a program; what has more is cut there (default: ${MOST_STATES}, with --mutations ${MOST_STATES_OF_A_MUTATION})`, wholeNumber('--most-states', 1, 1e9));
  option('--workers <n>', 'programs that are explored at a time', wholeNumber('--workers', 1, 64), availableParallelism());
  command.option('--json <file>', 'every program with its result');
}

function planFor({ program, policy = [], mode, large = false }: Arguments): Group[] {
  if (program === undefined) {
    if (policy.length > 0 || mode !== undefined) throw new CheckArgumentError("--policy and --mode are for programs of one's own: say which with --program");
    return large ? [...everydayPlan(), ...largePlan()] : everydayPlan();
  }
  if (large) throw new CheckArgumentError('--large is a set of programs: not together with --program');
  const groups = customPlan(program, policy.length === 0 && mode === undefined ? [namedOrParsed('default')] : policy, mode ?? '');
  for (const group of groups) parseMode(group.mode);
  return groups;
}

async function check(options: Arguments): Promise<number> {
  const { mutation, mostStates = MOST_STATES, workers, json, engine, seed, pct } = options;
  if (seed !== undefined || pct !== undefined) throw new CheckArgumentError('--seed and --pct say how --random goes: give that too');
  const groups = planFor(options);
  sourcesWith(mutation);
  if (engine === 'spin') refuseWithoutSpin(groups, options);
  if (json !== undefined) checkWritable(json);
  const tasks = groups.flatMap(({ title, mode, programs }) =>
    programs.map((program): PlannedTask => ({ program, mode, family: programs, mostStates, engine, mutation, row: { group: title, program, mode, result: null } })),
  );
  const progress = createCheckProgress(process.stderr, groups);
  const interrupt = stopOnInterrupt();
  const startedMs = performance.now();
  await runCrew<PlannedTask, CheckResult>(
    EXPLORATIONS,
    tasks,
    workers,
    {
      moved: (moments) => progress.moved(moments),
      finished({ row }, result) {
        row.result = result;
        progress.finished(row);
        return result.failure !== null;
      },
    },
    interrupt.signal,
  );
  progress.done();
  interrupt.release();

  const rows = tasks.map(({ row }) => row);
  if (json !== undefined) {
    const report: CheckReport = { kind: 'rwsem-lab check', schema: 1, provenance: collectProvenance(), mutation: mutation ?? null, mostStates, rows };
    writeFileSync(json, toJson(report));
  }
  const violated = tasks.find(({ row }) => verdictOf(row) === 'VIOLATED');
  process.stdout.write(`${renderTable(groups, rows)}\n\n${renderSummary(rows, (performance.now() - startedMs) / 1000)}\n`);
  if (violated) process.stdout.write(`\n${counterexample(violated)}\n`);
  return violated ? CHECK_EXIT_CODES.violated : rows.every((row) => verdictOf(row) === 'held') ? CHECK_EXIT_CODES.held : CHECK_EXIT_CODES.incomplete;
}

function refuseEndless(groups: readonly Group[], who: string): void {
  const beyond = groups.map(({ mode }) => parseMode(mode)).find(({ fair, ready, bounded }) => fair || ready || bounded);
  if (beyond) throw new CheckArgumentError(`${who} at states, not at runs that never end: explore mode "${beyond.text}" by the own engine`);
}

/** At once, not when the first program has its turn. */
function refuseWithoutSpin(groups: readonly Group[], { mostStates }: Arguments): void {
  if (mostStates !== undefined) throw new CheckArgumentError('--most-states is for the own engine: SPIN stops at 4 GB of states');
  refuseEndless(groups, 'SPIN looks');
  const beyond = groups.map(({ mode }) => parseMode(mode)).find(({ bypass, alone }) => bypass || alone);
  if (beyond) throw new CheckArgumentError(`SPIN does not keep who gets in: explore mode "${beyond.text}" by the own engine`);
  const delayed = groups.map(({ mode }) => parseMode(mode)).find((mode) => mode.delayed);
  if (delayed) throw new CheckArgumentError(`SPIN does not delay accesses: explore mode "${delayed.text}" by the own engine`);
  const missing = missingTools();
  if (missing.length > 0) throw new CheckArgumentError(`${missing.join(' and ')} not found; on Debian, as root, from the repository: npm run install:spin`);
}

function runAtRandom(options: Arguments, random: number): number {
  const { program, seed = 1, pct, mutation, engine } = options;
  if (program === undefined || engine !== 'own') throw new CheckArgumentError('--random needs --program, and the own engine');
  const groups = planFor(options);
  refuseEndless(groups, 'random runs look');
  const isViolated = checkAtRandom(groups, { random, seed, pct, mutation }, (text) => process.stdout.write(text));
  return isViolated ? CHECK_EXIT_CODES.violated : CHECK_EXIT_CODES.incomplete;
}

async function checkMutations({ mostStates = MOST_STATES_OF_A_MUTATION, workers, record, program }: Arguments): Promise<number> {
  if (program !== undefined) throw new CheckArgumentError('--mutations says itself which programs: not together with --program');
  if (record !== undefined) checkWritable(record);
  const outcomes = new Map<string, MutationOutcome>(MUTATIONS.map(({ id }) => [id, untried(id)]));
  const tasks = MUTATIONS.map((mutation) => taskFor(mutation, mostStates));
  const live = process.stderr.isTTY ? createLogUpdate(process.stderr) : null;
  const interrupt = stopOnInterrupt();
  let finished = 0;
  await runCrew<MutationTask, CheckResult>(
    EXPLORATIONS,
    tasks,
    workers,
    {
      moved: (moments) => live?.(`${finished}/${tasks.length} ${moments.map(({ task }) => task.mutation).join(', ')}`),
      finished(task, result) {
        finished++;
        outcomes.set(task.mutation, outcomeOf(task, result));
        return false;
      },
    },
    interrupt.signal,
  );
  live?.clear();
  live?.done();
  interrupt.release();
  const all = [...outcomes.values()];
  process.stdout.write(`${renderOutcomes(all)}\n`);
  if (interrupt.signal.aborted) return CHECK_EXIT_CODES.incomplete;
  if (record !== undefined) writeFileSync(record, formatOutcomes(all));
  return MUTATIONS.every((mutation) => isForetold(mutation, outcomes.get(mutation.id) as MutationOutcome)) ? CHECK_EXIT_CODES.held : CHECK_EXIT_CODES.violated;
}

async function tryOperators({ file, seconds = SECONDS_OF_A_MUTANT, mostStates = MOST_STATES_OF_A_MUTATION, workers, resume, json, program, mode, mutation }: Arguments): Promise<number> {
  if (program !== undefined || mode !== undefined || mutation !== undefined) throw new CheckArgumentError('--operators says itself which programs: not together with --program, --mode or --mutation');
  const isExplained = await checkOperators({ file, seconds, mostStates, workers, resume, json });
  return isExplained === null ? CHECK_EXIT_CODES.incomplete : isExplained ? CHECK_EXIT_CODES.held : CHECK_EXIT_CODES.violated;
}

function counterexample(task: PlannedTask): string {
  const { program, mode, row } = task;
  const schedule = row.result?.schedule ?? [];
  const again = `${commandFor(task)} --replay ${formatSchedule(schedule)}`;
  const trace = replay(loadTask({ ...task, family: [program] }), schedule);
  // What is beyond the end of a run, in `ready` and `bounded`, only the search has seen.
  trace.failure ??= row.result?.failure ?? null;
  return `${program}, mode ${mode || '-'}\n\n${printTrace(parseProgram(program), trace)}\n\nThe same again: ${again}`;
}

function replaySchedule(options: Arguments, text: string): number {
  const [group, ...others] = planFor(options);
  const program = group?.programs[0];
  if (options.program === undefined || !group || program === undefined || others.length > 0) {
    throw new CheckArgumentError('--replay needs one --program, and the --policy or --mode that the schedule comes from');
  }
  const { mutation } = options;
  const trace = replay(loadTask({ program, mode: group.mode, mutation, mostStates: MOST_STATES }), parseSchedule(text));
  process.stdout.write(`${program}, mode ${group.mode || '-'}\n\n${printTrace(parseProgram(program), trace)}\n`);
  const { ready, bounded } = parseMode(group.mode);
  if (!trace.failure && (ready || bounded)) process.stdout.write(`(A replay does not look for what "${group.mode}" finds beyond these steps: run the program without --replay.)\n`);
  return trace.failure ? CHECK_EXIT_CODES.violated : CHECK_EXIT_CODES.held;
}
