/**
 * Lowers a measured loop and the lock under it to step functions: the files as they are installed, not a
 * copy of the algorithm. `rwsem-lab sim` reports their hash.
 */
import { fileURLToPath } from 'node:url';
import { replaceOnce } from '../../replace-once.ts';
import { lowerRoutine } from '../../lower/lower.ts';
import { CoreLibrary, CoreModule } from '../../lower/module.ts';
import { ENVIRONMENT_FILE, readBuilt, readShippedCore, type SourceFile } from '../../lower/source.ts';
import { SubsetError } from '../../lower/subset-error.ts';
import type { Surroundings } from '../../lower/surroundings.ts';
import { tidy } from '../../lower/tidy.ts';
import { Emitter } from './emitter.ts';
import { HOST_CALLS, OPERATIONS, WITH_RESULT } from './operations.ts';
import { markSpinLoops } from './spin-loops.ts';

/** What step functions work on: one entry for each thread, and the frames of all. */
export interface Registers {
  S: Int32Array;
  /** The agent record of a thread. */
  ME: Int32Array;
  /** The function with which it goes on; -1: it has ended. */
  FN: Int32Array;
  OP: Uint8Array;
  ADR: Int32Array;
  A0: Int32Array;
  A1: Int32Array;
  RES: Int32Array;
}

export interface Host {
  nextOperation(thread: number): number;
  entered(thread: number, kind: number): void;
  leaving(thread: number, kind: number): void;
  /** On the way into a spin loop. */
  beginSpin(thread: number, level: number): void;
  /** At its head: true to leave out some turns. */
  spin(thread: number, loop: number, frame: number): boolean;
}

/** 1: an operation is asked for. 0: another function goes on. */
export type Step = (thread: number) => number;

export interface SpinLoopCode {
  level: 0 | 1;
  steady: Int32Array;
  counters: Int32Array;
  turnsAlike(frame: number, differences: Int32Array, nowUs: number, turnNs: number): number;
}

export interface LoweredProgram {
  steps: Step[];
  spinLoops: SpinLoopCode[];
}

export interface Lowered {
  /** Index of the step function of the entry. */
  entry: number;
  frameWords: number;
  source: string;
  bind(registers: Registers, host: Host): LoweredProgram;
}

/** A change of the text of a built file, which must be found exactly once. */
export interface Edit {
  module: string;
  find: string;
  replace: string;
}

/** How a lock under simulation differs from the files: other values of constants, by `module.NAME`, and edits. */
export interface Changes {
  overrides?: Readonly<Record<string, number>>;
  edits?: readonly Edit[];
}

const ENTRY = 'agent';
const SURROUNDINGS: Surroundings = {
  access: () => ({ kind: 'memory' }),
  call: (name) => (name in OPERATIONS || HOST_CALLS.has(name) ? { kind: 'intrinsic', hasResult: WITH_RESULT.has(name) } : { kind: 'inline' }),
  isFrozen: () => false,
};
const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAMS = folder('../programs/');
const PROGRAM_SOURCES = folder('../../../src/sim/programs/');
/** Not lowered: the machine is in their place. */
const PROVIDED = [ENVIRONMENT_FILE, 'intrinsics.js'];

/** `program`: the file in `sim/programs`. `lock`: the address of the one lock. */
export function lowerProgram(program: string, lock: number, { overrides = {}, edits = [] }: Changes = {}): Lowered {
  const sources = edits.reduce(applyEdit, readProgram(`${program}.js`));
  const library = new CoreLibrary(sources, new Map(Object.entries(overrides)));
  const { routine, spinLoops } = markSpinLoops(tidy(lowerRoutine(library, SURROUNDINGS, ENTRY, lock, [])));
  const emitter = new Emitter(routine, spinLoops);
  const { entry, frameWords } = emitter;
  const source = [
    '"use strict";',
    `const FRAME=${frameWords};`,
    `return{steps:[\n${emitter.functions.join(',\n')}\n],spinLoops:[\n${spinLoops.map((loop) => emitter.printSpinLoop(loop)).join(',\n')}\n]};`,
  ].join('\n');
  const names = ['S', 'ME', 'FN', 'OP', 'ADR', 'A0', 'A1', 'RES'] as const;
  return {
    entry,
    frameWords,
    source,
    bind(registers, host) {
      const make = new Function(...names, 'host', source) as (...parts: unknown[]) => LoweredProgram;
      return make(...names.map((name) => registers[name]), host);
    },
  };
}

/** The core, the program, and what the program imports besides. */
function readProgram(program: string): SourceFile[] {
  const sources = readShippedCore();
  const known = new Set([...PROVIDED, ...sources.map(({ name }) => name)]);
  const todo = [program];
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (known.has(name)) continue;
    known.add(name);
    const source = readBuilt(PROGRAMS, name, PROGRAM_SOURCES);
    sources.push(source);
    todo.push(...[...new CoreModule(source).imports.values()].map(({ file }) => file));
  }
  return sources;
}

function applyEdit(sources: SourceFile[], { module, find, replace }: Edit): SourceFile[] {
  const name = `${module}.js`;
  if (!sources.some((source) => source.name === name)) throw new SubsetError(name, 0, 'an edit of a module that the program does not import');
  const refuse = (times: number) => new SubsetError(name, 0, `the text of an edit is there ${times} times: ${find}`);
  return sources.map((source) => (source.name === name ? { ...source, code: replaceOnce(source.code, find, replace, refuse) } : source));
}
