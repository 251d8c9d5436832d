/**
 * A thread that may not block, the main thread of a page foremost, never parks, whatever it calls that it may
 * call, while workers churn the lock and the queue's own lock. In a page this runs on its main thread.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notRefused, notRefusedAlone, noUses, refuseToWait, useWithoutBlocking, waitCalls } from './helpers/never-parks.ts';
import { control, DONE, STOP, withThreads } from './helpers/phases.ts';
import { describeWords, orTellState } from './helpers/stuck.ts';

const isPage = typeof document !== 'undefined';
const nativeWait = Atomics.wait;
refuseToWait();
const { RwSem } = await import('rwsem');
const { endsByItself } = await import('./helpers/agents.ts');

const ROUNDS = 200;
const LIMIT = { timeout: 60_000 };
const STUCK_MS = 50_000;

test('the engine itself refuses to wait on the main thread of a page', { skip: !isPage && 'not a page' }, () => {
  assert.throws(() => nativeWait(control(), 0, 1, 0), TypeError);
});

for (const spin of ['known-owner', 'off'] as const) {
  test(`no call that a thread may make that may not block parks it, with policy spin: ${spin}`, LIMIT, async () => {
    const lock = RwSem.create({ policy: { spin } });
    const words = control();
    const detecting = waitCalls();
    assert.deepEqual(notRefusedAlone(lock), []);
    const uses = noUses();
    const look = (): string => `${JSON.stringify(uses)}, others ${Atomics.load(words, DONE)}, told to stop ${Atomics.load(words, STOP)}\n${describeWords(lock)}`;
    const churning = withThreads({ lock, control: words, role: 'churn', threads: 2, rounds: 0 }, async () => {
      const before = Atomics.load(words, DONE);
      const { tries, refusedTries, granted, cancelled } = await useWithoutBlocking(lock, ROUNDS, uses);
      assert.deepEqual(notRefused(lock, 'while others churn'), []);
      // Nothing is shown unless they were in each other's way.
      assert(tries >= 200 && refusedTries > 0 && granted > 0 && cancelled > 0, JSON.stringify(uses));
      assert(Atomics.load(words, DONE) - before > 0, 'the others churned');
    });
    await orTellState(STUCK_MS, look, churning);
    assert.equal(waitCalls(), detecting, 'Atomics.wait was called');
    const { mode, readers, waiters } = lock.inspect();
    assert.deepEqual({ mode, readers, waiters }, { mode: 'free', readers: 0, waiters: [] });
  });
}

// Also after a failure, which may leave acquisitions pending.
endsByItself();
