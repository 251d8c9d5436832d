import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBounds } from '../dist/check/bounds.js';
import { CheckArgumentError } from '../dist/check/check-error.js';
import { explore } from '../dist/check/explore.js';
import { parseMode } from '../dist/check/model/mode.js';
import { Model } from '../dist/check/model/model.js';
import { parseProgram } from '../dist/check/model/program.js';
import { replay } from '../dist/check/replay.js';
import { formatSchedule, parseSchedule } from '../dist/check/schedule.js';
import { readShippedCore } from '../dist/lower/source.js';
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

/** The bound of a program whose core has this in the place of that, once, in `spin.js`. */
function boundsWith(find: string, replacement: string, text: string, mode: string) {
  const sources = readShippedCore().map((file) => (file.name === 'spin.js' ? { ...file, code: file.code.replace(find, replacement) } : file));
  assert.notDeepEqual(sources, readShippedCore());
  return checkBounds(new Model(sources, parseMode(mode), [parseProgram(text)]).load(parseProgram(text)), { mostStates: 100_000 });
}

test('who counts to a thousand, or has ever longer gaps, is not accused of going on for ever', () => {
  const long = boundsWith('i < gap', 'i < 1000', 'write | write', 'spin impatient bounded');
  assert.equal(long.failure, null);
  assert.ok(long.states > 10_000);
  assertHeld(boundsWith('gap < MAX_GAP_TURNS', 'true', 'write | write', 'spin owner impatient bounded by-clock'), 300);
});

test('who counts for ever is: what it counts comes round', () => {
  for (const [find, replacement] of [['turns < SPIN_LIMIT_TURNS', 'true'], ['i < gap', 'i < gap || i >= gap'], ['gap << 1', 'gap >> 1']] as const) {
    const { failure } = boundsWith(find, replacement, 'write | write', 'spin impatient bounded');
    assert.match(failure?.text ?? '', /can go on alone for ever/, find);
  }
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
