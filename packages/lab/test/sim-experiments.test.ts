import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSection } from '../dist/bench/section.js';
import { namedOrParsed } from '../dist/locks/policy.js';
import { ChromeTrace } from '../dist/sim/chrome-trace.js';
import { collectProvenance } from '../dist/report/provenance.js';
import { bars, claim, QUICK, value, verdictOf, within, type Report } from '../dist/sim/experiments/experiment.js';
import { runAll } from '../dist/sim/experiments/run.js';
import { EXPERIMENTS } from '../dist/sim/experiments/catalog.js';
import { customModel } from '../dist/sim/machine/models.js';
import { lowerLock, simulate } from '../dist/sim/simulate.js';

const cpuSeconds = () => process.cpuUsage().user / 1e6;

test('the quick suite: exclusion holds, what is claimed to be reproduced is, in at most 60 s of processor time', async () => {
  const before = cpuSeconds();
  const reports = new Map<string, Report>((await runAll(EXPERIMENTS, QUICK)).map((report) => [report.id, report]));
  assert.ok(cpuSeconds() - before <= 60, `${cpuSeconds() - before} s`);
  for (const { id, violations } of reports.values()) assert.equal(violations, 0, id);
  for (const { id, plots } of reports.values()) assert.ok(plots.length >= 2 && plots.every(({ categories, series }) => series.every(({ values }) => values.length === categories.length)), id);
  const verdict = (id: string, what: string) => {
    const found = reports.get(id)!.claims.find((entry) => entry.what.includes(what));
    assert.ok(found !== undefined, `${id} has no claim "${what}"`);
    return verdictOf(found);
  };
  assert.equal(verdict('d1', 'x86-8-socket, 4 writers: before'), 'within');
  assert.equal(verdict('d1', 'x86-8-socket, 1 reader: before'), 'within');
  assert.equal(verdict('d2', 'without handoff, mean of a thread'), 'within');
  assert.equal(verdict('d2', 'max / mean'), 'within');
  assert.equal(verdict('d3', 'time for the same work'), 'within');
  assert.equal(verdict('d4', 'transfer / before'), 'within');
  assert.equal(verdict('d4', 'restored / before'), 'within');
  assert.equal(verdict('d4', 'locks stolen'), 'within');
});

test('the page shows documents, misses with their reason, plots, and where it all comes from', async () => {
  const { renderSimPage } = await import('../dist/report/sim-page.js');
  const claims = [claim('rate <x>', 100, [150, 160], within(0.3)), claim('other', 100, [101], within(0.3))].map((entry) => ({ ...entry, verdict: verdictOf(entry) }));
  const figures: Array<[string, (typeof claims)[number]]> = [['first', claims[0]!], ['second', claims[1]!]];
  const html = renderSimPage({
    kind: 'rwsem-lab sim', schema: 2, provenance: collectProvenance(), settings: QUICK, totals: { seconds: 1, cpuSeconds: 2 },
    reports: [{
      id: 'x', title: 'X', machine: [customModel(4, 2, 1)], claims, plots: [bars('the plot', 'kops/s', figures), bars('the same', '', figures, true)],
      sensitivity: null, notes: ['inferred'], notReproduced: ['the reason'], violations: 3, accesses: 1, wallMs: 1,
    }],
  });
  for (const text of ['rate &#60;x&#62;', '1 of 2 bands met', '<td class="left bad">MISSED</td>', 'VIOLATED 3 times', 'the reason', 'the plot', collectProvenance().core.sha256, 'hopSameNs=12.0']) {
    assert.ok(html.includes(text), text);
  }
  assert.equal(html.split('<svg').length - 1, 4, 'each plot for wide windows and for narrow ones');
  assert.ok(!/<script|href="http|src="http/.test(html));
});

test('a band that is missed is called missed', () => {
  assert.equal(verdictOf(claim('', 100, [120, 131, 140], within(0.3))), 'MISSED');
  assert.equal(verdictOf(claim('', 100, [120, 129, 140], within(0.3))), 'within');
  assert.equal(verdictOf(claim('', null, [0.5, 0.6], value(0.8, 1))), 'MISSED');
  assert.equal(verdictOf(claim('', 100, [1])), '');
});

test('an edit that does not fit exactly once is refused', () => {
  const edit = (find: string, module = 'wake') => () => lowerLock({ program: 'rwsem-loop', edits: [{ module, find, replace: '' }] });
  assert.throws(edit('no such text'), /is there 0 times/);
  assert.throws(edit('relaxedLoad('), /times/);
  assert.throws(edit('x', 'no-such-module'), /does not import/);
});

test('the timeline says who held and who slept, within the run', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rwsem-trace-'));
  try {
    const timeline = new ChromeTrace(4);
    const { writes } = simulate({
      model: customModel(2, 1, 1), readPercents: [0, 0, 0, 0], hold: parseSection('5us'),
      think: parseSection('empty'), policy: { spin: 'off' }, ms: 1, warmUpMs: 0.01, seed: 1, timeline,
    });
    const file = join(directory, 'trace.json');
    timeline.write(file);
    const { traceEvents } = JSON.parse(readFileSync(file, 'utf8')) as { traceEvents: Array<{ name: string; ph: string; tid: number; ts: number; dur: number }> };
    const held = traceEvents.filter(({ name }) => name === 'write').sort((a, b) => a.ts - b.ts);
    assert.ok(held.length >= writes.reduce((a, b) => a + b, 0));
    held.slice(1).forEach(({ ts }, index) => assert.ok(ts >= held[index]!.ts + held[index]!.dur, 'two writers held at once'));
    assert.ok(traceEvents.some(({ name }) => name === 'blocked'));
    assert.ok(traceEvents.every(({ ph, ts, dur }) => ph === 'M' || (ts >= 0 && dur >= 0 && ts + dur <= 1010.001)));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a machine of one\'s own: the table of a bench, what threads did, and a picture of it', async () => {
  const { runWhatIf } = await import('../dist/sim/what-if.js');
  const { renderWhatIfPage } = await import('../dist/report/what-if-page.js');
  const [hold, think] = [parseSection('5us'), parseSection('empty')];
  const report = runWhatIf({ model: customModel(2, 1, 1), threads: 4, read: 0, hold, think, policies: ['spin=off', 'default'].map(namedOrParsed), ms: 1, seeds: 2, trace: null }, collectProvenance());
  const { fromNs, toNs, spans } = report.excerpt;
  assert.deepEqual(report.result.locks.map(({ lock, rounds, summary }) => [lock, rounds.length, summary.verdict]), [['spin=off', 2, 'held'], ['default', 2, 'held']]);
  assert.equal(fromNs, 100_000);
  assert.ok(spans.length > 100 && spans.every((span) => span.fromNs >= fromNs && span.toNs <= toNs && span.toNs >= span.fromNs));
  const held = spans.filter(({ what }) => what === 'write').sort((a, b) => a.fromNs - b.fromNs);
  assert.ok(held.length > 50 && held.slice(1).every((span, index) => span.fromNs >= held[index]!.toNs), 'two writers in the picture at once');
  for (const { shares } of report.shares) assert.ok(Math.abs(shares.reduce((total, { share }) => total + share, 0) - 1) < 0.01);
  const html = renderWhatIfPage(report, 'file.trace');
  for (const text of ['spin=off', '<td class="left">held</td>', 'thread 3</text>', '<a href="file.trace">', 'blocked', report.provenance.core.sha256]) assert.ok(html.includes(text), text);
  assert.ok(html.split('<svg').length - 1 >= 5);
});
