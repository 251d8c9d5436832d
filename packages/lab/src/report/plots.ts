/** What is plotted of a bench. */
import type { WorkloadResult } from '../bench/run.ts';
import { mergeLatency } from '../bench/statistics.ts';
import { draw, type Plot } from './draw.ts';
import { formatNs } from './format.ts';
import { COLOURS } from './plot-style.ts';

/** For results that differ in the number of threads only. */
export function plotGroup(results: WorkloadResult[]): Plot[] {
  const locks = [...new Set(results.flatMap((result) => result.locks.map(({ lock }) => lock)))];
  return [plotThroughput(results, locks), ...plotFairness(results, locks), ...plotLatency(results, locks)];
}

function plotThroughput(results: WorkloadResult[], locks: string[]): Plot {
  const figure = (lock: string, pick: 'median' | 'min' | 'max') =>
    results.map((result) => find(result, lock)?.summary.totalKops?.[pick] ?? null);
  const series = locks.flatMap((lock, index) => {
    const colour = COLOURS[index % COLOURS.length]!;
    const range = { type: 'line', symbol: 'none', lineStyle: { width: 1, type: 'dotted', color: colour } };
    return [
      // A line needs two points.
      { name: lock, type: results.length > 1 ? 'line' : 'bar', data: figure(lock, 'median'), symbolSize: 7, color: colour },
      { ...range, data: figure(lock, 'min') },
      { ...range, data: figure(lock, 'max') },
    ];
  });
  return draw('Total kops/s by threads (dotted: lowest and highest round)', {
    xAxis: { type: 'category', name: 'threads', data: results.map(({ threads }) => threads) },
    yAxis: { type: 'value', name: 'kops/s' },
    series,
  });
}

/** From the slowest to the fastest thread, relative to the mean: a stub at 1 is fair. */
function plotFairness(results: WorkloadResult[], locks: string[]): Plot[] {
  const rows = results.flatMap(({ threads, locks: measured }) =>
    measured.flatMap(({ lock, summary }) =>
      summary.groups
        .filter((group) => group.threads > 1)
        .map((group) => ({
          name: `${threads} ${group.role === 'all' ? '' : `${group.role} `}${lock}`,
          low: group.minOverMean,
          high: group.maxOverMean,
          colour: COLOURS[locks.indexOf(lock) % COLOURS.length]!,
        })),
    ),
  );
  if (rows.length === 0) return [];
  rows.reverse(); // a category axis counts from below
  const plot = draw('Per-thread rate relative to the mean, slowest to fastest', {
    xAxis: { type: 'value', min: 0 },
    yAxis: { type: 'category', data: rows.map(({ name }) => name) },
    series: [
      { type: 'bar', stack: 'range', itemStyle: { color: 'transparent' }, data: rows.map(({ low }) => low) },
      {
        type: 'bar',
        stack: 'range',
        barMinHeight: 3,
        data: rows.map(({ low, high, colour }) => ({ value: high - low, itemStyle: { color: colour } })),
      },
    ],
  });
  return [plot];
}

const SHARES = [0.5, 0.9, 0.99, 0.999, 0.9999, 1];

/** Of the largest number of threads. */
function plotLatency(results: WorkloadResult[], locks: string[]): Plot[] {
  const largest = results.at(-1)!;
  return (['readLatency', 'writeLatency'] as const).flatMap((which) => {
    const series = locks.flatMap((lock, index) => {
      const merged = mergeLatency(find(largest, lock)?.rounds ?? [], which);
      if (merged.samples === 0) return [];
      const data = SHARES.map((share) => Math.max(1, merged.quantile(share)));
      return [{ name: lock, type: 'line', symbolSize: 7, data, color: COLOURS[index % COLOURS.length]! }];
    });
    if (series.length === 0) return [];
    return [
      draw(`${which === 'readLatency' ? 'Read' : 'Write'} latency, threads: ${largest.threads}`, {
        xAxis: { type: 'category', data: SHARES.map((share) => (share === 1 ? 'max' : `${share * 100} %`)) },
        yAxis: { type: 'log', axisLabel: { formatter: formatNs } },
        series,
      }),
    ];
  });
}

function find(result: WorkloadResult, name: string) {
  return result.locks.find(({ lock }) => lock === name);
}
