/** `rwsem-lab check --random`: single runs of programs that are too large to explore. */
import { parseProgram } from './model/program.ts';
import type { Group } from './plan.ts';
import { printTrace } from './print-trace.ts';
import { randomSchedules } from './random.ts';
import { replay } from './replay.ts';
import { formatSchedule } from './schedule.ts';
import { commandFor, loadTask } from './task.ts';

export interface RandomArguments {
  /** Runs of each program. */
  random: number;
  seed: number;
  pct: number | undefined;
  mutation: string | undefined;
}

/** True if something is violated; one line for each program, and the first counterexample. */
export function checkAtRandom(groups: readonly Group[], { random: count, seed, pct, mutation }: RandomArguments, write: (text: string) => void): boolean {
  for (const { mode, programs } of groups) {
    for (const program of programs) {
      const startedMs = performance.now();
      const loaded = loadTask({ program, mode, mutation, mostStates: 0 });
      const found = randomSchedules(loaded, { seed, count, depth: pct });
      const what = `${program}, mode ${mode || '-'}: ${found.runs.toLocaleString('en')} ${pct === undefined ? 'random runs' : `random runs and as many by PCT, depth ${pct}`}, ${found.steps.toLocaleString('en')} steps, ${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
      if (!found.failure) {
        write(`${what}: nothing found\n`);
        continue;
      }
      const again = commandFor({ program, mode, mutation });
      const trace = printTrace(parseProgram(program), replay(loaded, found.schedule));
      write(`${what}: VIOLATED\n\n${trace}\n\nThe same again: ${again} --random 1 --seed ${found.seed}${pct === undefined ? '' : ` --pct ${pct}`}\nOr step by step: ${again} --replay ${formatSchedule(found.schedule)}\n`);
      return true;
    }
  }
  return false;
}
