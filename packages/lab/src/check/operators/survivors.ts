/**
 * Why mutants survive: `survivors.json` and `survivors-spin.json`, written by hand, a list of mutants for each
 * reason. A function stands for all mutants of it, each of which survives.
 */
import { readFileSync } from 'node:fs';
import { readShippedCore } from '../../lower/source.ts';
import { generateMutants } from './generate.ts';

interface Explanation {
  reason: string;
  mutants?: string[];
  /** `spin readerSpinUs`: the part before the colon of its mutants. */
  functions?: string[];
}

const FILES = ['survivors.json', 'survivors-spin.json'];

/** By the id of the mutant. */
export function readReasons(): Map<string, string> {
  const explanations = FILES.flatMap((name) => JSON.parse(readFileSync(new URL(`../../../src/check/operators/${name}`, import.meta.url), 'utf8')) as Explanation[]);
  const all = generateMutants(readShippedCore()).map(({ id }) => id);
  const reasons = new Map<string, string>();
  for (const { reason, mutants = [], functions = [] } of explanations) {
    for (const id of [...mutants, ...functions.flatMap((name) => mutantsOf(name, all))]) {
      if (reasons.has(id)) throw new Error(`"${id}" is explained twice`);
      reasons.set(id, reason);
    }
  }
  return reasons;
}

function mutantsOf(name: string, ids: readonly string[]): string[] {
  const found = ids.filter((id) => id.startsWith(`${name}: `));
  if (found.length === 0) throw new Error(`there are no mutants of "${name}", which is explained`);
  return found;
}
