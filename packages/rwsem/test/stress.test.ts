import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy } from 'rwsem';
import { findFailure, MISTAKES, withCopy } from './helpers/stress-broken.ts';
import { runStress } from './helpers/stress-run.ts';

/** Per policy. */
const SECONDS = Number(process.env['RWSEM_STRESS_SECONDS'] ?? 1.2);
const SEED = Number(process.env['RWSEM_STRESS_SEED'] ?? Date.now() % 1_000_000_000);
const WORKERS = 6;
const HANG_MS = 15_000;
const LIBRARY = import.meta.resolve('rwsem');

const POLICIES: Record<string, Partial<Policy>> = {
  'the default policy': {},
  'handoffAfterMs 0': { handoffAfterMs: 0 },
  'handoffAfterMs Infinity': { handoffAfterMs: Infinity },
  "writerWake 'grant'": { writerWake: 'grant' },
  "spin 'off'": { spin: 'off' },
  "spin 'any-owner'": { spin: 'any-owner' },
  'readerSteal false': { readerSteal: false },
};

for (const [name, policy] of Object.entries(POLICIES)) {
  test(`threads in every form of acquisition exclude each other and nobody hangs: ${name}`, { timeout: SECONDS * 1000 + 60_000 }, async (t) => {
    t.diagnostic(`RWSEM_STRESS_SEED=${SEED} RWSEM_STRESS_SECONDS=${SECONDS}`);
    const report = await runStress({ library: LIBRARY, policy, seed: SEED, seconds: SECONDS, workers: WORKERS, hangMs: HANG_MS });
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.operations > 0);
  });
}

const SLICE = { seed: SEED, seconds: 0.5, forSeconds: 6, workers: WORKERS, hangMs: 1000 };

for (const mistake of MISTAKES) {
  test(`the stress finds a lock that ${mistake.what}`, { timeout: 60_000 }, async (t) => {
    const failure = await withCopy(mistake, (library) => findFailure({ ...SLICE, library, policy: mistake.policy }));
    t.diagnostic(failure.split('\n')[0] ?? '');
    assert.match(failure, mistake.shows);
  });
}

test('the stress finds nothing in a copy of the lock without a mistake', { timeout: 60_000 }, async () => {
  const failure = await withCopy(undefined, (library) => findFailure({ ...SLICE, forSeconds: 1, library, policy: {} }));
  assert.equal(failure, '');
});
