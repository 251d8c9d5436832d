/** Everything that one invocation of `bench` will do, after all arguments have been checked. */
import type { NamedPolicy } from '../locks/policy.ts';
import type { Constant } from '../locks/retuned.ts';
import { ArgumentError } from './argument-error.ts';
import type { RunOptions } from './run.ts';
import type { Section } from './section.ts';
import { SHAPES, type Shape } from './shapes.ts';
import { dedicatedWorkload, uniformWorkload, type Pace, type Workload } from './workload.ts';

export interface BenchOptions extends RunOptions {
  shape?: string[];
  threads?: number[];
  read?: number[];
  readers?: number;
  writers?: number;
  cs?: Section;
  readerCs?: Section;
  writerCs?: Section;
  think?: Section;
  readerThink?: Section;
  writerThink?: Section;
  numberOfLocks: number;
  locks?: string[];
  policy?: NamedPolicy[];
  compare?: NamedPolicy[];
  constant?: Constant[];
}

export const DEFAULTS = {
  threads: [1, 2, 4, 8],
  read: [0, 100, 50],
  locks: ['rwsem', 'futex-mutex', 'pthread'],
  numberOfLocks: 1,
  seconds: 0.25,
  rounds: 3,
  warmUpMs: 200,
  graceMs: 10_000,
  seed: 1,
} as const;

/** Without a word about the workload it is all shapes; with one, the mixes of `--read`. */
export function planWorkloads(options: BenchOptions): Workload[] {
  const { shape, threads, read, readers, writers } = options;
  const ownMix = read !== undefined || readers !== undefined || writers !== undefined;
  if (shape !== undefined && ownMix) throw new ArgumentError('--shape says who reads and who writes; leave out --read, --readers and --writers');
  const silent = !ownMix && threads === undefined && PACE_OPTIONS.every((name) => options[name] === undefined);
  if (shape !== undefined || silent) return (shape ?? Object.keys(SHAPES)).flatMap((name) => planShape(name, options));

  const { section, think } = NOTHING;
  const extras = { ...pacesFor(options, NOTHING, NOTHING), locks: options.numberOfLocks };
  if (readers !== undefined || writers !== undefined) {
    if (threads !== undefined || read !== undefined) {
      throw new ArgumentError('--readers and --writers say which threads there are; leave out --threads and --read');
    }
    const workload = dedicatedWorkload(readers ?? 0, writers ?? 0, section, think, extras);
    if (workload.readPercents.length === 0) throw new ArgumentError('--readers 0 and --writers 0 leave nobody to run');
    return [workload];
  }
  return (read ?? [...DEFAULTS.read]).flatMap((percent) =>
    (threads ?? [...DEFAULTS.threads]).map((count) => uniformWorkload(count, percent, section, think, extras)),
  );
}

function planShape(name: string, options: BenchOptions): Workload[] {
  const shape = checkShape(name);
  const extras = { ...pacesFor(options, shape.reading, shape.writing), locks: options.numberOfLocks, shape: name };
  const counts = shape.threads === null ? [1] : (options.threads ?? shape.threads);
  return counts.map((threads) => shape.make(threads, extras));
}

export function checkShape(name: string): Shape {
  const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape === undefined) throw new ArgumentError(`no shape is called "${name}"; there are ${Object.keys(SHAPES).join(', ')}`);
  return shape;
}

const NOTHING: Pace = { section: { kind: 'empty', amount: 0 }, think: { kind: 'empty', amount: 0 } };
const PACE_OPTIONS = ['cs', 'readerCs', 'writerCs', 'think', 'readerThink', 'writerThink'] as const;

/** The particular option before the general one, before what the shape says. */
function pacesFor(options: BenchOptions, reading: Pace, writing: Pace): { reading: Pace; writing: Pace } {
  const { cs, think } = options;
  return {
    reading: { section: options.readerCs ?? cs ?? reading.section, think: options.readerThink ?? think ?? reading.think },
    writing: { section: options.writerCs ?? cs ?? writing.section, think: options.writerThink ?? think ?? writing.think },
  };
}

export const MOST_THREADS = 1000;

/** Parsers for single values; each says what would have been right. */
export function wholeNumber(name: string, lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text.trim()) || value < lowest || value > highest) {
      throw new ArgumentError(`${name} must be a whole number from ${lowest} to ${highest}, not "${text}"`);
    }
    return value;
  };
}

export function decimalNumber(name: string, above: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value > above && value <= highest)) {
      throw new ArgumentError(`${name} must be a number above ${above}, at most ${highest}, not "${text}"`);
    }
    return value;
  };
}

export function listOf<T>(parse: (text: string) => T): (text: string) => T[] {
  return (text) => {
    const values = text.split(',').map((entry) => parse(entry.trim()));
    const repeated = values.find((value, index) => values.indexOf(value) !== index);
    if (repeated !== undefined) throw new ArgumentError(`"${String(repeated)}" is listed twice`);
    return values;
  };
}
