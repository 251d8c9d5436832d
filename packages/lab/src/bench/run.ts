/**
 * Runs a plan: for every workload, round by round, every competitor in turn.
 *
 * The order rotates, so that no lock always runs first on a cool machine or always after the same
 * other one. Ratios are taken within a round.
 */
import type { Competitor, RoundRequest, RoundResult } from './competitor.ts';
import { summarize, type Summary } from './statistics.ts';
import { defaultSampleEvery, threadsLabel, titleOf, type Workload } from './workload.ts';

export interface RunOptions {
  seconds: number;
  rounds: number;
  warmUpMs: number;
  graceMs: number;
  sampleEvery?: number;
  verify: boolean;
  seed: number;
}

export interface LockResult {
  lock: string;
  summary: Summary;
  rounds: RoundResult[];
}

export interface WorkloadResult {
  title: string;
  threads: string;
  workload: Workload;
  sampleEvery: number;
  /** The first is the one that ratios refer to. */
  locks: LockResult[];
}

/** What is going on, for the live line. */
export interface Moment {
  workload: Workload;
  lock: string;
  round: number;
  /** Rounds of any lock finished so far, and in all. */
  finished: number;
  total: number;
  /** Of the round that runs; 0 while it starts. */
  kops: number;
}

export interface Observer {
  moment(moment: Moment): void;
  workloadDone(result: WorkloadResult): void;
}

export async function runBench(
  competitors: Competitor[],
  workloads: Workload[],
  options: RunOptions,
  observer: Observer,
  stop: AbortSignal,
): Promise<WorkloadResult[]> {
  const results: WorkloadResult[] = [];
  const total = workloads.length * options.rounds * competitors.length;
  let finished = 0;
  for (const workload of workloads) {
    const sampleEvery = options.sampleEvery ?? defaultSampleEvery(workload);
    const rounds = new Map<Competitor, RoundResult[]>(competitors.map((competitor) => [competitor, []]));
    for (let round = 0; round < options.rounds && !stop.aborted; round++) {
      for (let turn = 0; turn < competitors.length && !stop.aborted; turn++) {
        const competitor = competitors[(turn + round) % competitors.length]!;
        const own = rounds.get(competitor)!;
        // A lock that hung will hang again, and every time costs the whole grace period.
        if (own.at(-1)?.agents.length === 0) continue;
        const moment = { workload, lock: competitor.name, round, finished, total };
        const { seconds, warmUpMs, graceMs, verify, seed } = options;
        const request: RoundRequest = { workload, seconds, warmUpMs, sampleEvery, verify, graceMs, seed: seed + round };
        observer.moment({ ...moment, kops: 0 });
        request.onProgress = (operations, took) => observer.moment({ ...moment, kops: operations / took / 1000 });
        const result = await competitor.run(request);
        own.push(result);
        finished += result.agents.length > 0 ? 1 : options.rounds - round;
      }
    }
    const locks = competitors.flatMap((competitor) => toLockResult(workload, competitor, rounds, competitors[0]!));
    if (locks.length === 0) break;
    const result = { title: titleOf(workload), threads: threadsLabel(workload), workload, sampleEvery, locks };
    results.push(result);
    observer.workloadDone(result);
  }
  return results;
}

/** Empty if the run was stopped before the lock's first round. */
function toLockResult(
  workload: Workload,
  competitor: Competitor,
  rounds: Map<Competitor, RoundResult[]>,
  reference: Competitor,
): LockResult[] {
  const own = rounds.get(competitor)!;
  if (own.length === 0) return [];
  return [{ lock: competitor.name, rounds: own, summary: summarize(workload, own, rounds.get(reference)!) }];
}
