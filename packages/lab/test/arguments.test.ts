import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ArgumentError } from '../dist/bench/argument-error.js';
import { DEFAULTS, decimalNumber, listOf, planWorkloads, wholeNumber, type BenchOptions } from '../dist/bench/plan.js';
import { formatSection, parseSection } from '../dist/bench/section.js';
import { threadsLabel, titleOf } from '../dist/bench/workload.js';
import { openCompetitors } from '../dist/locks/catalog.js';
import { formatPolicy, parsePolicy } from '../dist/locks/policy.js';

test('a section is read in every unit', () => {
  assert.deepEqual(parseSection('empty'), { kind: 'empty', amount: 0 });
  assert.deepEqual(parseSection('0spins'), { kind: 'empty', amount: 0 });
  assert.deepEqual(parseSection('100spins'), { kind: 'spins', amount: 100 });
  assert.deepEqual(parseSection('5us'), { kind: 'busy', amount: 5 });
  assert.deepEqual(parseSection('0.5µs'), { kind: 'busy', amount: 0.5 });
  assert.deepEqual(parseSection('2ms'), { kind: 'busy', amount: 2000 });
  assert.deepEqual(parseSection('5us-sleep'), { kind: 'sleep', amount: 5 });
  assert.deepEqual(parseSection('1ms-sleep'), { kind: 'sleep', amount: 1000 });
});

test('a section that was formatted is read back', () => {
  for (const text of ['empty', '7spins', '5us', '5us-sleep']) assert.equal(formatSection(parseSection(text)), text);
});

test('what is not a section is refused', () => {
  for (const text of ['', '5', 'us', '-5us', '5s', '1.5spins', '20000ms', '5us sleep', 'Empty']) {
    assert.throws(() => parseSection(text), ArgumentError, text);
  }
});

test('a policy is read by name and shown as it was written', () => {
  const text = 'handoffAfterMs=0,writerWake=grant,spin=any-owner,readerSteal=false';
  assert.deepEqual(parsePolicy(text), { handoffAfterMs: 0, writerWake: 'grant', spin: 'any-owner', readerSteal: false });
  assert.equal(formatPolicy(parsePolicy(text)), text);
  assert.equal(parsePolicy('handoffAfterMs=Infinity').handoffAfterMs, Infinity);
});

test('a policy with an unknown name, a bad value or a repetition is refused', () => {
  for (const text of ['', 'x=1', 'toString=1', 'spin', 'spin=on', 'handoffAfterMs=', 'handoffAfterMs=-1', 'handoffAfterMs=soon', 'readerSteal=1', 'spin=off,spin=off']) {
    assert.throws(() => parsePolicy(text), ArgumentError, text);
  }
});

test('numbers outside their range, fractions and words are refused', () => {
  const threads = listOf(wholeNumber('--threads', 1, 8));
  assert.deepEqual(threads('1, 2,8'), [1, 2, 8]);
  for (const text of ['', '0', '9', '1.5', '1,,2', 'two', '1e0', '2,2']) assert.throws(() => threads(text), ArgumentError, text);
  const seconds = decimalNumber('--seconds', 0, 10);
  assert.equal(seconds('0.25'), 0.25);
  for (const text of ['', '0', '-1', '11', 'NaN', 'Infinity']) assert.throws(() => seconds(text), ArgumentError, text);
});

test('an unknown lock is refused, and one policy given twice', () => {
  assert.throws(() => openCompetitors(['nonesuch'], []), ArgumentError);
  assert.throws(() => openCompetitors(['rwsem'], [{ spin: 'off' }, { spin: 'off' }]), ArgumentError);
});

test('ours runs once for every policy, the others once', () => {
  const names = openCompetitors(['rwsem', 'futex-mutex'], [{ spin: 'off' }, { handoffAfterMs: 0 }]).map(({ name }) => name);
  assert.deepEqual(names, ['rwsem{spin=off}', 'rwsem{handoffAfterMs=0}', 'futex-mutex']);
});

const options = (some: Partial<BenchOptions>): BenchOptions => ({
  ...{ cs: parseSection('empty'), think: parseSection('empty'), locks: [...DEFAULTS.locks], verify: true },
  ...{ seconds: 1, rounds: 1, warmUpMs: 1, graceMs: 1 },
  ...some,
});

test('the default plan is 1, 2, 4 and 8 threads of writers, of readers, of both', () => {
  const plan = planWorkloads(options({}));
  assert.equal(plan.length, 12);
  assert.deepEqual([...new Set(plan.map(titleOf))], ['writers only, empty section', 'readers only, empty section', 'half and half, empty section']);
  assert.deepEqual([...new Set(plan.map(threadsLabel))], ['1', '2', '4', '8']);
});

test('dedicated readers and writers are a plan of their own', () => {
  const [workload, ...others] = planWorkloads(options({ readers: 3, writers: 1 }));
  assert.deepEqual(workload?.readPercents, [100, 100, 100, 0]);
  assert.equal(others.length, 0);
  assert.throws(() => planWorkloads(options({ readers: 3, threads: [2] })), ArgumentError);
  assert.throws(() => planWorkloads(options({ writers: 0 })), ArgumentError);
});

test('bad arguments end the program at once with code 2 and one line', () => {
  const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
  for (const parameters of [['bench', '--threads', '0'], ['bench', '--nonesuch'], ['bench', '--json', '/nonesuch/file'], ['nonesuch']]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...parameters], { encoding: 'utf8' });
    assert.equal(status, 2, parameters.join(' '));
    assert.match(stderr, /^error: .+\n$/);
    assert.equal(stdout, '');
  }
});
