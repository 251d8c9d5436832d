/**
 * Why mutants survive: `survivors.json` and `survivors-spin.json`, written by hand, a list of mutants for each
 * reason. A function stands for all mutants of it, each of which survives.
 */
import { readFileSync } from 'node:fs';
import type { Mutant } from './mutant.ts';

interface Explanation {
  reason: string;
  mutants?: string[];
  /** `spin readerSpinUs`: the part before the colon of its mutants. */
  functions?: string[];
}

const FILES = ['survivors.json', 'survivors-spin.json'];

/** By the id of the mutant; `all` there are. */
export function readReasons(all: readonly Mutant[]): Map<string, string> {
  const explanations = FILES.flatMap((name) => JSON.parse(readFileSync(new URL(`../../../src/check/operators/${name}`, import.meta.url), 'utf8')) as Explanation[]);
  const reasons = new Map<string, string>();
  for (const { reason, mutants = [], functions = [] } of explanations) {
    for (const id of [...mutants, ...functions.flatMap((name) => mutantsOf(name, all))]) {
      if (reasons.has(id)) throw new Error(`"${id}" is explained twice`);
      reasons.set(id, reason);
    }
  }
  return reasons;
}

function mutantsOf(name: string, all: readonly Mutant[]): string[] {
  const found = all.map(({ id }) => id).filter((id) => id.startsWith(`${name}: `));
  if (found.length === 0) throw new Error(`there are no mutants of "${name}", which is explained`);
  return found;
}
