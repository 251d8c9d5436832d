import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLiveness, type Lasso, type LivenessResult } from '../dist/check/liveness.js';
import { parseMode } from '../dist/check/model/mode.js';
import type { LoadedProgram } from '../dist/check/model/model.js';
import { MUTATIONS } from '../dist/check/mutations/index.js';
import { printTrace } from '../dist/check/print-trace.js';
import { replay } from '../dist/check/replay.js';
import { formatSchedule, parseSchedule } from '../dist/check/schedule.js';
import { assertHeld } from './helpers/assert-held.ts';
import { load } from './helpers/load-program.ts';


function check(loaded: LoadedProgram): LivenessResult {
  return checkLiveness(loaded, { mostStates: 1_000_000 });
}

/** Runs it: does it come back to where it was, is it fair, and does that thread never finish? */
function assertLasso(loaded: LoadedProgram, { thread, prefix, cycle }: Lasso): void {
  const { model, words, threads } = loaded;
  const { state } = model.runtime;
  const run = (move: Lasso['cycle'][number]): boolean => {
    const before = state.slice(0, words);
    let finishes = false;
    assert.ok(model.isEnabled(move.thread));
    model.runtime.skipTo(move.choice, () => {
      state.set(before);
      finishes = model.step(move.thread, loaded);
    });
    return finishes;
  };
  loaded.start();
  for (const move of prefix) run(move);
  const start = state.slice(0, words);
  const could = new Set<number>();
  for (const move of cycle) {
    for (let other = 0; other < threads; other++) if (model.isEnabled(other) && !model.sleepsSoundly(other)) could.add(other);
    const finishes = run(move);
    assert.ok(!finishes || move.thread !== thread, 'it finishes');
  }
  assert.deepEqual(state.slice(0, words), start, 'it does not come back');
  for (const other of could) assert.ok(cycle.some((move) => move.thread === other), `thread ${other} is treated unfairly`);
  assert.ok(cycle.length > 0);
}

/** The program, the mode, and a number of states that it must have more of. */
const PROGRAMS: [program: string, mode: string, states: number][] = [
  ['read* | write', '', 100],
  ['write* | write', '', 100],
  ['read* | write*', '', 200],
  ['write* | write*', '', 100],
  ['read* | read* | write', '', 5000],
  ['write* | write* | read', '', 20_000],
  ['write* | write* | write', '', 20_000],
  ['read* | read* | write*', '', 10_000],
  ['write* | write* | write*', '', 10_000],
  ['read* | write* | write*', 'grant', 10_000],
  ['timedRead* | timedRead* | write', '', 10_000],
  ['timedWrite* | timedWrite* | write', '', 20_000],
  ['tryWrite* | tryWrite* | write', '', 50],
  ['downgrade* | downgrade* | read', '', 10_000],
  ['nestedRead* | write', '', 100],
  ['asyncRead* | write*', '', 200],
  ['asyncWrite* | asyncWrite*', '', 500],
  ['abortWrite* | write', '', 200],
  ['asyncWrite | read* | read*', '', 5000],
  ['read* | write*', 'grant', 200],
  ['read* | write*', 'one-core', 200],
  ['read* | write*', 'batch:1', 200],
  ['read* | write*', 'owner', 200],
  ['read* | write*', 'split', 200],
  ['read* | write*', 'spurious', 200],
  ['read* | write*', 'spin', 200],
  ['read* | write*', 'spin owner', 200],
  ['write* | timedWrite*', 'spin owner impatient', 10_000],
];

for (const [text, mode, states] of PROGRAMS) {
  test(`nobody starves in ${text}${mode && `, mode ${mode}`}, all deadlines passed`, () => {
    assertHeld(check(load(text, `handoff:now fair ${mode}`)), states);
  });
}

for (const text of ['write | write*', 'write | read*', 'read | write* | write*', 'write | read* | write*']) {
  test(`without handoff somebody starves in ${text}`, () => {
    const loaded = load(text, 'handoff:off fair');
    const found = check(loaded);
    assert.equal(found.failure?.property, 'STARVE');
    assert.equal(found.lasso?.thread, 0);
    assertLasso(loaded, found.lasso as Lasso);
  });
}

