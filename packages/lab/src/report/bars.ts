/** Throughput as bars of text: the shape of a table at a glance. */
import pc from 'picocolors';
import type { WorkloadResult } from '../bench/run.ts';
import { formatNumber } from './format.ts';

const WIDTH = 50;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const COLOURS = [pc.cyan, pc.yellow, pc.magenta, pc.green, pc.blue, pc.white];

export function barsFor(results: WorkloadResult[]): string {
  const rows = results.flatMap(({ threads, locks }) =>
    locks.flatMap(({ lock, summary }, index) =>
      summary.totalKops === null ? [] : [{ threads: index === 0 ? threads : '', lock, index, kops: summary.totalKops.median }],
    ),
  );
  if (rows.length < 2) return '';
  const most = Math.max(...rows.map(({ kops }) => kops));
  const threadsWidth = Math.max(...rows.map(({ threads }) => threads.length));
  const lockWidth = Math.max(...rows.map(({ lock }) => lock.length));
  const lines = rows.map(({ threads, lock, index, kops }) => {
    const colour = COLOURS[index % COLOURS.length]!;
    return `  ${threads.padStart(threadsWidth)}  ${lock.padEnd(lockWidth)}  ${colour(bar(kops / most))} ${formatNumber(kops)}`;
  });
  return [pc.dim('total kops/s'), ...lines].join('\n');
}

export function bar(share: number): string {
  const eighths = Math.max(1, Math.round(share * WIDTH * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}
