/** Whatever can run a workload and count: a lock on worker threads, or a program of its own. */
import type { AgentCounts } from './protocol.ts';
import type { Workload } from './workload.ts';

export interface RoundRequest {
  workload: Workload;
  seconds: number;
  /** With a thread for every core; locks on workers take longer, see `scaledWarmUpMs`. */
  warmUpMs: number;
  sampleEvery: number;
  verify: boolean;
  /** Of the order of reads and writes, and of the choice among locks. */
  seed: number;
  /** How long after the stop flag a thread may still be on its way before the round counts as hung. */
  graceMs: number;
  /** Called now and then with the operations done so far and the seconds they took. */
  onProgress?: (operations: number, seconds: number) => void;
}

/**
 * held       nobody was inside who should not have been
 * VIOLATED   somebody was
 * HUNG       some thread never came back; nobody overlapped as far as one can tell
 * FAILED     the lock threw, or the program broke
 * unchecked  `--verify off`
 */
export type Verdict = 'held' | 'VIOLATED' | 'HUNG' | 'FAILED' | 'unchecked';

export interface RoundResult {
  seconds: number;
  /** One per thread, in the order of `workload.readPercents`; empty if the round hung or failed. */
  agents: AgentCounts[];
  verdict: Verdict;
  violations: number;
  /** What went wrong, for people. */
  detail: string | null;
  events: Record<string, number> | null;
}

export type Settings = Record<string, string | number | boolean>;

export interface Competitor {
  readonly name: string;
  /**
   * Called once, before the first round; rejects with the reason if the lock cannot run here. What it
   * returns goes into the report: a policy, a compiler.
   */
  prepare(): Promise<Settings>;
  run(request: RoundRequest): Promise<RoundResult>;
}

export function failedRound(verdict: 'HUNG' | 'FAILED', detail: string): RoundResult {
  return { seconds: 0, agents: [], verdict, violations: 0, detail, events: null };
}
