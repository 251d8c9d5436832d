import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CheckArgumentError } from '../dist/check/check-error.js';
import { explore } from '../dist/check/explore.js';
import { LOCK_AT } from '../dist/check/model/layout.js';
import { parseMode } from '../dist/check/model/mode.js';
import { printTrace } from '../dist/check/print-trace.js';
import { randomSchedules } from '../dist/check/random.js';
import { replay } from '../dist/check/replay.js';
import { formatSchedule, parseSchedule } from '../dist/check/schedule.js';
import { type CheckTask, exploreAs, loadTask } from '../dist/check/task.js';
import { assertHeld } from './helpers/assert-held.ts';
import { load } from './helpers/load-program.ts';

const LIMITS = { mostStates: 1_000_000 };

/** The program, the mode, and a number of states that it must have more of. */
const PROGRAMS: [program: string, mode: string, states: number][] = [
  ['read | write', 'delayed', 600],
  ['write | write', 'delayed', 600],
  ['read | timedWrite', 'delayed owner', 1500],
  ['write | write', 'delayed spin owner', 5000],
  ['spinTurn... | spinTurn...', 'delayed spin', 300],
  ['downgrade | nestedRead', 'delayed', 600],
  ['asyncRead+asyncRead | write', 'delayed', 5000],
  ['read | read | write', 'delayed', 50_000],
];

for (const [text, mode, states] of PROGRAMS) {
  test(`the shipped core needs no order of plain accesses that it does not have: ${text}, mode ${mode}`, () => {
    assertHeld(explore(load(text, mode), LIMITS), states);
  });
}

const OF_LATE_STORES: CheckTask = { mutation: 'node-reset-and-linked-plainly', program: 'spinTurn | spinTurn', mode: 'spin patient ready', mostStates: 1_000_000 };
const OF_EARLY_READS: CheckTask = { mutation: 'ready-popped-after-plain-reads', program: 'asyncRead+asyncRead | write', mode: '', mostStates: 1_000_000 };

function trace({ mode, ...task }: CheckTask): string {
  const loaded = loadTask({ ...task, mode: `${mode} delayed` });
  const found = exploreAs(loaded, LIMITS);
  assert.ok(found.failure);
  const again = replay(loaded, parseSchedule(formatSchedule(found.schedule)));
  return printTrace(loaded.program, { ...again, failure: again.failure ?? found.failure });
}

test('two mistakes that no order of whole steps shows: a store that another overtakes, and a read that overtakes another', () => {
  for (const task of [OF_LATE_STORES, OF_EARLY_READS]) assertHeld(exploreAs(loadTask({ ...task, mode: `${task.mode} split` }), LIMITS), 50);
  const late = trace(OF_LATE_STORES);
  assert.match(late, /relaxedStore\(mem, me \+ SPIN_LOCKED, 0\); {4}\(takes effect later: B\.SPIN_LOCKED 0\)/);
  assert.doesNotMatch(late, /reads early/);
  const early = trace(OF_EARLY_READS);
  assert.match(early, /A may have read A\.b\.READY_NEXT 0 already/);
  assert.match(early, /relaxedLoad\(mem, top \+ READY_NEXT\);? {4}\(reads early: A\.b\.READY_NEXT 0\)/);
  assert.doesNotMatch(early, /takes effect later/);
  assert.match(early, /^LOST: /m);
});

test('a store that takes effect later is shown at the statement that it comes from, and has no choice before one that waits for it', () => {
  const loaded = load('read | write', 'delayed');
  const [stored, done] = replay(loaded, parseSchedule('BA A1A2')).steps.slice(-2).map(({ statements }) => statements);
  assert.equal(stored?.[0]?.note, 'takes effect later: A.KIND 0');
  assert.deepEqual(done, [{ place: stored?.[0]?.place, note: 'the store takes effect' }]);
  assert.equal(replay(loaded, parseSchedule('BAA A1A1')).steps.at(-1)?.statements[0]?.note, 'the store takes effect');
  assert.throws(() => replay(loaded, parseSchedule('BAAA A1')), /A has no choice 1/);
});

test('who is inside without having been told of the last write is found: DATA', () => {
  for (const mutation of ['grant-read-plainly', 'grant-stored-plainly', 'rlock-fast-read-plainly']) {
    assertHeld(explore(load('read | write', 'split', mutation), LIMITS), 200);
    const { failure } = explore(load('read | write', 'delayed', mutation), LIMITS);
    assert.equal(failure?.property, 'DATA', mutation);
    assert.match(failure.text, /^A reads the data, and nothing orders that after what B has written$/);
  }
});

test('who reads back its own store, which has not taken effect, learns nothing of what others have stored there', () => {
  const { model } = load('read | write', 'delayed');
  const { runtime, layout } = model;
  const { delays, data, state } = runtime;
  assert.ok(delays && data);
  const [reader, writer] = [model.block(0), model.block(1)];
  data.write(writer);
  delays.stored(LOCK_AT, 0, 0, writer);
  const before = state.slice();
  const isLate = runtime.skipTo(1, () => {
    state.set(before);
    runtime.rewind();
    delays.store(LOCK_AT, 7, layout.agentAt(0), reader, true);
  });
  assert.ok(isLate);
  assert.equal(delays.loadAtomically(LOCK_AT, layout.agentAt(0), reader), 7);
  data.read(reader);
  assert.equal(runtime.failure?.property, 'DATA');
});

test('every plain read of a word that changes has been foreseen, or it would never be early', () => {
  for (const [text, mode] of [['any/anyAsync | read/write', 'delayed'], ['any | write', 'delayed spin owner'], ['anyNested | write', 'delayed batch:1']] as const) {
    const loaded = load(text, mode);
    const { delays, layout } = loaded.model.runtime;
    assert.ok(delays);
    const read = delays.load.bind(delays);
    let reads = 0;
    delays.load = (address, me, block) => {
      if ((layout.slots[address] as number) >= 0 && ++reads > 0) assert.ok(delays.mayComeTo(address, me, block), `word ${address} in ${text}`);
      return read(address, me, block);
    };
    assertHeld(explore(loaded, LIMITS), 1000);
    assert.ok(reads > 1000);
  }
});

test('random runs of more threads than are explored', () => {
  const sound = randomSchedules(load('read | write | timedRead | timedWrite', 'delayed'), { seed: 1, count: 100 });
  assert.equal(sound.failure, null);
  const found = randomSchedules(load('read | read | write | write', 'delayed', 'grant-stored-plainly'), { seed: 1, count: 300 });
  // Or, with the grant before a store that is late, a touch of who has been granted.
  assert.match(found.failure?.property ?? '', /^(DATA|INVARIANT)$/);
});

test('what it is not for is refused, and so are more threads than it can keep account of', () => {
  for (const mode of ['delayed fair handoff:now', 'delayed bounded']) assert.throws(() => parseMode(mode), /delayed is about the order of accesses/, mode);
  assert.throws(() => load(Array(7).fill('asyncRead').join(' | '), 'delayed'), CheckArgumentError);
});
