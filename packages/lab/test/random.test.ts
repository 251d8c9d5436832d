import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckArgumentError } from '../dist/check/check-error.js';
import { randomSchedules } from '../dist/check/random.js';
import { replay } from '../dist/check/replay.js';
import { formatSchedule, parseSchedule } from '../dist/check/schedule.js';
import { load } from './helpers/load-program.ts';

const EIGHT = 'read/write... | read/write... | read/write... | read/write... | timedRead/timedWrite... | tryRead/tryWrite... | downgrade... | asyncRead/abortWrite...';
const SIX = 'read write | write | timedRead read | timedWrite | downgrade | write';

for (const depth of [undefined, 4]) {
  const name = depth === undefined ? 'random schedules' : `PCT of depth ${depth}`;

  test(`${name}: the shipped core keeps its promises to six and eight threads`, () => {
    for (const [text, mode] of [[EIGHT, 'one-core'], [EIGHT, 'spin owner'], [SIX, 'grant']] as const) {
      const found = randomSchedules(load(text, mode), { seed: 1, count: 300, depth });
      assert.deepEqual(found.failure, null, `seed ${found.seed}: ${formatSchedule(found.schedule)}`);
      assert.equal(found.runs, 300);
      assert.ok(found.steps > 300 * 30, `${found.steps} steps`);
    }
  });

  for (const [mutation, mode] of [['transfer-beside-readers', 'one-core'], ['notify-before-grant', ''], ['handoff-kept-by-transfer', 'one-core']] as const) {
    test(`${name}: the mutation ${mutation} is found among six threads, and its seed and its schedule show it again`, () => {
      const loaded = load(SIX, mode, mutation);
      const found = randomSchedules(loaded, { seed: 1, count: 5000, depth });
      assert.ok(found.failure && found.seed !== null);
      const again = randomSchedules(load(SIX, mode, mutation), { seed: found.seed, count: 1, depth });
      assert.deepEqual(again.failure, found.failure);
      assert.deepEqual(again.schedule, found.schedule);
      const trace = replay(loaded, parseSchedule(formatSchedule(found.schedule)));
      assert.deepEqual(trace.failure, found.failure);
    });
  }

  test(`${name}: the same seed is the same run, another one is not`, () => {
    const loaded = load(SIX, '', 'notify-before-grant');
    const run = (seed: number): string => formatSchedule(randomSchedules(loaded, { seed, count: 5000, depth }).schedule);
    assert.equal(run(1), run(1));
    assert.notEqual(run(1), run(1000));
  });
}

test('PCT finds what the run of anybody before it does not, once priorities change during a run', () => {
  const loaded = load(SIX, 'one-core', 'handoff-kept-by-transfer');
  const fails = (seed: number, depth?: number): boolean => randomSchedules(loaded, { seed, count: 1, depth }).failure !== null;
  const foundBy = (depth: number): number[] => Array.from({ length: 200 }, (_, seed) => seed).filter((seed) => !fails(seed) && fails(seed, depth));
  assert.deepEqual(foundBy(1), []);
  assert.ok(foundBy(8).length > 5);
});

test('threads that go on for ever are left after so many steps', () => {
  for (const depth of [undefined, 3]) {
    const found = randomSchedules(load('read* | write* | write* | read* | timedRead* | tryWrite*', ''), { seed: 7, count: 3, depth, mostSteps: 500 });
    assert.equal(found.failure, null);
    assert.equal(found.steps, (depth === undefined ? 3 : 6) * 500);
  }
});

test('numbers that make no sense are refused', () => {
  const loaded = load('read | write', '');
  for (const options of [{ seed: 1.5, count: 1 }, { seed: -1, count: 1 }, { seed: 1, count: 0 }, { seed: 1, count: 1, depth: 0 }, { seed: 1, count: 1, mostSteps: 0 }]) {
    assert.throws(() => randomSchedules(loaded, options), CheckArgumentError);
  }
});
