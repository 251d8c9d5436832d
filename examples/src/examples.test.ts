import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { findMismatches } from './shared-index/replay.ts';
import { runSharedIndex } from './shared-index/run.ts';
import { planWorkload } from './shared-index/workload.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an example as its reader would. The limit is for a hang, not for a slow machine. */
function run(example: string, ...args: string[]): Promise<Ended> {
  const file = fileURLToPath(new URL(example, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { timeout: 120_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}

async function output(example: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(example, ...args);
  assert.equal(code, 0, `${example} ended with code ${code}\n${stdout}\n${stderr}`);
  assert.equal(stderr, '');
  return stdout;
}

describe('small examples', () => {
  test('cache: four workers share their results and no value is wrong', async () => {
    const lines = (await output('./cache.js')).trim().split('\n');
    assert.equal(lines.length, 4);
    for (const line of lines) assert.match(line, /^20000 lookups, \d+ misses, 0 wrong$/);
  });

  test('async-only: no request sees half a reload; a timeout and an abort leave nothing behind', async () => {
    assert.deepEqual((await output('./async-only.js')).trim().split('\n'), [
      'requests saw one.example:1111 one.example:1111 two.example:2222',
      'timed out: ERR_RWSEM_TIMEOUT',
      'aborted: the client went away',
      'afterwards the lock is free',
    ]);
  });

  test('many-locks: transfers under two locks neither lose money nor deadlock', async () => {
    const stdout = await output('./many-locks.js');
    assert.match(stdout, /the balances add up to 100000, as before: true/);
    assert.doesNotMatch(stdout, /, 0 changed/);
  });
});

describe('shared index', () => {
  test('prints that every answer agrees with a single-threaded replay', async () => {
    const stdout = await output('./shared-index/main.js', '--updates', '100');
    assert.match(stdout, /727 licenses/);
    assert.match(stdout, /4 checks after a downgrade, 0 contradictions/);
    assert.match(stdout, /lock events +\w+ \d+/);
    assert.match(stdout, / 0 mismatches/);
  });

  test('agrees at every version, rebuilds among them, also if the writer never pauses', async () => {
    const report = await runSharedIndex({ locked: true, readers: 4, updates: 150, pauseMs: 0, seed: 7 });
    assert.deepEqual(report.mismatches, []);
    assert.deepEqual(report.writer.contradictions, []);
    assert.equal(report.writer.checks, 6);
    assert.ok(report.rebuilds > 0, 'the tables were never rebuilt');
    assert.equal(report.readers.length, 5);
    for (const reader of report.readers) assert.ok(reader.queries > 0, `${reader.name} asked nothing`);
    // Slow paths are what is counted; none taken would mean that nobody ever met the writer.
    assert.ok(Object.values(report.events).some((n) => n > 0), 'nobody ever waited');
  });

  test('without a lock the same check finds torn reads', async () => {
    // One attempt nearly always finds hundreds. None in five would be a check that sees nothing.
    let found = 0;
    for (let attempt = 1; attempt <= 5 && found === 0; attempt++) {
      const report = await runSharedIndex({ locked: false, readers: 3, updates: 60, pauseMs: 0, seed: attempt });
      found = report.mismatches.length;
      assert.equal(Object.values(report.events).reduce((sum, n) => sum + n, 0), 0, 'the lock was used after all');
    }
    assert.notEqual(found, 0);
  });

  test('without a lock the program says so and ends with code 1', async () => {
    for (let attempt = 1; attempt <= 5; attempt++) {
      const { code, stdout } = await run('./shared-index/main.js', '--no-lock', '--updates', '60', '--pause-ms', '0');
      if (code === 0) continue;
      assert.equal(code, 1);
      assert.match(stdout, /without a lock/);
      assert.match(stdout, /got .*\n +expected /);
      return;
    }
    assert.fail('five runs without a lock found nothing wrong');
  });

  test('the check itself tells one wrong answer, and one wrong version, among right ones', () => {
    const workload = planWorkload(1, 10);
    const query = workload.queries.findIndex(({ kind }) => kind === 'about');
    const claim = (version: number, answer: string) => findMismatches(workload, [{ version, query, answer }]);
    const [wrong] = claim(3, 'nonsense');
    assert.ok(wrong);
    assert.deepEqual(claim(3, wrong.expected), []);
    assert.equal(claim(11, wrong.expected)[0]?.expected, 'no such version');
  });
});
