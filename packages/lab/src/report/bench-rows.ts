/** One row of the result table, as text: the terminal and the HTML report show the same. */
import type { RoundResult } from '../bench/competitor.ts';
import type { LockResult, WorkloadResult } from '../bench/run.ts';
import type { GroupSummary } from '../bench/statistics.ts';
import type { LatencySummary } from '../bench/histogram.ts';
import { formatNs, formatNumber } from './format.ts';

export interface Column {
  key: keyof BenchRow;
  title: string;
  align: 'left' | 'right';
}

export interface BenchRow {
  threads: string;
  lock: string;
  total: string;
  range: string;
  perThread: string;
  minOverMean: string;
  maxOverMean: string;
  readLatency: string;
  writeLatency: string;
  verdict: string;
  ratio: string;
  stolen: string;
}

const COLUMNS: Column[] = [
  { key: 'threads', title: 'threads', align: 'right' },
  { key: 'lock', title: 'lock', align: 'left' },
  { key: 'total', title: 'kops/s', align: 'right' },
  { key: 'range', title: 'range', align: 'right' },
  { key: 'ratio', title: 'ratio', align: 'right' },
  { key: 'perThread', title: 'per thread\nmin / mean / max', align: 'right' },
  { key: 'minOverMean', title: 'min/\nmean', align: 'right' },
  { key: 'maxOverMean', title: 'max/\nmean', align: 'right' },
  { key: 'readLatency', title: 'read latency\np50 / p99 / max', align: 'right' },
  { key: 'writeLatency', title: 'write latency\np50 / p99 / max', align: 'right' },
  { key: 'stolen', title: 'stolen\nkops/s', align: 'right' },
  { key: 'verdict', title: 'exclusion', align: 'left' },
];

/** The columns that have something to say about these results. */
export function columnsFor(results: WorkloadResult[]): Column[] {
  const locks = results.flatMap((result) => result.locks);
  const said = (key: keyof BenchRow) => locks.some((lock) => toRow(lock, '')[key] !== '');
  return COLUMNS.filter(({ key }) => {
    if (key === 'ratio') return new Set(locks.map(({ lock }) => lock)).size > 1;
    return key === 'threads' || said(key);
  });
}

export function rowsOf(result: WorkloadResult): BenchRow[] {
  return result.locks.map((lock, index) => toRow(lock, index === 0 ? result.threads : ''));
}

function toRow({ lock, summary, rounds }: LockResult, threads: string): BenchRow {
  const { totalKops, ratio, groups, verdict } = summary;
  const perGroup = (show: (group: GroupSummary) => string) =>
    groups.map((group) => (group.role === 'all' ? '' : `${group.role} `) + show(group)).join('\n');
  return {
    threads,
    lock,
    total: totalKops === null ? '-' : formatNumber(totalKops.median),
    range: totalKops === null ? '' : `${formatNumber(totalKops.min)}..${formatNumber(totalKops.max)}`,
    ratio: ratio === null ? '' : ratio.median.toFixed(2),
    perThread: perGroup(({ minKops, meanKops, maxKops }) => [minKops, meanKops, maxKops].map(formatNumber).join(' / ')),
    minOverMean: groups.map((group) => group.minOverMean.toFixed(2)).join('\n'),
    maxOverMean: groups.map((group) => group.maxOverMean.toFixed(2)).join('\n'),
    readLatency: latency(summary.readLatency),
    writeLatency: latency(summary.writeLatency),
    stolen: stolen(summary.events, rounds),
    verdict,
  };
}

/** Acquisitions that overtook a queue in the slow path, by spinning or by joining readers; of ours only. */
function stolen(events: Record<string, number> | null, rounds: RoundResult[]): string {
  const { optLock, rlockSteal } = events ?? {};
  if (optLock === undefined || rlockSteal === undefined) return '';
  const seconds = rounds.reduce((total, round) => total + round.seconds, 0);
  return seconds === 0 ? '' : formatNumber((optLock + rlockSteal) / seconds / 1000);
}

function latency(summary: LatencySummary | null): string {
  return summary === null ? '' : [summary.p50Ns, summary.p99Ns, summary.maxNs].map(formatNs).join(' / ');
}

/** Workloads that differ in threads only belong into one table. */
export function groupByTitle(results: WorkloadResult[]): Map<string, WorkloadResult[]> {
  const groups = new Map<string, WorkloadResult[]>();
  for (const result of results) groups.set(result.title, [...(groups.get(result.title) ?? []), result]);
  return groups;
}
