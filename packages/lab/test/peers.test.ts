import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENVIRONMENT, lab } from './helpers/command.ts';

const PROGRAM = fileURLToPath(new URL('./helpers/compare-peers.js', import.meta.url));
// Long enough for a thread to be preempted inside: overlaps happen on a single core too.
const SHORT = ['--threads', '3', '--read', '0', '--cs', '20us', '--rounds', '1', '--seconds', '0.1', '--grace-ms', '500'];

let directory = '';
before(() => void (directory = mkdtempSync(join(tmpdir(), 'rwsem-peers-'))));
after(() => rmSync(directory, { recursive: true, force: true }));

function compare(ours: string, others: string, ...more: string[]) {
  const env = { ...ENVIRONMENT, CC: 'no-such-compiler' };
  return spawnSync(process.execPath, [PROGRAM, ours, others, ...SHORT, ...more], { cwd: directory, encoding: 'utf8', env });
}

test('a lock of others that lets two in is shown in its row, said at the end, and no failure', () => {
  const { status, stdout, stderr } = compare('rwsem', 'futex-mutex,broken-nothing');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /broken-nothing .* VIOLATED/);
  assert.match(stdout, /^broken-nothing, which is not ours, let two in at once/m);
  assert.doesNotMatch(stdout, /^(rwsem|futex-mutex), which/m);
  assert.ok(existsSync(join(directory, 'bench-report.first.json')) && existsSync(join(directory, 'bench-report.first.html')));
});

test('a lock of others that hangs is no failure either', () => {
  const { status, stdout, stderr } = compare('rwsem', 'broken-wakeup', '--cs', '1ms');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^broken-wakeup, which is not ours, hung/m);
});

test('one of ours that lets two in is a failure, whatever those of others do', () => {
  for (const others of ['futex-mutex', 'broken-readers']) {
    const { status, stdout, stderr } = compare('rwsem,broken-nothing', others);
    assert.equal(status, 1, stderr);
    assert.match(stdout, /^broken-nothing, which is ours, let two in at once\.$/m);
  }
});

test('one of ours that is absent is a failure, one of others is not', () => {
  assert.equal(compare('rwsem', 'pthread').status, 0);
  const { status, stdout } = compare('pthread', 'futex-mutex');
  assert.equal(status, 1);
  assert.match(stdout, /^pthread, which is ours, cannot run here\.$/m);
});

test('bad arguments of bench stop the run with its exit code and message', () => {
  const { status, stdout, stderr } = compare('rwsem', 'futex-mutex', '--rounds', '0');
  assert.equal(status, 2);
  assert.match(stderr, /--rounds must be/);
  assert.equal(stdout, '');
});

test('what both runs would write to the same file, or not compare, is refused before anything is installed', () => {
  for (const parameters of [['--locks', 'rwsem'], ['--json', 'x'], ['--html=x']]) {
    const [option = ''] = parameters[0]!.split('=');
    const { status, stdout, stderr } = lab(['peers', '--', ...parameters], { cwd: directory });
    assert.equal(status, 2, option);
    assert.match(stderr, new RegExp(`^error: ${option} is not for peers.*use "rwsem-lab bench ${option}`));
    assert.equal(stdout, '');
  }
});
