/** Which programs are explored, under which policies, in which modes; the smaller ones first. */
import { POLICIES, type NamedPolicy } from '../locks/policy.ts';
import type { PolicyOptions } from '../locks/lock.ts';
import { SETS } from './model/program.ts';

/** Programs that are one line in the table. */
export interface Group {
  title: string;
  mode: string;
  programs: string[];
}

/** Words of a mode for a policy. Times are nobody's business here: a deadline is now, never, or whenever. */
export function modeOf({ handoffAfterMs = 4, writerWake, spin = 'known-owner', readerSteal = true }: PolicyOptions): string {
  const words = [
    spin === 'known-owner' ? 'spin' : spin === 'any-owner' ? 'any-owner' : '',
    writerWake === 'grant' ? 'grant' : '',
    handoffAfterMs === 0 ? 'handoff:now' : handoffAfterMs === Infinity ? 'handoff:off' : '',
    readerSteal ? '' : 'no-reader-steal',
  ];
  return words.filter(Boolean).join(' ');
}

/** The same on a machine where nobody spins. */
function onOneCore(mode: string): string {
  return mode.replace(/\b(spin|any-owner)\b/, 'one-core');
}

/** Every multiset of so many threads that do one of these. */
export function mixes(threads: number, operations: readonly string[]): string[] {
  const found: string[] = [];
  const extend = (chosen: string[], from: number): void => {
    if (chosen.length === threads) found.push(chosen.join(' | '));
    else for (let index = from; index < operations.length; index++) extend([...chosen, operations[index] as string], index);
  };
  extend([], 0);
  return found;
}

/** Each policy that has a name, as a mode; those that are the same once. */
export function namedModes(): { mode: string; names: string[] }[] {
  const byMode = new Map<string, string[]>();
  for (const [name, { policy }] of Object.entries(POLICIES)) {
    const mode = modeOf(policy);
    byMode.set(mode, [...(byMode.get(mode) ?? []), name]);
  }
  return [...byMode].map(([mode, names]) => ({ mode, names }));
}

const BLOCKING = SETS.any as readonly string[];
const ASYNC = SETS.anyAsync as readonly string[];
/** The operations of which the others are variants. */
const MAIN = ['read', 'write', 'timedRead', 'timedWrite', 'downgrade'];

/** Without tried reads, which others can make try again for ever. */
const FAIR = BLOCKING.filter((operation) => operation !== 'tryRead').join('/');

/** In a few minutes on two cores. */
export function everydayPlan(): Group[] {
  const all = 'any/anyAsync... | any/anyAsync...';
  const policies = namedModes();
  return [
    ...['', 'one-core', 'handoff:now one-core', 'batch:1 one-core', 'spurious one-core', 'wait-lock'].map((mode) => group('2 threads, anything, any number', mode, [all])),
    ...policies.map(({ mode, names }) => group(`the same, ${names.join(', ')}`, onOneCore(mode), [all])),
    ...policies.map(({ mode, names }) => group(`2 threads, any blocking ones, ${names.join(', ')}`, mode, ['any... | any...'])),
    group('2 threads, every access a step', 'split', ['any... | any...']),
    group('2 threads, plain accesses late or early', 'delayed', ['any... | any...', 'anyAsync | read/write', 'anyPair | write', 'anyNested | write']),
    group('the same, the owner word kept', 'delayed owner', ['any... | read/write...']),
    group('the same, spinning, main operations', 'delayed spin owner', [same(2, MAIN.join('/'))]),
    group('3 threads x 1, reads and writes, plain accesses late or early', 'delayed', mixes(3, ['read', 'write'])),
    group('2 threads, the owner word kept', 'owner', ['any... | any...']),
    group('2 threads, two awaited at once', 'one-core', ['anyPair... | any...']),
    group('2 threads, nested', 'one-core', ['anyNested... | any...']),
    group('3 threads x 1, all mixes', 'one-core', mixes(3, [...BLOCKING, ...ASYNC])),
    group('3 threads x 1, main operations, spinning', 'spin', mixes(3, MAIN)),
    ...policies.map(({ mode, names }) => group(`3 threads, reads and writes, any number, ${names.join(', ')}`, onOneCore(mode), [same(3, 'read/write...')])),
    group('4 threads x 1, reads, writes, timed writes', 'one-core', mixes(4, ['read', 'write', 'timedWrite'])),
    group('2 threads for ever, does anybody starve?', 'handoff:now one-core fair', [same(2, `${FAIR}*`)]),
    group('3 threads for ever, does anybody starve?', 'handoff:now one-core fair', mixes(3, MAIN.map((operation) => `${operation}*`))),
    group('the same, one is urgent, deadlines never pass', 'handoff:off one-core fair', ['Read', 'Write', 'AsyncWrite'].map((operation) => `urgent${operation} | write | write*`)),
    group('past a handoff', 'one-core bypass', [all, same(3, 'read/write...')]),
    group('3 threads, one does anything', 'one-core', ['any... | read/write... | read/write...']),
    group('3 threads, one awaits', 'one-core', ['anyAsync... | read/write... | read/write...']),
  ];
}

/** Besides, with hours and some 20 GB. */
export function largePlan(): Group[] {
  return [
    group('4 threads x 1, main operations', 'one-core', mixes(4, MAIN)),
    group('3 threads, reads and writes, any number, spinning', 'spin', [same(3, 'read/write...')]),
    group('3 threads, three operations, any number', 'one-core', [same(3, 'read/write/timedWrite...'), same(3, 'read/write/downgrade...'), same(3, 'read/timedRead/write...')]),
    group('2 threads, anything at all, any number', 'one-core', [same(2, 'any/anyAsync/anyPair/anyNested...')]),
    group('3 threads, two do anything', 'one-core', ['any... | any... | read/write...']),
  ];
}

function group(title: string, mode: string, programs: string[]): Group {
  return { title, mode, programs };
}

function same(threads: number, program: string): string {
  return Array<string>(threads).fill(program).join(' | ');
}

/** What the arguments ask for: these programs under each of these policies. */
export function customPlan(programs: readonly string[], policies: readonly NamedPolicy[], mode: string): Group[] {
  const modes = policies.map(({ name, policy }) => ({ title: `policy ${name}`, mode: `${modeOf(policy)} ${mode}`.trim() }));
  return programs.flatMap((program) => (modes.length === 0 ? [{ title: '', mode }] : modes).map(({ title, mode: words }) => group([program, title].filter(Boolean).join(', '), words, [program])));
}
