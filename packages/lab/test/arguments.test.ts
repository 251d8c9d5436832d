import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { ArgumentError } from '../dist/bench/argument-error.js';
import { decimalNumber, listOf, planWorkloads, wholeNumber, type BenchOptions } from '../dist/bench/plan.js';
import { formatSection, parseSection } from '../dist/bench/section.js';
import { SHAPES } from '../dist/bench/shapes.js';
import { scaledWarmUpMs } from '../dist/bench/thread-competitor.js';
import { threadsLabel, titleOf } from '../dist/bench/workload.js';
import { openCompetitors } from '../dist/locks/catalog.js';
import { formatPolicy, namedOrParsed, parsePolicy, POLICIES, policyNamed } from '../dist/locks/policy.js';
import { CLI, lab } from './helpers/command.ts';

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
  assert.throws(() => openCompetitors(['rwsem'], [namedOrParsed('spin=off'), namedOrParsed('spin=off')]), ArgumentError);
});

test('ours runs once for every policy, the others once', () => {
  const names = openCompetitors(['rwsem', 'futex-mutex'], ['spin=off', 'handoffAfterMs=0', 'v5.3-handoff'].map(namedOrParsed)).map(({ name }) => name);
  assert.deepEqual(names, ['rwsem{spin=off}', 'rwsem{handoffAfterMs=0}', 'rwsem{v5.3-handoff}', 'futex-mutex']);
});

test('named policies that are compared differ in one setting, and a wrong name is refused', () => {
  const difference = (one: string, other: string) => {
    const [a, b] = [one, other].map((name) => ({ handoffAfterMs: 4, writerWake: 'steal', spin: 'known-owner', readerSteal: true, ...policyNamed(name).policy }));
    return (Object.keys(a!) as Array<keyof typeof a>).filter((key) => a![key] !== b![key]);
  };
  assert.deepEqual(difference('v3.16-spin-any', 'v5.2-no-handoff'), ['spin']);
  assert.deepEqual(difference('v5.2-no-handoff', 'v5.3-handoff'), ['handoffAfterMs']);
  assert.deepEqual(difference('2023-grant-in-wake', '2023-restored'), ['writerWake']);
  assert.deepEqual(difference('2023-restored', 'default'), []);
  assert.equal(Object.keys(POLICIES).length, 6);
  for (const name of ['nonesuch', 'toString', '']) assert.throws(() => policyNamed(name), ArgumentError, name);
});

const options = (some: Partial<BenchOptions>): BenchOptions => ({
  ...{ numberOfLocks: 1, verify: true, seconds: 1, rounds: 1, warmUpMs: 1, graceMs: 1, seed: 1 },
  ...some,
});

test('without a word about the workload all five shapes are run', () => {
  const plan = planWorkloads(options({ numberOfLocks: 3 }));
  assert.deepEqual([...new Set(plan.map(({ shape }) => shape))], Object.keys(SHAPES));
  assert.equal(Object.keys(SHAPES).length, 5);
  assert.ok(plan.every(({ locks }) => locks === 3));
  const [writers, reacquire] = [plan[0]!, plan.at(-1)!];
  assert.equal(titleOf(writers), 'writers: writers only, 100spins section, 3 locks');
  assert.equal(threadsLabel(reacquire), '1R+1W');
  assert.equal(formatSection(reacquire.reading.think), 'empty');
});

test('a shape takes its numbers of threads and its sections from the command line', () => {
  const plan = planWorkloads(options({ shape: ['mixed', 'dedicated'], threads: [3], readerCs: parseSection('7us'), think: parseSection('1us') }));
  assert.deepEqual(plan.map(threadsLabel), ['3', '3R+3W']);
  assert.equal(titleOf(plan[0]!), 'mixed: half and half, readers: 7us section, think 1us, writers: 100spins section, think 1us');
  assert.throws(() => planWorkloads(options({ shape: ['mixed'], read: [50] })), ArgumentError);
  for (const name of ['nonesuch', 'toString']) assert.throws(() => planWorkloads(options({ shape: [name] })), ArgumentError);
});

test('with one it is 1, 2, 4 and 8 threads of writers, of readers, of both', () => {
  const plan = planWorkloads(options({ cs: parseSection('empty') }));
  assert.equal(plan.length, 12);
  assert.deepEqual([...new Set(plan.map(titleOf))], ['writers only, empty section', 'readers only, empty section', 'half and half, empty section']);
  assert.deepEqual([...new Set(plan.map(threadsLabel))], ['1', '2', '4', '8']);
});

test('the warm-up is as long for every thread, however many share a core', () => {
  assert.equal(scaledWarmUpMs(200, 1, 2), 200);
  assert.equal(scaledWarmUpMs(200, 2, 2), 200);
  assert.equal(scaledWarmUpMs(200, 8, 2), 800);
});

test('dedicated readers and writers are a plan of their own', () => {
  const [workload, ...others] = planWorkloads(options({ readers: 3, writers: 1 }));
  assert.deepEqual(workload?.readPercents, [100, 100, 100, 0]);
  assert.equal(others.length, 0);
  assert.throws(() => planWorkloads(options({ readers: 3, threads: [2] })), ArgumentError);
  assert.throws(() => planWorkloads(options({ writers: 0 })), ArgumentError);
});

test('a reader of the output that has seen enough ends the program without a word', async () => {
  const child = spawn(process.execPath, [CLI, 'sim', 'models'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const [code] = (await once(child, 'close')) as [number];
  assert.deepEqual([said.join(''), code], ['', 0]);
});

test('bad arguments end the program at once with code 2 and one line', () => {
  for (const parameters of [['bench', '--threads', '0'], ['bench', '--nonesuch'], ['bench', '--json', '/nonesuch/file'], ['bench', '--shape', 'nonesuch'], ['bench', '--compare', 'default,nonesuch'], ['bench', '--constant', 'NONESUCH=1'], ['bench', '--constant', 'SPIN_LIMIT_US=1,x'], ['bench', '--constant', 'SPIN_LIMIT_US'], ['sim', '--policy', 'nonesuch'], ['sim', '--policy', 'spin=off', '--policy', 'spin=off'], ['nonesuch']]) {
    const { status, stdout, stderr } = lab(parameters);
    assert.equal(status, 2, parameters.join(' '));
    assert.match(stderr, /^error: .+\n$/);
    assert.equal(stdout, '');
  }
});
