/** `rwsem-lab sim --cores 64 ...`: the shipped lock on a machine of one's own description. */
import type { LatencySummary } from '../bench/histogram.ts';
import { formatSection, type Section } from '../bench/section.ts';
import type { PolicyOptions } from '../locks/lock.ts';
import { formatPolicy } from '../locks/policy.ts';
import { formatEvents, formatNs, formatNumber } from '../report/format.ts';
import { plainTable } from '../report/terminal.ts';
import type { ChromeTrace } from './chrome-trace.ts';
import { evennessOf, kopsOf, operationsOf, spreadOf, sum } from './figures.ts';
import { STATES } from './machine/clock.ts';
import type { MachineModel } from './machine/model.ts';
import { simulate, type Outcome } from './simulate.ts';

export interface WhatIf {
  model: MachineModel;
  threads: number;
  read: number;
  hold: Section;
  think: Section;
  policies: PolicyOptions[];
  ms: number;
  seeds: number;
  trace: ChromeTrace | null;
}

export interface WhatIfResult {
  policy: PolicyOptions;
  outcomes: Outcome[];
}

export function runWhatIf({ model, threads, read, hold, think, policies, ms, seeds, trace }: WhatIf): WhatIfResult[] {
  const readPercents = Array.from({ length: threads }, () => read);
  return policies.map((policy, index) => ({
    policy,
    outcomes: Array.from({ length: seeds }, (_, seed) => {
      const timeline = index === 0 && seed === 0 && trace !== null ? { timeline: trace } : {};
      return simulate({ model, readPercents, hold, think, policy, ms, warmUpMs: ms / 10, seed: seed + 1, ...timeline });
    }),
  }));
}

export function hasViolation(results: WhatIfResult[]): boolean {
  return results.some(({ outcomes }) => outcomes.some(({ violations }) => violations > 0));
}

export function renderWhatIf({ model, threads, read, hold, ms, seeds }: WhatIf, results: WhatIfResult[]): string {
  const title = `${model.about}, ${threads} threads, ${read} % reads, section ${formatSection(hold)}; ${ms} ms simulated, ${seeds} seeds, scheduled as ${model.world} threads`;
  const head = ['policy', 'kops/s', 'range', 'per thread\nmin / mean / max', 'min/\nmean', 'max/\nmean', 'read latency\np50 / p99 / max', 'write latency\np50 / p99 / max', 'exclusion'];
  const rows = results.map(({ policy, outcomes }) => {
    const kops = spreadOf(outcomes.map((outcome) => kopsOf(outcome, ms)));
    const first = outcomes[0]!;
    const even = evennessOf(operationsOf(first).map((count) => count / ms));
    const violations = sum(outcomes.map((outcome) => outcome.violations));
    return [
      formatPolicy(policy) || 'default',
      formatNumber(kops.median),
      `${formatNumber(kops.min)}-${formatNumber(kops.max)}`,
      [even.min, even.mean, even.max].map(formatNumber).join(' / '),
      formatNumber(even.minOverMean),
      formatNumber(even.maxOverMean),
      latency(first.readLatency.summary()),
      latency(first.writeLatency.summary()),
      violations === 0 ? 'held' : `VIOLATED ${violations}`,
    ];
  });
  const aligns = head.map((_, column) => (column === 0 || column === head.length - 1 ? 'left' : 'right')) as Array<'left' | 'right'>;
  const notes = results.flatMap(({ policy, outcomes }) => [
    `  ${formatPolicy(policy) || 'default'}: ${formatEvents(outcomes[0]!.events)}`,
    `    threads were ${shares(outcomes[0]!)}`,
  ]);
  return [title, plainTable(head, aligns, rows), '', 'events and time, first seed', ...notes, speedLine(results.flatMap(({ outcomes }) => outcomes))].join('\n');
}

function latency(summary: LatencySummary | null): string {
  return summary === null ? '' : [summary.p50Ns, summary.p99Ns, summary.maxNs].map(formatNs).join(' / ');
}

function shares({ spent, simulatedNs }: Outcome): string {
  return STATES.map((name, state) => ({ name, share: sum(spent.map((times) => times[state]!)) / spent.length / simulatedNs }))
    .filter(({ share }) => share >= 0.0005)
    .map(({ name, share }) => `${(share * 100).toFixed(1)} % ${name}`)
    .join(', ');
}

export function speedLine(outcomes: Outcome[]): string {
  const accesses = sum(outcomes.map((outcome) => outcome.accesses));
  const seconds = sum(outcomes.map((outcome) => outcome.wallMs)) / 1000;
  return `${formatNumber(accesses / 1e6)} million memory events in ${seconds.toFixed(1)} s: ${formatNumber(accesses / seconds / 1e6)} million a second. Turns of spin loops that change nothing are left out.`;
}
