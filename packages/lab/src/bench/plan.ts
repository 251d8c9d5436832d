/** Everything that one invocation of `bench` will do, after all arguments have been checked. */
import type { PolicyOptions } from '../locks/lock.ts';
import { ArgumentError } from './argument-error.ts';
import type { RunOptions } from './run.ts';
import type { Section } from './section.ts';
import { dedicatedWorkload, uniformWorkload, type Workload } from './workload.ts';

export interface BenchOptions extends RunOptions {
  threads?: number[];
  read?: number[];
  readers?: number;
  writers?: number;
  cs: Section;
  think: Section;
  locks: string[];
  policy?: PolicyOptions[];
}

export const DEFAULTS = {
  threads: [1, 2, 4, 8],
  read: [0, 100, 50],
  locks: ['rwsem', 'futex-mutex', 'pthread'],
  seconds: 0.25,
  rounds: 3,
  warmUpMs: 200,
  graceMs: 10_000,
} as const;

export function planWorkloads({ threads, read, readers, writers, cs, think }: BenchOptions): Workload[] {
  if (readers !== undefined || writers !== undefined) {
    if (threads !== undefined || read !== undefined) {
      throw new ArgumentError('--readers and --writers say which threads there are; leave out --threads and --read');
    }
    const workload = dedicatedWorkload(readers ?? 0, writers ?? 0, cs, think);
    if (workload.readPercents.length === 0) throw new ArgumentError('--readers 0 and --writers 0 leave nobody to run');
    return [workload];
  }
  return (read ?? [...DEFAULTS.read]).flatMap((percent) =>
    (threads ?? [...DEFAULTS.threads]).map((count) => uniformWorkload(count, percent, cs, think)),
  );
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
