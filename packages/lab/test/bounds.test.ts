import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBounds } from '../dist/check/bounds.js';
import { CheckArgumentError } from '../dist/check/check-error.js';
import { explore } from '../dist/check/explore.js';
import { parseMode } from '../dist/check/model/mode.js';
import { replay } from '../dist/check/replay.js';
import { formatSchedule, parseSchedule } from '../dist/check/schedule.js';
import { assertHeld } from './helpers/assert-held.ts';
import { load } from './helpers/load-program.ts';

const LIMITS = { mostStates: 1_000_000 };

/** The program, the mode, and a number of states that it must have more of. */
const PROGRAMS: [program: string, mode: string, states: number][] = [
  ['write | write', 'spin impatient', 300],
  ['timedWrite | write', 'spin impatient', 300],
  ['write | write', 'any-owner impatient', 200],
  ['write | write', 'spin owner impatient', 300],
  ['spinTurn... | spinTurn...', 'spin impatient', 1000],
  ['write | write', 'spin owner impatient by-clock', 300],
  ['spinTurn... | spinTurn...', 'spin owner impatient by-clock', 1000],
  ['write | write', 'any-owner owner impatient by-clock', 300],
  ['read | timedWrite', 'wait-lock', 500],
  ['abortWrite | read', '', 100],
];

for (const [text, mode, states] of PROGRAMS) {
  test(`whoever goes on alone comes to an end or a sleep in ${text}, mode ${mode}`, () => {
    assertHeld(checkBounds(load(text, `${mode} bounded`), LIMITS), states);
  });
}

test('a spin without a bound is found, and nothing else sees it', () => {
  const loaded = load('write | write', 'spin impatient bounded', 'spin-without-bound');
  const { failure, schedule } = checkBounds(loaded, LIMITS);
  assert.equal(failure?.property, 'STUCK');
  assert.match(failure.text, /I14: A can go on alone for ever/);
  const { steps, failure: other } = replay(loaded, parseSchedule(formatSchedule(schedule)));
  assert.equal(other, null);
  assert.match(steps.at(-1)?.statements[0]?.place.file ?? '', /^spin\.ts$/);
  assert.equal(explore(load('write | write', 'spin impatient', 'spin-without-bound'), LIMITS).failure, null);
});

test('of the spinner queue one is first at a time, and each in the end if nobody gives up', () => {
  for (const mode of ['spin', 'spin patient', 'spin impatient']) {
    const { failure, complete, states } = explore(load('spinTurn... | spinTurn... | spinTurn', mode), LIMITS);
    assert.deepEqual(failure, null, mode);
    assert.ok(complete && states > 1000, mode);
  }
});

test('modes that cannot be meant together are refused', () => {
  for (const mode of ['patient', 'spin patient impatient', 'spin bounded', 'spin impatient by-clock', 'bounded by-clock', 'no-park', 'wait-lock no-park bounded', 'bounded ready', 'handoff:now fair bounded']) assert.throws(() => parseMode(mode), CheckArgumentError, mode);
});
