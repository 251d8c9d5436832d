import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { POLICIES } from './helpers/policies.ts';
import { findFailure, MISTAKES, withCopy } from './helpers/stress-broken.ts';
import { runStress } from '../../lab/dist/torture/stress.js';

/** Per policy. */
const SECONDS = Number(process.env['RWSEM_STRESS_SECONDS'] ?? 1);
const SEED = Number(process.env['RWSEM_STRESS_SEED'] ?? Date.now() % 1_000_000_000);
const WORKERS = 6;
const HANG_MS = 15_000;
const LIBRARY = import.meta.resolve('rwsem');

// What never settles after a failure keeps the process alive, as it should, and would keep the report back.
after(() => setTimeout(() => process.exit(1), 5000).unref());

for (const [name, policy] of Object.entries(POLICIES)) {
  const settings = Object.entries(policy).map(([key, value]) => `${key} ${inspect(value)}`);
  test(`threads in every form of acquisition exclude each other and nobody hangs: ${settings.join(', ') || name}`, { timeout: SECONDS * 1000 + 60_000 }, async (t) => {
    t.diagnostic(`RWSEM_STRESS_SEED=${SEED} RWSEM_STRESS_SECONDS=${SECONDS}`);
    const report = await runStress({ library: LIBRARY, policy, seed: SEED, seconds: SECONDS, workers: WORKERS, hangMs: HANG_MS, operations: [1, 4, 16, 64] });
    t.diagnostic(JSON.stringify(report));
    assert.ok(report.operations > 0);
  });
}

/** A lock is as good as the stress thinks only if a broken one is not. */
const SLICE = { seed: SEED, seconds: 2, forSeconds: 15, workers: WORKERS, hangMs: 1000, operations: [1, 2, 4, 16] };

for (const mistake of MISTAKES) {
  test(`the stress finds a lock that ${mistake.what}`, { timeout: 120_000 }, async (t) => {
    const failure = await withCopy(mistake, (library) => findFailure({ ...SLICE, library, policy: mistake.policy }));
    t.diagnostic(failure.split('\n')[0] ?? '');
    assert.match(failure, mistake.shows);
  });
}

test('the stress finds nothing in a copy of the lock without a mistake', { timeout: 120_000 }, async () => {
  const slice = { ...SLICE, seconds: 0.5, forSeconds: 0.5, hangMs: HANG_MS };
  assert.equal(await withCopy(undefined, (library) => findFailure({ ...slice, library, policy: {} })), '');
});
