import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../dist/check/explore.js';
import { replay } from '../dist/check/replay.js';
import { exploreWithSpin } from '../dist/check/spin/explore-with-spin.js';
import { missingTools, SpinError } from '../dist/check/spin/tools.js';
import { load } from './helpers/load-program.ts';

const LIMITS = { mostStates: 1_000_000 };
const missing = missingTools();
const skip = missing.length > 0 && `no ${missing.join(', no ')}: npm run install:spin`;

for (const [text, mode] of [
  ['read | write | write', ''],
  ['timedRead timedWrite | downgrade read', 'grant one-core'],
  ['timedWrite | write | read', 'spin impatient'],
  ['read | write | write', 'spin owner'],
  ['read | write | write', 'wait-lock'],
  ['nestedRead | write', 'wait-lock'],
  ['read | write | read', 'readers:3'],
  ['read | write | write', 'split'],
  ['read* | read* | write', 'handoff:now spurious batch:1'],
  ['asyncRead+abortWrite | write', ''],
  ['read/write... | any...', 'one-core'],
] as const) {
  test(`SPIN finds the same states, steps and depth in ${text}${mode && `, mode ${mode}`}`, { skip }, () => {
    const { states, steps, depth, failure, complete } = explore(load(text, mode), LIMITS);
    assert.ok(states > 500 && !failure && complete);
    assert.deepEqual(exploreWithSpin(load(text, mode)), { states, steps, depth, failure, schedule: [], complete });
  });
}

for (const [text, mode, mutation] of [
  ['read | write | write', 'one-core', 'transfer-beside-readers'],
  ['read | write', '', 'notify-before-grant'],
  ['read | write', '', 'handoff-kept-by-transfer'],
  ['nestedRead | read | write', 'wait-lock batch:1', 'nested-read-refused-by-anybody'],
] as const) {
  test(`SPIN finds a shortest counterexample to the mutation ${mutation}, and the other engine agrees with it`, { skip }, () => {
    const loaded = load(text, mode, mutation);
    const expected = explore(loaded, LIMITS);
    const found = exploreWithSpin(loaded);
    assert.ok(expected.failure && found.failure);
    assert.equal(found.failure.property, expected.failure.property);
    assert.equal(found.schedule.length, expected.schedule.length);
    assert.equal(replay(loaded, found.schedule).failure?.property, expected.failure.property);
  });
}

test('an exploration that SPIN has no memory for is not complete', { skip }, () => {
  const found = exploreWithSpin(load('read | write | write', 'wait-lock'), { memoryMb: 140 });
  assert.equal(found.complete, false);
  assert.equal(found.failure, null);
  assert.ok(found.states > 1000 && found.states < 100_000, `${found.states} states`);
});

test('without SPIN it is said where it comes from', () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nowhere';
  try {
    assert.throws(() => exploreWithSpin(load('read | write', '')), (error) => error instanceof SpinError && /spin and gcc not found.*npm run install:spin/.test(error.message));
  } finally {
    process.env['PATH'] = path;
  }
});
