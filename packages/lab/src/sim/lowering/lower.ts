/**
 * Lowers a program of the portable subset to step functions: the files as they are installed, not a copy
 * of the algorithm. `rwsem-lab sim` reports their hash.
 */
import { Analysis } from './analysis.ts';
import { linkProgram, LoweringError, type Changes, type LinkedProgram, type SourceFunction } from './modules.ts';
import { PlainPrinter } from './printer.ts';
import { parametersOf, Stepper, type PlacedSpinLoop } from './stepper.ts';

/** What step functions work on: one entry for each thread, and the stacks of all. */
export interface Registers {
  S: Int32Array;
  /** Current frame and function of a thread; function -1: it has ended. */
  FP: Int32Array;
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
  /** At the head of a spin loop: true to leave out some turns. */
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

export function lowerProgram(root: URL, entry: string, changes: Changes = {}): Lowered {
  const program = linkProgram(root, changes);
  const analysis = new Analysis(program);
  const stopping = [...program.functions.values()].filter(({ key }) => analysis.stopping.has(key));
  const indices = new Map(stopping.map(({ key }, index) => [key, index]));
  const entryIndex = stopping.findIndex(({ node }) => node.id?.name === entry);
  if (entryIndex < 0) throw new LoweringError(root.pathname, null, `there is no function ${entry} that stops`);

  const loops: PlacedSpinLoop[] = [];
  const frames: string[] = [];
  let frameWords = 0;
  const codes = stopping.map((source) => {
    const stepper = new Stepper(source, analysis, (key) => indices.get(key)!, (loop) => loops.push(loop) - 1);
    const lowered = stepper.lower();
    for (const [id, loop] of stepper.spinLoops) loops[id] = loop;
    frames.push(`const ${source.key}$frame=${lowered.frameWords};`);
    frameWords = Math.max(frameWords, lowered.frameWords);
    return lowered.code;
  });
  const plain = [...program.functions.values()].filter(({ key }) => !analysis.stopping.has(key)).map(printPlain);
  const spins = loops.map(({ level, steady, counters, bounds }) =>
    `{level:${level},steady:Int32Array.of(${steady.join()}),counters:Int32Array.of(${counters.join()}),turnsAlike(b,D,us,turnNs){${bounds}}}`);
  const source = [
    '"use strict";',
    ...printConstants(program),
    ...frames,
    ...plain,
    ...codes,
    `return{steps:[${stopping.map(({ key }) => key).join()}],spinLoops:[${spins.join()}]};`,
  ].join('\n');
  const names = ['S', 'FP', 'FN', 'OP', 'ADR', 'A0', 'A1', 'RES'] as const;
  return {
    entry: entryIndex,
    frameWords,
    source,
    bind(registers, host) {
      const make = new Function(...names, 'host', source) as (...parts: unknown[]) => LoweredProgram;
      return make(...names.map((name) => registers[name]), host);
    },
  };
}

function printConstants(program: LinkedProgram): string[] {
  return program.constants.map(({ key, module, init }) => `const ${key}=${new PlainPrinter(module).expression(init)};`);
}

function printPlain({ key, module, node }: SourceFunction): string {
  const printer = new PlainPrinter(module);
  const parameters = parametersOf(node, printer).map((name) => printer.declare(name).place);
  return `function ${key}(${parameters.join()}){${printer.statement(node.body)}return 0;}`;
}
