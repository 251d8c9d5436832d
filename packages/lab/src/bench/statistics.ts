/** Rounds become figures: medians and ranges over rounds, fairness within them. */
import { max, mean, median, min } from 'simple-statistics';
import type { RoundResult, Verdict } from './competitor.ts';
import { Histogram, type LatencySummary } from './histogram.ts';
import type { AgentCounts } from './protocol.ts';
import type { Workload } from './workload.ts';

/** Over rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** How evenly threads that do the same got through. Every figure is the median over rounds. */
export interface GroupSummary {
  role: 'all' | 'readers' | 'writers';
  threads: number;
  /** Thousand operations a second of the slowest thread, of the mean, of the fastest. */
  minKops: number;
  meanKops: number;
  maxKops: number;
  /** 1 and 1 when all did the same. */
  minOverMean: number;
  maxOverMean: number;
}

export interface Summary {
  rounds: number;
  /** Null when no round was completed. */
  totalKops: Spread | null;
  /** Total relative to the reference lock in the same round. */
  ratio: Spread | null;
  groups: GroupSummary[];
  readLatency: LatencySummary | null;
  writeLatency: LatencySummary | null;
  /** The worst of all rounds. */
  verdict: Verdict;
  violations: number;
  detail: string | null;
  /** Sums over rounds. */
  events: Record<string, number> | null;
}

/** `reference` are the rounds of the lock that ratios refer to, in the same order. */
export function summarize(workload: Workload, rounds: RoundResult[], reference: RoundResult[]): Summary {
  const complete = rounds.filter(({ agents }) => agents.length > 0);
  const ratios = rounds.flatMap((round, index) => {
    const base = reference[index];
    return base !== undefined && base.agents.length > 0 && round.agents.length > 0 ? [totalKops(round) / totalKops(base)] : [];
  });
  const worst = rounds.reduce((a, b) => (SEVERITY.indexOf(b.verdict) > SEVERITY.indexOf(a.verdict) ? b : a));
  return {
    rounds: rounds.length,
    totalKops: spread(complete.map(totalKops)),
    ratio: spread(ratios),
    groups: complete.length === 0 ? [] : groupsOf(workload).map((group) => summarizeGroup(group, complete)),
    readLatency: mergeLatency(complete, 'readLatency').summary(),
    writeLatency: mergeLatency(complete, 'writeLatency').summary(),
    verdict: worst.verdict,
    violations: rounds.reduce((total, round) => total + round.violations, 0),
    detail: worst.detail,
    events: addEvents(complete),
  };
}

const SEVERITY: Verdict[] = ['held', 'unchecked', 'FAILED', 'HUNG', 'VIOLATED'];
export const isFailure = (verdict: Verdict) => SEVERITY.indexOf(verdict) >= SEVERITY.indexOf('FAILED');

export function mergeLatency(rounds: RoundResult[], which: 'readLatency' | 'writeLatency'): Histogram {
  const merged = new Histogram();
  for (const { agents } of rounds) for (const agent of agents) merged.add(agent[which]);
  return merged;
}

export function spread(values: number[]): Spread | null {
  return values.length === 0 ? null : { median: median(values), min: min(values), max: max(values) };
}

export function totalKops({ agents, seconds }: RoundResult): number {
  return agents.reduce((total, agent) => total + operations(agent), 0) / seconds / 1000;
}

const operations = ({ reads, writes }: AgentCounts) => reads + writes;

interface Group {
  role: GroupSummary['role'];
  members: number[];
}

function groupsOf({ dedicated, readPercents }: Workload): Group[] {
  const everyone = readPercents.map((_, index) => index);
  if (!dedicated) return [{ role: 'all', members: everyone }];
  const readers: Group = { role: 'readers', members: everyone.filter((index) => readPercents[index] === 100) };
  const writers: Group = { role: 'writers', members: everyone.filter((index) => readPercents[index] === 0) };
  return [readers, writers].filter(({ members }) => members.length > 0);
}

function summarizeGroup({ role, members }: Group, rounds: RoundResult[]): GroupSummary {
  const perRound = rounds.map(({ agents, seconds }) => {
    const kops = members.map((index) => operations(agents[index]!) / seconds / 1000);
    return { min: min(kops), mean: mean(kops), max: max(kops) };
  });
  const over = (figure: (round: { min: number; mean: number; max: number }) => number) => median(perRound.map(figure));
  // A group that did nothing at all is even.
  const relative = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
  return {
    role,
    threads: members.length,
    minKops: over((round) => round.min),
    meanKops: over((round) => round.mean),
    maxKops: over((round) => round.max),
    minOverMean: over((round) => relative(round.min, round.mean)),
    maxOverMean: over((round) => relative(round.max, round.mean)),
  };
}

function addEvents(rounds: RoundResult[]): Record<string, number> | null {
  const counted = rounds.flatMap(({ events }) => (events === null ? [] : [events]));
  if (counted.length === 0) return null;
  const sums: Record<string, number> = {};
  for (const events of counted) {
    for (const [name, count] of Object.entries(events)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
