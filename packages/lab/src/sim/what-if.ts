/** `rwsem-lab sim --cores 64 ...`: the shipped lock on a machine of one's own description. */
import type { RoundResult } from '../bench/competitor.ts';
import { Histogram } from '../bench/histogram.ts';
import type { WorkloadResult } from '../bench/run.ts';
import type { Section } from '../bench/section.ts';
import { summarize } from '../bench/statistics.ts';
import { titleOf, threadsLabel, uniformWorkload } from '../bench/workload.ts';
import type { NamedPolicy } from '../locks/policy.ts';
import { formatNumber } from '../report/format.ts';
import type { Provenance } from '../report/provenance.ts';
import { sum } from './figures.ts';
import { STATES, type Timeline } from './machine/clock.ts';
import type { MachineModel } from './machine/model.ts';
import { simulate, type Outcome } from './simulate.ts';
import { TimelineExcerpt, type Excerpt } from './timeline-excerpt.ts';

export interface WhatIf {
  model: MachineModel;
  threads: number;
  read: number;
  hold: Section;
  think: Section;
  policies: NamedPolicy[];
  ms: number;
  seeds: number;
  trace: Timeline | null;
}

/** What `--json` writes: the result is that of a bench, a round for each seed. */
export interface WhatIfReport {
  kind: 'rwsem-lab sim machine';
  schema: 1;
  provenance: Provenance;
  model: MachineModel;
  ms: number;
  seeds: number;
  result: WorkloadResult;
  /** Of the first seed, for each policy: share of the threads' time by state. */
  shares: Array<{ policy: string; shares: Array<{ state: string; share: number }> }>;
  excerpt: Excerpt;
  /** Memory operations that were simulated, and how long that took. */
  accesses: number;
  wallMs: number;
}

export function runWhatIf(task: WhatIf, provenance: Provenance): WhatIfReport {
  const { model, threads, read, hold, think, policies, ms, seeds, trace } = task;
  const workload = uniformWorkload(threads, read, hold, think);
  const warmUpMs = ms / 10;
  const excerpt = new TimelineExcerpt(threads, warmUpMs * 1e6, trace);
  const runs = policies.map(({ name, policy }, index) => ({
    policy: name,
    outcomes: Array.from({ length: seeds }, (_, seed) => {
      const timeline = index === 0 && seed === 0 ? { timeline: excerpt } : {};
      return simulate({ model, readPercents: workload.readPercents, hold, think, policy, ms, warmUpMs, seed: seed + 1, ...timeline });
    }),
  }));
  const rounds = runs.map(({ outcomes }) => outcomes.map((outcome) => toRound(outcome, ms)));
  const locks = runs.map(({ policy }, index) => ({ lock: policy, rounds: rounds[index]!, summary: summarize(workload, rounds[index]!, rounds[0]!) }));
  const all = runs.flatMap(({ outcomes }) => outcomes);
  return {
    kind: 'rwsem-lab sim machine',
    schema: 1,
    provenance,
    model,
    ms,
    seeds,
    result: { title: titleOf(workload), threads: threadsLabel(workload), workload, sampleEvery: 1, locks },
    shares: runs.map(({ policy, outcomes }) => ({ policy, shares: sharesOf(outcomes[0]!) })),
    excerpt: excerpt.toExcerpt(),
    accesses: sum(all.map(({ accesses }) => accesses)),
    wallMs: sum(all.map(({ wallMs }) => wallMs)),
  };
}

/** Latencies are those of all threads together; the first has them. */
function toRound({ reads, writes, readLatency, writeLatency, events, violations }: Outcome, ms: number): RoundResult {
  const nothing = new Histogram().toData();
  const agents = reads.map((count, thread) => ({
    reads: count,
    writes: writes[thread]!,
    readLatency: thread === 0 ? readLatency.toData() : nothing,
    writeLatency: thread === 0 ? writeLatency.toData() : nothing,
  }));
  return { seconds: ms / 1000, agents, verdict: violations === 0 ? 'held' : 'VIOLATED', violations, detail: violations === 0 ? null : 'somebody was let in beside somebody else', events };
}

function sharesOf({ spent, simulatedNs }: Outcome): Array<{ state: string; share: number }> {
  return STATES.map((state, index) => ({ state, share: sum(spent.map((times) => times[index]!)) / spent.length / simulatedNs })).filter(({ share }) => share >= 0.0005);
}

export function renderNotes({ model, ms, seeds, shares, accesses, wallMs, provenance }: WhatIfReport): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return [
    ...shares.map(({ policy, shares: states }) => `${policy}: threads were ${states.map(({ state, share }) => `${percent(share)} ${state}`).join(', ')} (first seed)`),
    `${model.about}, scheduled as ${model.world} threads; ${ms} ms simulated, ${seeds} seeds: medians and ranges over seeds, ratios within them.`,
    `${formatNumber(accesses / 1e6)} million memory events in ${(wallMs / 1000).toFixed(1)} s: ${formatNumber(accesses / wallMs / 1000)} million a second. Turns of spin loops that change nothing are left out.`,
    `The core that ran: ${provenance.core.sha256.slice(0, 12)}, lowered from the built files.`,
  ].join('\n');
}
