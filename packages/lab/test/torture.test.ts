import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { TortureReport } from '../dist/report/torture-report.js';
import { Cell, CELL_WORDS } from '../dist/torture/cell.js';
import { runStress } from '../dist/torture/stress.js';
import { LIBRARIES, runTorture } from '../dist/torture/torture.js';
import { lab } from './helpers/command.ts';

const SECONDS = Number(process.env['RWSEM_TORTURE_SECONDS'] ?? 60);

// What never settles after a failure keeps the process alive, as it should, and would keep the report back.
after(() => setTimeout(() => process.exit(), 2000).unref());

function torture(parameters: string[], seconds: number) {
  return lab(['torture', ...parameters], { timeout: seconds * 1000 + 120_000 });
}

test(`the lock withstands ${SECONDS} s of torture under every policy`, { timeout: SECONDS * 1000 + 180_000 }, (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rwsem-torture-'));
  try {
    const file = join(directory, 'torture.json');
    const { status, stdout, stderr } = torture(['--seconds', String(SECONDS), '--leg-seconds', String(Math.min(8, SECONDS / 8)), '--json', file], SECONDS);
    t.diagnostic(stderr.split('\n')[0] ?? '');
    assert.equal(status, 0, stdout + stderr);
    const report = JSON.parse(readFileSync(file, 'utf8')) as TortureReport;
    assert.equal(report.verdict, 'held');
    assert.match(report.broken!, /Violation/);
    assert.ok(report.legs.length > 0);
    for (const [index, leg] of report.legs.entries()) {
      assert.equal(leg.failure, null);
      assert.equal(leg.policy, report.options.policies[index % report.options.policies.length]);
      assert.equal(leg.seed, report.options.seed + index);
      assert.ok(leg.report!.operations > 0 && leg.report!.fairness!.mean > 0);
    }
    assert.match(stderr, /the broken lock was found out/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('a failure has exit code 1, the state of the locks, and the command that repeats it', () => {
  const { status, stdout } = torture(['--seconds', '3', '--seed', '5', '--lock', 'broken', '--policy', 'spin=off', '--threads', '3'], 3);
  assert.equal(status, 1, stdout);
  assert.match(stdout, /Violation[^]*lock 0: \{"mode"[^]*thread 1:[^]*torture --seed 5 --policy spin=off --threads 3 /);
});

test('a torture that does not find the broken lock says that it is blind', async () => {
  const options = { seconds: 0.5, legSeconds: 1, threads: 2, seed: 1, policies: [{ name: 'default', policy: {} }], longHoldMs: 0, hangMs: 15_000, starveMs: 15_000 };
  const found: Array<string | null> = [];
  const observer = { moment() {}, legDone() {}, brokenDone: (failure: string | null) => void found.push(failure) };
  const result = await runTorture(options, observer, new AbortController().signal, { ...LIBRARIES, broken: LIBRARIES.sound });
  assert.deepEqual(result, { verdict: 'BLIND', broken: null, legs: [], interrupted: false });
  assert.deepEqual(found, [null]);
});

// Now and then the thread naps with the lock read-held, where others do not go on: hence the time.
test('a thread that gets nothing while others go on is reported as starved', async () => {
  const library = new URL('./helpers/starving-library.js', import.meta.url).href;
  const stress = { library, layoutOf: LIBRARIES.sound, policy: {}, seed: 1, seconds: 60, workers: 3, hangMs: 60_000, operations: [1], starveMs: 2000, fairnessMs: 60_000 };
  await assert.rejects(runStress(stress), /thread \d is starved/);
});

test('bad arguments end the torture at once with code 2', () => {
  for (const parameters of [['--threads', '1'], ['--lock', 'nonesuch'], ['--policy', 'nonesuch'], ['--seconds', '0']]) {
    assert.equal(torture(parameters, 0).status, 2, parameters.join(' '));
  }
});

test('a shadow tells who was inside beside whom', () => {
  const words = new Int32Array(CELL_WORDS);
  const [one, other] = [new Cell(words, 0, 1), new Cell(words, 0, 2)];
  one.beginRead();
  other.beginRead();
  words[16] = 0; // the readers' own count is lost
  assert.throws(() => new Cell(words, 0, 3).beginWrite(), /thread 1 held 1 read locks meanwhile/);
});
