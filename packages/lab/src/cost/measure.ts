/** Times the variants in turn, round by round, and compares within rounds. */
import { spread, type Spread } from '../bench/statistics.ts';
import { compile, GROUPS, type Loop, type Variant } from './variants.ts';

export interface VariantCost {
  name: string;
  ns: Spread;
  /** To the group's baseline, in the same round. */
  ratio: Spread;
  target: number | null;
}

export interface GroupCost {
  title: string;
  /** The first is the baseline. */
  variants: VariantCost[];
}

const OPERATIONS = 200_000; // 2 to 10 ms a round: many times the clock's resolution, less than a time slice
const ASYNC_OPERATIONS = 20_000;
const WARM_UP_ROUNDS = 5;

export let consumed = 0;

interface Runner {
  variant: Variant;
  loop: Loop;
  roundsNs: number[];
}

export async function measureCosts(rounds: number, onRound: (round: number) => void): Promise<GroupCost[]> {
  const groups = GROUPS.map(({ title, baseline, variants }) => ({
    title,
    runners: [baseline, ...variants].map((variant): Runner => ({ variant, loop: compile(variant), roundsNs: [] })),
  }));
  const all = groups.flatMap(({ runners }) => runners);
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    onRound(round);
    // The baseline and its variants run next to each other, in alternating order.
    for (const runner of round % 2 === 0 ? all : all.toReversed()) {
      const ns = await timeOnce(runner);
      if (round >= 0) runner.roundsNs.push(ns);
    }
  }
  return groups.map(({ title, runners }) => ({
    title,
    variants: runners.map(({ variant, roundsNs }) => ({
      name: variant.name,
      ns: spread(roundsNs)!,
      ratio: spread(roundsNs.map((ns, round) => ns / runners[0]!.roundsNs[round]!))!,
      target: variant.target ?? null,
    })),
  }));
}

async function timeOnce({ variant, loop }: Runner): Promise<number> {
  const operations = variant.async ? ASYNC_OPERATIONS : OPERATIONS;
  const fromMs = performance.now();
  const result = loop(operations);
  consumed = (consumed + (typeof result === 'number' ? result : await result)) | 0;
  return ((performance.now() - fromMs) * 1e6) / operations;
}
