/**
 * The second engine: SPIN explores the same steps, as C, breadth first too. It stores whole states, not
 * fingerprints, and shares no code with the first from the graphs of instructions on. What both agree on is
 * not a mistake of one of them.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Exploration } from '../explore.ts';
import type { LoadedProgram } from '../model/model.ts';
import type { Failure } from '../model/runtime.ts';
import type { Move } from '../schedule.ts';
import { emitModel } from './emit-model.ts';
import { needTools, SpinError } from './tools.ts';

const RUNTIME = fileURLToPath(new URL('../../../src/check/spin/runtime.c', import.meta.url));
/** Ways that one step can go, by its free choices: a few, and if that turns out not to be enough, more. */
const COMBINATIONS = [8, 64, 512];
const DEFAULT_MEMORY_MB = 4096;
/** For what SPIN itself keeps in a state. */
const SPARE_BYTES = 1024;

export interface SpinLimits {
  /** For the states. SPIN stops there, and the exploration is not complete. */
  memoryMb?: number;
}

/** States, steps and depth are those of `explore`, if nothing is wrong with the program. */
export function exploreWithSpin(loaded: LoadedProgram, limits: SpinLimits = {}): Exploration {
  needTools();
  const decisions = Math.max(...loaded.model.stops.map(({ alternatives = [] }) => alternatives.length));
  for (const combinations of COMBINATIONS.filter((many) => many > 2 * decisions)) {
    const directory = mkdtempSync(join(tmpdir(), 'rwsem-spin-'));
    try {
      for (const [name, text] of emitModel(loaded, combinations)) writeFileSync(join(directory, name), text);
      copyFileSync(RUNTIME, join(directory, 'runtime.c'));
      build(directory, loaded, limits.memoryMb ?? DEFAULT_MEMORY_MB);
      const output = run(directory, './pan', []);
      if (!/^COMBINATIONS /m.test(output)) return readResult(output, directory);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  throw new SpinError(`a step of this program can go on in more than ${COMBINATIONS.at(-1)} ways; explore it with the other engine`);
}

function build(directory: string, { words }: LoadedProgram, memoryMb: number): void {
  const spin = run(directory, 'spin', ['-a', 'model.pml']);
  if (/error/i.test(spin)) throw new SpinError(`spin does not take the model:\n${spin}`);
  const options = ['-O1', '-fwrapv', '-w', '-DSAFETY', '-DBFS', '-DNOREDUCE', `-DMEMLIM=${memoryMb}`, `-DVECTORSZ=${words * 4 + SPARE_BYTES}`];
  run(directory, 'gcc', [...options, '-o', 'pan', 'pan.c']);
}

function run(directory: string, command: string, args: string[], environment: Record<string, string> = {}): string {
  const { error, signal, status, stdout, stderr } = spawnSync(command, args, {
    cwd: directory, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, ...environment },
  });
  if (error) throw new SpinError(`${command}: ${error.message}`);
  if (signal) throw new SpinError(`${command} was ended by ${signal}`);
  if (status !== 0 && command === 'gcc') throw new SpinError(`gcc does not take what spin made of the model:\n${stderr.slice(0, 2000)}`);
  return stdout + stderr;
}

function readResult(output: string, directory: string): Exploration {
  const count = (pattern: RegExp): number => {
    const found = pattern.exec(output)?.[1];
    if (found === undefined) throw new SpinError(`spin has broken off:\n${output.slice(0, 2000)}`);
    return Number(found);
  };
  const failure = readFailure(output);
  const isCutShort = /Search not completed|MEMLIM|search depth too small|out of memory/i.test(output);
  return {
    states: count(/^\s*(\d+) states, stored/m),
    // Coming to the first state is no step.
    steps: count(/^\s*(\d+) transitions/m) - 1,
    depth: count(/depth reached (\d+)/),
    failure,
    schedule: failure ? readSchedule(directory) : [],
    complete: !failure && !isCutShort,
  };
}

function readFailure(output: string): Failure | null {
  const [, property, text] = /^FAILURE ([A-Z]+)\|(.*)$/m.exec(output) ?? [];
  if (property !== undefined && text !== undefined) return { property: property as Failure['property'], text };
  if (/errors: [1-9]/.test(output)) throw new SpinError(`spin has found an error that the model does not know:\n${output.slice(0, 2000)}`);
  return null;
}

/** The run that SPIN has written down is made once more, and tells its steps. */
function readSchedule(directory: string): Move[] {
  const output = run(directory, './pan', ['-r'], { RWSEM_MOVES: '1' });
  return [...output.matchAll(/^MOVE (\d+) (\d+)$/gm)].map(([, thread, choice]) => ({ thread: Number(thread), choice: Number(choice) }));
}
