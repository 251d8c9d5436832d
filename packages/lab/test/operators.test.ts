import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMode } from '../dist/check/model/mode.js';
import { Model } from '../dist/check/model/model.js';
import { parseProgram } from '../dist/check/model/program.js';
import { BATTERY } from '../dist/check/operators/battery.js';
import { generateMutants } from '../dist/check/operators/generate.js';
import { type Mutant, mutate, OPERATORS } from '../dist/check/operators/mutant.js';
import { readReasons } from '../dist/check/operators/survivors.js';
import { MutantTrial } from '../dist/check/operators/try-mutant.js';
import { exploreAs } from '../dist/check/task.js';
import { readShippedCore } from '../dist/lower/source.js';
import { assertHeld } from './helpers/assert-held.ts';

const shipped = readShippedCore();
const mutants = generateMutants(shipped);
const LIMITS = { mostStates: 300_000, seconds: 3600 };

function find(id: string): Mutant {
  const mutant = mutants.find((candidate) => candidate.id === id);
  assert.ok(mutant, `no mutant ${id}`);
  return mutant;
}

test('there are mutants by every operator, no two of one name, and each changes one file in one place', () => {
  assert.ok(mutants.length > 1000, `${mutants.length}`);
  assert.deepEqual([...new Set(mutants.map(({ operator }) => operator))].sort(), Object.keys(OPERATORS).sort());
  assert.equal(new Set(mutants.map(({ id }) => id)).size, mutants.length);
  const results = new Set<string>();
  for (const mutant of mutants) {
    const changed = mutate(shipped, mutant).filter(({ code }, index) => code !== shipped[index]?.code);
    assert.equal(changed.length, 1, mutant.id);
    const { name, code } = changed[0] as (typeof changed)[number];
    assert.equal(code.split('\n').length, shipped.find((file) => file.name === name)?.code.split('\n').length, `${mutant.id}: lines move`);
    results.add(`${name} ${code}`);
  }
  assert.equal(results.size, mutants.length, 'two mutants are the same');
});

test('a comparison, or an operation, of which a part stands in parentheses is changed as a whole', () => {
  const { replacement, id } = find('spin watchLock: ((now - start) | 0) > SPIN_LIMIT_US -> ((now - start) | 0) >= SPIN_LIMIT_US');
  assert.equal(replacement, '((now - start) | 0) >= (SPIN_LIMIT_US)', id);
  assert.equal(find('write tryWriteQueued: (count | WRITER) & ~HANDOFF -> (count | WRITER) | ~HANDOFF').replacement, '((count | WRITER) | (~HANDOFF))');
  for (const mutant of mutants.filter(({ operator }) => operator === 'boundary')) {
    const [from = '', to = ''] = mutant.id.slice(mutant.id.indexOf(': ') + 2).split(' -> ');
    // What is left of both when the comparison is taken out.
    assert.deepEqual(to.split(/ [<>]=? /), from.split(/ [<>]=? /), mutant.id);
  }
});

test('every reason to survive is that of a mutant that exists, and says something', () => {
  const ids = new Set(mutants.map(({ id }) => id));
  for (const [id, reason] of readReasons(mutants)) {
    assert.ok(ids.has(id), `survivors.json explains a mutant that there is not: ${id}`);
    assert.ok(reason.length > 30, id);
  }
});

test('the unchanged core passes the battery: what is caught there is the mutant', () => {
  for (const { mode, programs } of BATTERY) {
    const model = new Model(shipped, parseMode(mode), programs.map(parseProgram));
    for (const program of programs) {
      const { failure } = exploreAs(model.load(parseProgram(program)), { mostStates: 40_000 });
      assert.equal(failure, null, `${program}, mode ${mode}`);
    }
  }
});

