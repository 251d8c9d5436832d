/** The bench report as data: what `--json` writes and the HTML page is made from. */
import type { Calibration } from '../bench/calibrate.ts';
import type { Settings } from '../bench/competitor.ts';
import type { WorkloadResult } from '../bench/run.ts';
import { isFailure } from '../bench/statistics.ts';
import type { Provenance } from './provenance.ts';

export interface BenchReport {
  kind: 'rwsem-lab bench';
  schema: 2;
  provenance: Provenance;
  /** As they were in force, defaults filled in. */
  options: { seconds: number; rounds: number; warmUpMs: number; verify: boolean; seed: number };
  /** Of every lock that ran: the policy in force, or how it was compiled. */
  settings: Record<string, Settings>;
  calibration: Calibration;
  /** Locks that were asked for and could not run here, with the reason. */
  absent: Record<string, string>;
  /** Stopped early: not all rounds were run. */
  interrupted: boolean;
  results: WorkloadResult[];
}

export function hasFailure({ results }: BenchReport): boolean {
  return results.some(({ locks }) => locks.some(({ summary }) => isFailure(summary.verdict)));
}

/** Infinity is a policy and not JSON. */
export function toJson(report: unknown): string {
  return `${JSON.stringify(report, (_, value: unknown) => (value === Infinity ? 'Infinity' : value))}\n`;
}
