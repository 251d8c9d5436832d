/**
 * `node examples/dist/shared-index/main.js [--no-lock]`: a search index that several threads read
 * while one of them changes it, every answer checked. Exit code 1 if an answer was wrong.
 */

import { parseArgs } from 'node:util';

import { formatQuery } from './query.ts';
import { runSharedIndex, type RunReport } from './run.ts';

const count = (n: number): string => Math.round(n).toLocaleString('en-US');
const line = (name: string, text: string): void => console.log(`  ${name.padEnd(34)}${text}`);

function print(report: RunReport): void {
  const { workload, writer, events, mismatches } = report;
  const kinds = { put: 0, remove: 0 };
  for (const { kind } of workload.updates) kinds[kind]++;

  line('texts', `${count(workload.documents)} licenses, ${(workload.bytes / 1e6).toFixed(1)} MB, ${count(report.terms)} terms indexed`);
  for (const reader of report.readers) {
    line(reader.name, `${count(reader.queries)} queries, ${count(reader.queriesPerSecond)} a second`);
  }
  const perSecond = (workload.updates.length / writer.elapsedMs) * 1000;
  line('writer', `${workload.updates.length} updates (${kinds.put} put, ${kinds.remove} removed, tables rebuilt ${report.rebuilds} times)`);
  line('', `${count(perSecond)} updates a second, ${writer.checks} checks after a downgrade, ${writer.contradictions.length} contradictions`);
  const happened = Object.entries(events).filter(([, n]) => n > 0);
  line('lock events', happened.map(([name, n]) => `${name} ${n}`).join(', ') || 'none');
  line('compared with a replay', `${count(report.answers)} answers at ${report.versionsSeen} versions, ${count(mismatches.length)} mismatches`);

  for (const { version, query, answer, expected } of mismatches.slice(0, 3)) {
    console.log(`\n  ${formatQuery(workload.queries[query]!)} at version ${version}\n    got      ${answer}\n    expected ${expected}`);
  }
}

const { values } = parseArgs({
  options: {
    'no-lock': { type: 'boolean', default: false },
    readers: { type: 'string', default: '3' },
    updates: { type: 'string', default: '200' },
    'pause-ms': { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
});
const wholeNumber = (name: 'readers' | 'updates' | 'pause-ms' | 'seed'): number => {
  if (!/^\d{1,6}$/.test(values[name])) throw new RangeError(`--${name} takes a whole number, not ${values[name]}`);
  return Number(values[name]);
};

const locked = !values['no-lock'];
console.log(`A shared search index, ${locked ? 'behind a reader-writer lock' : 'without a lock'}`);
const report = await runSharedIndex({
  locked,
  readers: wholeNumber('readers'),
  updates: wholeNumber('updates'),
  pauseMs: wholeNumber('pause-ms'),
  seed: wholeNumber('seed'),
});
print(report);
if (report.mismatches.length > 0 || report.writer.contradictions.length > 0) process.exitCode = 1;
