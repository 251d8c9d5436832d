/** Why mutants survive: `survivors.json`, written by hand, a list of mutants for each reason. */
import { readFileSync } from 'node:fs';

interface Explanation {
  reason: string;
  mutants: string[];
}

/** By the id of the mutant. */
export function readReasons(): Map<string, string> {
  const file = new URL('../../../src/check/operators/survivors.json', import.meta.url);
  const explanations = JSON.parse(readFileSync(file, 'utf8')) as Explanation[];
  const reasons = new Map<string, string>();
  for (const { reason, mutants } of explanations) {
    for (const id of mutants) {
      if (reasons.has(id)) throw new Error(`survivors.json explains "${id}" twice`);
      reasons.set(id, reason);
    }
  }
  return reasons;
}
