import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseMode } from '../dist/check/model/mode.js';
import { parseProgram } from '../dist/check/model/program.js';
import { missingTools } from '../dist/check/spin/tools.js';
import { everydayPlan, largePlan, mixes, modeOf, namedModes } from '../dist/check/plan.js';
import { POLICIES } from '../dist/locks/policy.js';
import { lab } from './helpers/command.ts';

const MISTAKE = ['check', '--program', 'read | write', '--mode', 'one-core', '--mutation', 'no-try-after-enqueue'];

const run = (...parameters: string[]) => lab(parameters);

test('the shipped core holds: exit code 0, and every program is in the JSON', () => {
  const directory = mkdtempSync(join(tmpdir(), 'check-'));
  try {
    const json = join(directory, 'check.json');
    const { status, stdout } = run('check', '--program', 'read | write', '--program', 'timedRead | write', '--json', json);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^2 of 2 programs were explored completely and held/m);
    const { kind, rows } = JSON.parse(readFileSync(json, 'utf8')) as { kind: string; rows: { program: string; mode: string; result: { states: number; complete: boolean } }[] };
    assert.equal(kind, 'rwsem-lab check');
    assert.deepEqual(rows.map(({ program, mode }) => [program, mode]), [['read | write', 'spin'], ['timedRead | write', 'spin']]);
    assert.ok(rows.every(({ result }) => result.complete && result.states > 100));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a mistake in the core: exit code 1, a counterexample, and a line that shows it again', () => {
  const { status, stdout } = run(...MISTAKE);
  assert.equal(status, 1);
  assert.match(stdout, /^LOST: I8: nobody is under way/m);
  const schedule = /--replay (\w+)$/m.exec(stdout)?.[1];
  assert.ok(schedule);
  const again = run(...MISTAKE, '--replay', schedule);
  assert.equal(again.status, 1);
  assert.match(again.stdout, /write\.ts:\d+ .*\n +COUNT 0->A, HEAD 0->B/);
  assert.ok(stdout.includes(again.stdout.trim()));
});

test('what lies beyond a run is told with the run, and a replay says that it does not look for it', () => {
  const unbounded = ['check', '--program', 'write | write', '--mode', 'spin impatient bounded', '--mutation', 'spin-without-bound'];
  const { status, stdout } = run(...unbounded);
  assert.equal(status, 1);
  assert.match(stdout, /^STUCK: I14: A can go on alone for ever/m);
  const schedule = /--replay (\w+)$/m.exec(stdout)?.[1];
  assert.ok(schedule);
  assert.match(run(...unbounded, '--replay', schedule).stdout, /a replay does not look for/i);
});

test('random runs: the seed that is told shows the same again, and nothing found is no proof, exit code 3', () => {
  for (const pct of [[], ['--pct', '4']]) {
    const found = run(...MISTAKE, '--random', '200', ...pct);
    assert.equal(found.status, 1, found.stdout + found.stderr);
    const [, seed, schedule] = /--random 1 --seed (\d+).*\n.*--replay (\w+)$/m.exec(found.stdout) ?? [];
    assert.ok(seed && schedule);
    const trace = (text: string): string => text.slice(text.indexOf('\n\n'), text.indexOf('The same again'));
    assert.equal(trace(run(...MISTAKE, '--random', '1', '--seed', seed, ...pct).stdout), trace(found.stdout));
    assert.equal(run(...MISTAKE, '--replay', schedule).status, 1);
    assert.equal(run('check', '--program', 'read | write', '--random', '20', ...pct).status, 3);
  }
});

test('--engine spin: the same states, and a counterexample', { skip: missingTools().length > 0 && `no ${missingTools().join(', no ')}: npm run install:spin` }, () => {
  const program = ['check', '--program', 'read/write | write'];
  const states = (text: string): string | undefined => /; ([\d,]+) states/.exec(text)?.[1];
  const [own, spin] = [run(...program), run(...program, '--engine', 'spin')];
  assert.deepEqual([own.status, spin.status], [0, 0], spin.stderr);
  assert.ok(states(own.stdout));
  assert.equal(states(spin.stdout), states(own.stdout));
  const found = run(...MISTAKE, '--engine', 'spin');
  assert.equal(found.status, 1, found.stderr);
  assert.match(found.stdout, /^LOST: /m);
});

test('what was cut at the limit is neither held nor violated: exit code 3', () => {
  const { status, stdout } = run('check', '--program', 'read | write | write', '--most-states', '1000');
  assert.equal(status, 3);
  assert.match(stdout, /^0 of 1 programs/m);
  assert.match(stdout, /^Cut at the limit, .*: read \| write \| write, mode spin/m);
});

test('bad arguments are refused at once with code 2 and one line', () => {
  for (const parameters of [['--program', 'rad'], ['--mode', 'spin'], ['--program', 'read', '--mode', 'x'], ['--mutation', 'nonesuch'], ['--replay', 'A'], ['--program', 'read', '--replay', '7'], ['--program', 'read', '--large'], ['--program', 'read', '--policy', 'grant'], ['--random', '5'], ['--program', 'read', '--pct', '2'], ['--program', 'read', '--mode', 'handoff:now fair', '--random', '5'], ['--program', 'read', '--mode', 'ready', '--engine', 'spin'], ['--program', 'read', '--mode', 'delayed', '--engine', 'spin'], ['--program', 'read', '--engine', 'spin', '--most-states', '9']]) {
    const { status, stdout, stderr } = run('check', ...parameters);
    assert.equal(status, 2, parameters.join(' '));
    assert.match(stderr, /^error: .+\n$/);
    assert.equal(stdout, '');
  }
});

test('the sets have every policy that has a name, and only programs and modes that there are', () => {
  assert.deepEqual(namedModes().flatMap(({ names }) => names).sort(), Object.keys(POLICIES).sort());
  const plan = everydayPlan();
  for (const { mode } of namedModes()) assert.ok(plan.some((group) => group.mode === mode), mode);
  const lines = new Set<string>();
  for (const { title, mode, programs } of [...plan, ...largePlan()]) {
    parseMode(mode);
    programs.forEach(parseProgram);
    assert.ok(!lines.has(`${title} ${mode}`), `${title}, mode ${mode}, twice`);
    lines.add(`${title} ${mode}`);
  }
});

test('mixes are multisets, and policies are words of a mode', () => {
  assert.deepEqual(mixes(2, ['a', 'b']), ['a | a', 'a | b', 'b | b']);
  assert.equal(mixes(4, ['a', 'b', 'c']).length, 15);
  assert.equal(modeOf({}), 'spin');
  assert.equal(modeOf({ spin: 'off', writerWake: 'grant', handoffAfterMs: 0, readerSteal: false }), 'grant handoff:now no-reader-steal');
  assert.equal(modeOf({ spin: 'any-owner', handoffAfterMs: Infinity }), 'any-owner handoff:off');
});
