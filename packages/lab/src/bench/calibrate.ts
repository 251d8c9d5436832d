/** What the instruments cost on this machine, so that a report can be read without guessing. */
import { quantile } from 'simple-statistics';
import { formatSection, makeSection } from './section.ts';
import type { Workload } from './workload.ts';

export interface Calibration {
  /** One reading of the clock; a timed acquisition includes about one. */
  clockNs: number;
  /** What the critical sections and pauses of the workloads really take, alone on this machine. */
  sectionUs: Record<string, number>;
}

const BUDGET_MS = 30;

export function calibrate(workloads: Workload[]): Calibration {
  const sections = workloads.flatMap(({ reading, writing }) => [reading.section, reading.think, writing.section, writing.think]);
  const byName = new Map(sections.map((section) => [formatSection(section), section]));
  byName.delete('empty');
  return {
    clockNs: timeOf(() => void performance.now()) * 1000,
    sectionUs: Object.fromEntries([...byName].map(([name, section]) => [name, timeOf(makeSection(section))])),
  };
}

/** Microseconds per call: the faster batches within a fixed budget, since others may use the machine too. */
function timeOf(call: () => void): number {
  const batches: number[] = [];
  let calls = 1;
  const endMs = performance.now() + BUDGET_MS;
  do {
    const fromMs = performance.now();
    for (let i = 0; i < calls; i++) call();
    const tookMs = performance.now() - fromMs;
    if (tookMs < 0.5) calls *= 4; // too short to time: not counted
    else batches.push((tookMs * 1000) / calls);
  } while (performance.now() < endMs || batches.length === 0);
  return quantile(batches, 0.25);
}