/** Most only since there are the modes `alone`, `bounded`, `handoff:due` and `handoff:not-yet`, the spinner queue is tried by itself, what a policy forbids and how an operation ends are looked at, and a wake list has room for a batch. */
const CAUGHT: [id: string, property: string][] = [
  ['cancel cancelWaiter: unlink(mem, lock, waiter); -> dropped', 'INVARIANT'],
  ['wake wakeQueue: kind === WAKE_ANY -> false', 'LOST'],
  ['count readerIsIn: (count & READ_FAILED) === 0 -> false', 'ANSWER'],
  ['handoff isHandoffDue: rule !== HANDOFF_TIMED -> true', 'STARVE'],
  ['park parkUntilSignalled: timed -> false', 'LOST'],
  ['cancel cancelWaiter: Atomics.and(mem, lock + COUNT, ~(WAITERS | HANDOFF)) -> in two steps', 'INVARIANT'],
  ['release downgradeWrite: READER - WRITER -> READER', 'INVARIANT'],
  ['wake wakeWriter: isHandoffDue(mem, head) -> true', 'INVARIANT'],
  ['wake wakeWriter: WAKE_GRANT -> WAKE_STEAL', 'INVARIANT'],
  ['wake wakeReaders: granted < batch -> true', 'INVARIANT'],
  ['handoff isHandoffDue: ((clockMs() - relaxedLoad(mem, waiter + HANDOFF_AT_MS)) | 0) >= 0 -> true', 'INVARIANT'],
  ['cancel cancelWaiter: CANCELLED -> BUSY', 'ANSWER'],
  ['write writeSlow: status === CANCELLED_SIGNALLED -> false', 'ANSWER'],
  ['read tryRead: isOverflown(count) -> true', 'ANSWER'],
  ['read tryRead: TOO_MANY_READERS -> BUSY #2', 'ANSWER'],
  ['read enqueueRead: isWriteWaiter(mem, head) -> true', 'ANSWER'],
  ['read enqueueRead: isWriteWaiter(mem, head) -> false', 'ANSWER'],
  ['park parkUntilSignalled: leftMs <= 0 -> true', 'ANSWER'],
  ['write writeSlow: signalled -> true', 'STUCK'],
  ['park parkUntilSignalled: false -> true #2', 'STUCK'],
  ['park sleep: timed -> true', 'STUCK'],
  ['write mayWriterTake: hasHandoff(count) -> false', 'INVARIANT'],
  ['write mayWriterTake: isAsyncWaiter(mem, waiter) -> false', 'INVARIANT'],
  ['write mayWriterTake: WAKE_STEAL -> WAKE_GRANT', 'INVARIANT'],
  ['queue prepareWaiter: relaxedStore(mem, waiter + HANDOFF_SET, 0); -> dropped', 'INVARIANT'],
  ['wake unlockAndWake: sendWakes(mem, me) >= relaxedLoad(mem, READER_BATCH) -> true', 'INVARIANT'],
  ['read tryRead: count = seen; -> dropped', 'STUCK'],
  ['steal stealRead: relaxedLoad(mem, layout.POLICY_READER_STEAL) === 0 -> false', 'STARVE'],
  ['steal stealWrite: relaxedLoad(mem, layout.POLICY_SPIN) === layout.SPIN_OFF -> false', 'INVARIANT'],
  ['fast-path enterReader: (count & READ_FAILED) === 0 -> true', 'MUTEX'],
  ['fast-path enterReader: Atomics.add(mem, lock, READER) -> its result, not the value before', 'NEGATIVE'],
  ['fast-path enterReader: 0 -> -1', 'ANSWER'],
  ['spin backOff: i < gap -> true', 'STUCK'],
  ['spin watchLock: ((now - start) | 0) > SPIN_LIMIT_US -> false', 'STUCK'],
  ['spin-queue enterSpinQueue: late -> false', 'STUCK'],
  ['spin watchLock: gap << 1 -> gap >> 1', 'STUCK'],
  ['spin spinForHandoff: false -> true', 'STUCK'],
  ['spin spinForWrite: enterSpinQueue(mem, lock, me, SPIN_LIMIT_US, SPIN_LIMIT_TURNS) -> true', 'STUCK'],
  ['spin-queue enterSpinQueue: prev === 0 -> true', 'INVARIANT'],
  ['spin-queue takeNext: spins < NEIGHBOUR_SPINS -> true', 'STUCK'],
  ['wait-lock lockWaitLockSlow: canBlock -> false', 'STUCK'],
  ['wait-lock lockWaitLockSlow: canBlock -> true', 'INVARIANT'],
  ['spin-queue takeNext: spins + 1 -> 1', 'STUCK'],
  ['spin backOff: i + 1 -> 1', 'STUCK'],
];

test('mutants are caught', () => {
  const trial = new MutantTrial(shipped);
  for (const [id, property] of CAUGHT) {
    const verdict = trial.run(find(id), LIMITS, () => {});
    assert.ok('caught' in verdict, id);
    assert.equal(verdict.caught, property, id);
  }
});

test('a bell may be rung by two, and must be rung', () => {
  const run = (id: string) => exploreAs(new Model(mutate(shipped, find(id)), parseMode(''), [parseProgram('asyncRead+asyncRead | write')]).load(parseProgram('asyncRead+asyncRead | write')), LIMITS);
  assertHeld(run('ready pushReady: 1 -> 2'), 500);
  assert.equal(run('ready pushReady: 1 -> 0').failure?.property, 'LOST');
});

test('a mutant that the front end refuses is no program, one that makes no difference survives in no stage', () => {
  const trial = new MutantTrial(shipped);
  const sample = find('release wakeAfterWrite: wakeQueue(mem, lock, me, WAKE_ANY); -> dropped');
  assert.ok('stillborn' in trial.run({ ...sample, replacement: 'nobody();' }, LIMITS, () => {}));
  assert.deepEqual(trial.run({ ...sample, replacement: 'wakeQueue(mem, lock, me, 0);' }, LIMITS, () => {}), { survived: true, stages: 0, cut: 0 });
});
