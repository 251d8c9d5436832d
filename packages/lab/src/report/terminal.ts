/** The result in the terminal: a table for every mix, bars, and what the lock counted. */
import Table from 'cli-table3';
import pc from 'picocolors';
import type { WorkloadResult } from '../bench/run.ts';
import { isFailure } from '../bench/statistics.ts';
import { barsFor } from './bars.ts';
import type { BenchReport } from './bench-report.ts';
import { columnsFor, rowsOf, type BenchRow } from './bench-rows.ts';
import { formatEvents, formatNs } from './format.ts';

const NO_LINES = {
  top: '', 'top-mid': '', 'top-left': '', 'top-right': '',
  bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '',
  left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ',
};
const NO_STYLE = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };

export function plainTable(head: string[], aligns: Array<'left' | 'right'>, rows: string[][]): string {
  const table = new Table({ head, colAligns: aligns, chars: NO_LINES, style: NO_STYLE });
  table.push(...rows);
  return table.toString().replace(/[ \t]+$/gm, '');
}

/** All results under one title. */
export function renderGroup(title: string, results: WorkloadResult[]): string {
  const columns = columnsFor(results);
  const rows = results.flatMap(rowsOf);
  const table = plainTable(
    columns.map((column) => column.title.split('\n').map(pc.dim).join('\n')),
    columns.map((column) => column.align),
    rows.map((row) => columns.map(({ key }) => paint(key, row))),
  );
  const below = [barsFor(results), renderEvents(results), ...renderTrouble(results)].filter((part) => part !== '');
  return [pc.bold(title), table, ...(below.length > 0 ? ['', ...below] : [])].join('\n');
}

function paint(key: keyof BenchRow, row: BenchRow): string {
  const text = row[key];
  if (key === 'verdict') return text === 'held' ? pc.green(text) : text === 'unchecked' ? pc.yellow(text) : pc.bold(pc.red(text));
  if (key === 'total') return pc.bold(text);
  if (key === 'range') return pc.dim(text);
  return text;
}

function renderEvents(results: WorkloadResult[]): string {
  const lines = results.flatMap(({ threads, locks }) =>
    locks.flatMap(({ lock, summary }) => (summary.events === null ? [] : [`  ${threads} x ${lock}: ${formatEvents(summary.events)}`])),
  );
  return lines.length === 0 ? '' : [pc.dim('events, all rounds'), ...lines].join('\n');
}

function renderTrouble(results: WorkloadResult[]): string[] {
  return results.flatMap(({ threads, locks }) =>
    locks
      .filter(({ summary }) => isFailure(summary.verdict))
      .map(({ lock, summary }) => pc.red(`  ${threads} x ${lock}: ${summary.verdict}: ${summary.detail ?? ''}`)),
  );
}

export function renderNotes({ options, calibration, results, provenance, interrupted }: BenchReport): string {
  const { clockNs, sectionUs } = calibration;
  const intervals = [...new Set(results.map(({ sampleEvery }) => sampleEvery))];
  const sampled = intervals.map((n) => (n === 1 ? 'every acquisition timed' : `one acquisition in ${n} timed`)).join(' or ');
  const alone = Object.entries(sectionUs).map(([name, us]) => `${name} ${formatNs(us * 1000)}`);
  const notes = [
    `Rounds: ${options.rounds} of ${options.seconds} s, medians and ranges; per thread in kops/s; ratio: total relative to the first lock, round by round.`,
    `Latency: ${sampled}, one reading of the clock (${formatNs(clockNs)}) included.`,
    ...(alone.length > 0 ? [`Alone on this machine: ${alone.join(', ')}.`] : []),
    `${provenance.cpuModel}, ${provenance.cores} cores, ${provenance.runtime}, core ${provenance.core.sha256.slice(0, 12)}.`,
  ];
  return pc.dim(notes.join('\n')) + (interrupted ? pc.yellow('\nStopped early: not all rounds were run.') : '');
}
