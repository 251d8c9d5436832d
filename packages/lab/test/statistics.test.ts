import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedRound, type RoundResult } from '../dist/bench/competitor.js';
import { Histogram } from '../dist/bench/histogram.js';
import { readPattern } from '../dist/bench/loop.js';
import { parseSection } from '../dist/bench/section.js';
import { spread, summarize } from '../dist/bench/statistics.js';
import { dedicatedWorkload, uniformWorkload } from '../dist/bench/workload.js';

const empty = parseSection('empty');
const nothing = { maxNs: 0, buckets: [] };

/** One second in which the threads did so many operations. */
function round(writes: number[], some: Partial<RoundResult> = {}): RoundResult {
  const agents = writes.map((count) => ({ reads: 0, writes: count, readLatency: nothing, writeLatency: nothing }));
  return { seconds: 1, agents, verdict: 'held', violations: 0, detail: null, events: null, ...some };
}

test('a spread is median and range, and nothing without values', () => {
  assert.deepEqual(spread([3, 1, 2]), { median: 2, min: 1, max: 3 });
  assert.equal(spread([]), null);
});

test('totals, fairness and ratios are medians over rounds', () => {
  const rounds = [round([1000, 3000]), round([2000, 2000]), round([4000, 8000])];
  const reference = [round([8000]), round([8000]), round([6000])];
  const summary = summarize(uniformWorkload(2, 0, empty, empty), rounds, reference);
  assert.deepEqual(summary.totalKops, { median: 4, min: 4, max: 12 });
  assert.deepEqual(summary.ratio, { median: 0.5, min: 0.5, max: 2 });
  const [group] = summary.groups;
  assert.equal(group?.minKops, 2);
  assert.equal(group?.maxKops, 3);
  assert.equal(group?.minOverMean, 4 / 6);
  assert.equal(group?.maxOverMean, 8 / 6);
});

test('readers and writers are apart when they are different threads', () => {
  const summary = summarize(dedicatedWorkload(2, 1, empty, empty), [round([1000, 2000, 9000])], []);
  assert.deepEqual(summary.groups.map(({ role, threads, meanKops }) => [role, threads, meanKops]), [['readers', 2, 1.5], ['writers', 1, 9]]);
  assert.equal(summary.ratio, null);
});

test('the worst verdict of all rounds is the verdict', () => {
  const rounds = [round([1]), round([1], { verdict: 'VIOLATED', violations: 7, detail: 'seven' }), failedRound('HUNG', 'late'), round([1])];
  const summary = summarize(uniformWorkload(1, 0, empty, empty), rounds, rounds);
  assert.equal(summary.verdict, 'VIOLATED');
  assert.equal(summary.violations, 7);
  assert.equal(summary.detail, 'seven');
});

test('a lock that never finished a round has no figures', () => {
  const summary = summarize(uniformWorkload(1, 0, empty, empty), [failedRound('HUNG', 'late')], [round([1])]);
  assert.equal(summary.totalKops, null);
  assert.equal(summary.ratio, null);
  assert.deepEqual(summary.groups, []);
  assert.equal(summary.verdict, 'HUNG');
});

test('events are summed over rounds', () => {
  const rounds = [round([1], { events: { wlock: 2, rlock: 0 } }), round([1], { events: { wlock: 3, rlock: 1 } })];
  assert.deepEqual(summarize(uniformWorkload(1, 0, empty, empty), rounds, rounds).events, { wlock: 5, rlock: 1 });
});

test('a quantile is right to 2 %, the maximum exact', () => {
  for (const scale of [1, 37, 1e3, 1e6]) {
    const histogram = new Histogram();
    for (let value = 1; value <= 1000; value++) histogram.record(value * scale);
    for (const share of [0.01, 0.5, 0.9, 0.99]) {
      const expected = share * 1000 * scale;
      const found = histogram.quantile(share);
      assert.ok(Math.abs(found - expected) <= 0.02 * expected + 1, `${share} of ${scale}: ${found} for ${expected}`);
    }
    assert.equal(histogram.quantile(1), 1000 * scale);
  }
});

test('a merged histogram is the histogram of everything', () => {
  const parts = [new Histogram(), new Histogram()];
  const whole = new Histogram();
  for (let i = 0; i < 5000; i++) {
    const ns = (i * 7919) % 100_003;
    parts[i % 2]!.record(ns);
    whole.record(ns);
  }
  const merged = new Histogram().add(parts[0]!.toData()).add(parts[1]!.toData());
  assert.deepEqual(merged.toData(), whole.toData());
  assert.deepEqual(merged.summary(), whole.summary());
});

test('latencies beyond two seconds, and none, are counted', () => {
  const histogram = new Histogram();
  histogram.record(0);
  histogram.record(5e10);
  assert.equal(histogram.samples, 2);
  assert.equal(histogram.quantile(1), 5e10);
  assert.equal(new Histogram().summary(), null);
});

test('a thread reads exactly as often as asked, in an order of its own', () => {
  for (const percent of [0, 1, 50, 100]) {
    const reads = readPattern(percent, 1).reduce((total, one) => total + one, 0);
    assert.equal(reads, Math.round(10.24 * percent));
  }
  assert.notDeepEqual(readPattern(50, 1), readPattern(50, 2));
});