test('a run that starves somebody can be pasted back, and is printed: the way there, and what goes on for ever', () => {
  const loaded = load('write | write*', 'handoff:off fair');
  const found = check(loaded);
  const trace = replay(loaded, parseSchedule(formatSchedule(found.schedule)));
  assert.deepEqual(trace.failure, found.failure);
  const [before, round] = printTrace(loaded.program, trace).split('again and again:');
  assert.equal(before?.match(/^ *\d+ +[AB] {2}/gm)?.length, found.lasso?.prefix.length);
  assert.equal(round?.match(/^ *\d+ +[AB] {2}/gm)?.length, found.lasso?.cycle.length);
  assert.match(round ?? '', /B has done operation|B is out/);
  assert.match(round ?? '', /STARVE: A never gets there, while B can go on for ever$/);
});

for (const text of ['urgentWrite | write*', 'urgentWrite | read* | read*', 'urgentWrite | write | write*', 'urgentAsyncWrite | write | write*', 'urgentRead | write | write*']) {
  for (const mode of ['one-core', 'grant']) {
    test(`who is urgent gets the lock in ${text}, mode ${mode}, though the deadlines of others never pass`, () => {
      assertHeld(check(load(text, `handoff:off fair ${mode}`)), 40);
    });
  }
}

test('without handoff who is not urgent to its end starves; that is looked for only if nobody is', () => {
  for (const text of ['urgentWrite write | write*', 'urgentWrite/write | write*', 'urgentAsyncWrite+asyncWrite | write*']) {
    assert.equal(check(load(text, 'handoff:off fair')).failure?.property, 'STARVE', text);
    assertHeld(check(load(`${text} | urgentWrite`, 'handoff:off fair')), 40);
  }
  // Where deadlines pass everybody is looked at.
  assert.deepEqual(load('urgentWrite | write | write*', 'handoff:now fair').promised, [0, 1, 2]);
});

test('a loop of tries can make a tried read try again for ever, but starves no writer', () => {
  // Its compare-exchange fails only because somebody else has got in or out.
  const found = check(load('write | tryRead* | read*', 'handoff:now fair'));
  assert.equal(found.lasso?.thread, 1);
});

for (const mutation of MUTATIONS) {
  if ('uncaught' in mutation.expect || mutation.expect.property !== 'STARVE') continue;
  const { program, mode = '' } = mutation.expect;
  test(`starvation by the mutation ${mutation.id} is found`, () => {
    const loaded = load(program, mode, mutation.id);
    const found = check(loaded);
    assert.equal(found.failure?.property, 'STARVE', JSON.stringify(found.failure));
    assert.equal(found.lasso?.thread, 0);
    assertLasso(loaded, found.lasso as Lasso);
    const unchanged = check(load(program, mode));
    assert.notEqual(unchanged.lasso?.thread, 0, 'the unchanged lock starves it too');
  });
}

test('beside a timed writer the spinner queue is left only within its bound (I14), which the model has in the mode impatient', () => {
  const loaded = load('write* | timedWrite*', 'handoff:now spin owner fair');
  const { failure, lasso, schedule } = check(loaded);
  assert.equal(failure?.property, 'STARVE');
  assert.equal(lasso?.thread, 0);
  const { steps, cycleAt } = replay(loaded, schedule);
  for (const { thread, statements } of steps.slice(cycleAt)) if (thread === 0) for (const { place } of statements) assert.match(place.text, /SPIN_(TAIL|NEXT)/);
});

test('a round in which somebody could step and does not is no starvation, nor one in which all get there', () => {
  for (const schedule of ['BB', 'AABB']) {
    const { cycleAt, failure } = replay(load('write* | read*', 'handoff:now fair'), parseSchedule(schedule));
    assert.deepEqual({ cycleAt, failure }, { cycleAt: 0, failure: null }, schedule);
  }
});

test('what starves by itself is refused: a wait lock that is test-and-set, and deadlines that may never pass', () => {
  assert.throws(() => parseMode('handoff:now wait-lock fair'), /leave out wait-lock/);
  assert.throws(() => parseMode('fair'), /handoff:now/);
  assert.throws(() => check(load('write | write*', 'handoff:now')), /the mode fair/);
});
