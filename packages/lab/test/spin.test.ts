import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../dist/check/explore.js';
import { parseMode } from '../dist/check/model/mode.js';
import { Model } from '../dist/check/model/model.js';
import { parseProgram } from '../dist/check/model/program.js';
import { generateMutants } from '../dist/check/operators/generate.js';
import { mutate } from '../dist/check/operators/mutant.js';
import { replay } from '../dist/check/replay.js';
import { exploreWithSpin } from '../dist/check/spin/explore-with-spin.js';
import { missingTools, SpinError } from '../dist/check/spin/tools.js';
import { readShippedCore } from '../dist/lower/source.js';
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

/** Mistakes that only a check of this kind sees, as mutants made by rule. */
const CHECKED: [check: string, program: string, mode: string, mutant: string][] = [
  ['a queued async writer that is not first', 'asyncWrite | write | write', '', 'write mayWriterTake: isAsyncWaiter(mem, waiter) -> false'],
  ['a queued writer that is not first', 'read | write | write', 'grant', 'write mayWriterTake: WAKE_STEAL -> WAKE_GRANT'],
  ['a queued writer past the request of the first', 'write | write | write', 'one-core', 'write mayWriterTake: hasHandoff(count) -> false'],
  ['a steal', 'read | write | write', '', 'steal stealWrite: relaxedLoad(mem, layout.POLICY_SPIN) === layout.SPIN_OFF -> false'],
  ['a request for handoff', 'read | write | write', 'handoff:not-yet', 'wake wakeWriter: isHandoffDue(mem, head) -> true'],
  ['a grant to a writer', 'write | write', 'handoff:off', 'wake wakeWriter: relaxedLoad(mem, POLICY_WRITER_WAKE) === WAKE_GRANT -> true'],
  ['a writer that is woken to try', 'write | write', 'grant', 'wake wakeWriter: WAKE_GRANT -> WAKE_STEAL'],
  ['a park', 'read | write', 'wait-lock no-park', 'wait-lock lockWaitLockSlow: canBlock -> true'],
  ['a place in the spinner queue', 'write | write', 'one-core', 'spin maySpin: relaxedLoad(mem, me + MAY_SPIN) === 0 -> false'],
  ['a nested read past a writer', 'timedNestedRead | write', '', 'read enqueueRead: isWriteWaiter(mem, head) -> false'],
  ['a sleep without the limit that there is', 'timedRead | write', '', 'park parkUntilSignalled: timed -> false'],
];

test('what the policy or the answers forbid is found by SPIN too', { skip }, () => {
  const shipped = readShippedCore();
  const mutants = generateMutants(shipped);
  for (const [check, text, mode, id] of CHECKED) {
    const mutant = mutants.find((candidate) => candidate.id === id);
    assert.ok(mutant, id);
    const loaded = new Model(mutate(shipped, mutant), parseMode(mode), [parseProgram(text)]).load(parseProgram(text));
    const expected = explore(loaded, LIMITS);
    const found = exploreWithSpin(loaded);
    assert.ok(expected.failure && found.failure, check);
    assert.equal(found.failure.property, expected.failure.property, check);
    assert.equal(found.schedule.length, expected.schedule.length, check);
  }
});

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
