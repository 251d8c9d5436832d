import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../dist/check/explore.js';
import { printTrace } from '../dist/check/print-trace.js';
import { replay } from '../dist/check/replay.js';
import { formatSchedule, parseSchedule } from '../dist/check/schedule.js';
import { load } from './helpers/load-program.ts';

test('a schedule is the same after it has been written and read', () => {
  const schedule = [{ thread: 0, choice: 0 }, { thread: 0, choice: 12 }, { thread: 2, choice: 1 }];
  assert.equal(formatSchedule(schedule), 'AA12C1');
  assert.deepEqual(parseSchedule('AA12 C1'), schedule);
  for (const text of ['AB?', '1A', 'AZ', 'aB']) assert.throws(() => parseSchedule(text), /no schedule/, text);
});

test('a counterexample that is pasted back shows the same failure', () => {
  const loaded = load('read | write | write', 'one-core', 'transfer-beside-readers');
  const found = explore(loaded, { mostStates: 1_000_000 });
  const trace = replay(loaded, parseSchedule(formatSchedule(found.schedule)));
  assert.deepEqual(trace.failure, found.failure);
  assert.equal(trace.steps.length, found.schedule.length);
});

test('who has been granted and is asleep counts as a holder', () => {
  const loaded = load('read | write | write', 'one-core', 'transfer-beside-readers');
  const { schedule } = explore(loaded, { mostStates: 1_000_000 });
  const last = replay(loaded, schedule).steps.at(-1);
  const granted = last?.changes.find((change) => change.endsWith('has been granted'));
  assert.ok(last && granted, 'the violation is seen when the grant is stored');
  assert.notEqual(granted[0], 'ABC'[last.thread], 'by another thread');
});

test('a trace names threads, places, statements and words', () => {
  const loaded = load('read | write', '');
  const { steps, failure } = replay(loaded, parseSchedule('BA'));
  assert.equal(failure, null);
  const text = printTrace(loaded.program, { steps, failure, isOver: false });
  assert.match(text, /^ +1 {6}B {2}fast-path\.ts:\d+ {2}const count = Atomics\.compareExchange\(/m);
  assert.match(text, /COUNT 0->W, B holds the write lock/);
  assert.match(text, /^ +2 {2}A {2}fast-path\.ts:\d+ .*Atomics\.add\(/m);
  assert.match(text, /COUNT W->1R\+W/);
});

test('a schedule that does not fit says at which step', () => {
  const loaded = load('read | write', '');
  assert.throws(() => replay(loaded, parseSchedule('AAAAAAAAAA')), /step \d+ of the schedule: A cannot make a step/);
  assert.throws(() => replay(loaded, parseSchedule('AC')), /step 2 of the schedule: there is no thread C/);
  assert.throws(() => replay(loaded, parseSchedule('A7')), /step 1 of the schedule: A has no choice 7/);
});
