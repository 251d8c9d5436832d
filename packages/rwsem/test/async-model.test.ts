/** Random programs on one event loop against a model. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import type { LockSpaceOptions } from 'rwsem';
import { type Command, program } from './helpers/model-program.ts';
import { Run } from './helpers/model-run.ts';

const RUNS = Number(process.env['RWSEM_MODEL_RUNS'] ?? 400);
const LIMIT_MS = 10_000 + 20 * RUNS;

function holds(property: fc.IAsyncProperty<[Command[]]>): Promise<void> {
  // The limit is for shrinking programs that hang.
  return fc.assert(property, { numRuns: RUNS, includeErrorInReport: true, interruptAfterTimeLimit: LIMIT_MS, markInterruptAsFailure: true });
}

// An acquisition that never settles keeps the process alive, as it should, and would keep the report back.
after(() => setTimeout(() => process.exit(1), 1000).unref());

test('async acquisitions of one thread do what the model says, step by step', { timeout: 2 * LIMIT_MS }, async () => {
  const options: LockSpaceOptions = { waiters: 1024, policy: { handoffAfterMs: Infinity } };
  await holds(fc.asyncProperty(program(fc.constant(false)), (commands) => new Run(options, true).run(commands)));
});

const LOOSE: Record<string, LockSpaceOptions> = {
  'one waiter record': { waiters: 1 },
  'three waiter records': { waiters: 3 },
  'many waiter records': { waiters: 1024 },
  'handoff at once': { waiters: 1024, policy: { handoffAfterMs: 0 } },
  "writerWake 'grant' and three waiter records": { waiters: 3, policy: { writerWake: 'grant' } },
};

for (const [name, options] of Object.entries(LOOSE)) {
  test(`async acquisitions exclude each other, come in order and settle, with urgent ones: ${name}`, { timeout: 2 * LIMIT_MS }, async () => {
    await holds(fc.asyncProperty(program(fc.boolean()), (commands) => new Run(options, false).run(commands)));
  });
}

test('no timer is left when all acquisitions have settled', { timeout: 60_000 }, async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  await fc.assert(
    fc.asyncProperty(program(fc.boolean()), async (commands) => {
      await new Run({ waiters: 3 }, false).run(commands);
      assert.equal(timers(), before);
    }),
    { numRuns: 50, includeErrorInReport: true },
  );
});
