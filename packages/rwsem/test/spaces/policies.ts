/** What each setting of a policy decides. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Policy, RwSem } from 'rwsem';
import { assertFree, seats, TIMED_OUT, turns, watch } from '../helpers/agents.ts';

const LIMIT = { timeout: 20_000 };

describe('policies decide', LIMIT, () => {
  /** A lock that was just released while a writer of another agent is queued, whose turn of the event loop is still to come. */
  function justReleased(policy: Partial<Policy>): { third: RwSem; lock: RwSem; other: RwSem; queued: ReturnType<RwSem['writeAsync']> } {
    const all = seats(RwSem.create({ policy: { handoffAfterMs: Infinity, ...policy } }));
    const held = all.lock.write();
    const queued = all.other.writeAsync();
    held.release();
    return { ...all, queued };
  }

  test('handoffAfterMs: 0 asks for handoff at the first failed attempt', async () => {
    const { lock, other } = seats(RwSem.create({ policy: { handoffAfterMs: 0 } }));
    const held = lock.write();
    const queued = other.writeAsync();
    assert.equal(lock.inspect().handoff, true);
    held.release();
    (await queued).release();
    assert(lock.space.events().wlockHandoff >= 1);
    assertFree(lock, other);
  });

  test('handoffAfterMs: Infinity never asks, but for an urgent writer', async () => {
    const { lock, other, third } = seats(RwSem.create({ policy: { handoffAfterMs: Infinity } }));
    const held = lock.write();
    const queued = [other.writeAsync(), third.readAsync()];
    await assert.rejects(lock.writeAsync({ timeoutMs: 20 }), TIMED_OUT);
    assert.equal(lock.inspect().handoff, false);
    assert.equal(lock.space.events().wlockHandoff, 0);
    held.release();
    for (const acquisition of queued) (await acquisition).release();
    assertFree(lock, other, third);
  });

  test("writerWake: 'grant' transfers the lock in the release", async () => {
    const { lock, other, third, queued } = justReleased({ writerWake: 'grant' });
    assert.equal(lock.inspect().mode, 'write');
    assert.deepEqual(lock.inspect().owner, { agent: other.space.agent, async: true });
    assert.equal(lock.space.events().wlockGrant, 1);
    assert.throws(() => third.read({ timeoutMs: 5 }), TIMED_OUT);
    (await queued).release();
    assertFree(lock, other, third);
  });

  test("writerWake: 'steal' leaves it to the writer to take the lock", async () => {
    const { lock, other, third, queued } = justReleased({});
    assert.equal(lock.inspect().mode, 'free');
    assert.equal(lock.inspect().waiters.length, 1);
    (await queued).release();
    assert.equal(lock.space.events().wlockGrant, 0);
    assertFree(lock, other, third);
  });

  test('readerSteal: true lets a blocking reader in before a writer that is waking up', async () => {
    const { lock, other, third, queued } = justReleased({});
    const guard = third.read({ timeoutMs: 30_000 });
    assert.equal(lock.inspect().mode, 'read');
    assert.equal(lock.space.events().rlockSteal, 1);
    const writer = watch(queued);
    await turns();
    assert.equal(writer.outcome(), 'pending');
    guard.release();
    (await queued).release();
    assertFree(lock, other, third);
  });

  test('readerSteal: false makes it wait', async () => {
    const { lock, other, third, queued } = justReleased({ readerSteal: false });
    assert.throws(() => third.read({ timeoutMs: 5 }), TIMED_OUT);
    assert.equal(lock.space.events().rlockSteal, 0);
    (await queued).release();
    assertFree(lock, other, third);
  });

  test('a handoff keeps stealing readers out', async () => {
    const { lock, other, third, queued } = justReleased({ handoffAfterMs: 0 });
    assert.throws(() => third.read({ timeoutMs: 5 }), TIMED_OUT);
    (await queued).release();
    assertFree(lock, other, third);
  });

  test("spin: 'off' never spins", () => {
    const { lock, other } = seats(RwSem.create({ policy: { spin: 'off' } }));
    for (const take of [() => lock.write(), () => lock.read()]) {
      const held = take();
      assert.throws(() => other.write({ timeoutMs: 5 }), TIMED_OUT);
      held.release();
    }
    const { optLock, optFail, optNospin } = lock.space.events();
    assert.deepEqual({ optLock, optFail, optNospin }, { optLock: 0, optFail: 0, optNospin: 0 });
  });
});
