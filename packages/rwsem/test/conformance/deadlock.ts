/** A thread in its own way: certain deadlocks are errors of the blocking forms, at once, and of nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RwSem } from 'rwsem';
import {
  assertFree,
  DEADLOCK,
  type MakeLock,
  READ_WAYS,
  seats,
  TIMED_OUT,
  turns,
  unchanged,
  watch,
  WRITE_WAYS,
} from '../helpers/agents.ts';

// "At once" is before the time limit, on the busiest of machines.
const AT_ONCE_MS = 2_000;

function deadlocks(lock: RwSem, ...modes: Array<'read' | 'write'>): void {
  for (const mode of modes) {
    const forms: Record<string, () => unknown> = {
      // First the one that would come back without the detection.
      timed: () => lock[mode]({ timeoutMs: AT_ONCE_MS }),
      blocking: () => lock[mode](),
      'timed for ever': () => lock[mode]({ timeoutMs: Infinity }),
      urgent: () => lock[mode]({ urgent: true }),
      raw: () => (mode === 'read' ? lock.downRead() : lock.downWrite()),
    };
    const start = performance.now();
    for (const [form, call] of Object.entries(forms)) {
      unchanged(lock, () => assert.throws(call, DEADLOCK, `${form} ${mode}`));
    }
    assert(performance.now() - start < AT_ONCE_MS);
    const fails = (error: { code: string }): boolean => [DEADLOCK.code, TIMED_OUT.code].includes(error.code);
    unchanged(lock, () => assert.throws(() => lock[mode]({ timeoutMs: 0 }), fails, 'timeoutMs: 0'));
    unchanged(lock, () => {
      assert.equal(mode === 'read' ? lock.tryRead() : lock.tryWrite(), null);
      assert.equal(mode === 'read' ? lock.tryDownRead() : lock.tryDownWrite(), false);
    });
  }
}

export function deadlock(makeLock: MakeLock): void {
  for (const [way, take] of Object.entries(READ_WAYS)) {
    test(`write while holding ${way} is a deadlock; read again is granted`, async () => {
      const { lock, other } = seats(makeLock());
      const held = await take(lock);
      deadlocks(lock, 'write');
      const again = [lock.read(), lock.tryRead(), await lock.readAsync(), lock.read({ timeoutMs: 0 })];
      lock.downRead();
      assert(lock.tryDownRead());
      assert.equal(lock.inspect().readers, 7);
      lock.upRead();
      lock.upRead();
      for (const guard of again) guard?.release();
      deadlocks(lock, 'write');
      await held.release();
      assertFree(lock, other);
    });

    test(`read again while holding ${way}, behind another agent's queued writer, is a deadlock`, async () => {
      const { lock, other, third } = seats(makeLock());
      const held = await take(lock);
      const writer = watch(other.writeAsync());
      deadlocks(lock, 'read', 'write');
      const reader = watch(lock.readAsync());
      await turns();
      assert.equal(writer.outcome(), 'pending');
      assert.equal(reader.outcome(), 'pending');
      await held.release();
      const guard = await writer.promise;
      assert.equal(third.tryRead(), null);
      guard.release();
      (await reader.promise).release();
      assertFree(lock, other, third);
    });
  }

  for (const [way, take] of Object.entries(WRITE_WAYS)) {
    test(`read and write while holding ${way} are deadlocks`, async () => {
      const { lock, other } = seats(makeLock());
      const held = await take(lock);
      deadlocks(lock, 'read', 'write');
      await held.release();
      assertFree(lock, other);
    });
  }

  test('a deadlock is found among several holds of the thread', async () => {
    const { lock, other } = seats(makeLock());
    const first = lock.read();
    lock.downRead();
    const theirs = other.read();
    deadlocks(lock, 'write');
    first.release();
    deadlocks(lock, 'write');
    lock.upRead();
    // Now only another agent is in the way, which may release.
    assert.throws(() => lock.write({ timeoutMs: 5 }), TIMED_OUT);
    theirs.release();
    assertFree(lock, other);
  });

  test('what another agent holds is no deadlock', () => {
    const { lock, other } = seats(makeLock());
    for (const theirs of [() => other.read(), () => other.write()]) {
      const guard = theirs();
      assert.throws(() => lock.write({ timeoutMs: 5 }), TIMED_OUT);
      if (guard.mode === 'write') assert.throws(() => lock.read({ timeoutMs: 5 }), TIMED_OUT);
      else lock.read({ timeoutMs: 5 }).release();
      guard.release();
    }
    assertFree(lock, other);
  });

  test("the thread's own queued write in front makes blocking a deadlock", async () => {
    const { lock, other } = seats(makeLock());
    for (const theirs of [() => other.read(), () => other.write()]) {
      const guard = theirs();
      const queued = watch(lock.writeAsync());
      deadlocks(lock, 'read', 'write');
      await turns();
      assert.equal(queued.outcome(), 'pending');
      guard.release();
      (await queued.promise).release();
      assertFree(lock, other);
    }
  });

  test("the thread's own queued read in front makes a blocking write a deadlock, but no blocking read", async () => {
    const { lock, other } = seats(makeLock());
    const theirs = other.write();
    const queued = watch(lock.readAsync());
    deadlocks(lock, 'write');
    assert.throws(() => lock.read({ timeoutMs: 5 }), TIMED_OUT);
    theirs.release();
    (await queued.promise).release();
    assertFree(lock, other);
  });

  test('after an own queued acquisition was aborted, blocking is no deadlock any more', async () => {
    const { lock, other } = seats(makeLock());
    const theirs = other.write();
    const controller = new AbortController();
    const queued = lock.writeAsync({ signal: controller.signal });
    deadlocks(lock, 'write', 'read');
    controller.abort(new Error('enough'));
    await assert.rejects(queued, /enough/);
    assert.throws(() => lock.write({ timeoutMs: 5 }), TIMED_OUT);
    theirs.release();
    lock.write().release();
    assertFree(lock, other);
  });

  test('async forms wait where blocking ones would be a deadlock', async () => {
    const { lock, other } = seats(makeLock());
    for (const [held, wanted] of [
      ['read', 'write'],
      ['write', 'read'],
      ['write', 'write'],
    ] as const) {
      const guard = lock[held]();
      const form = wanted === 'read' ? 'readAsync' : 'writeAsync';
      await assert.rejects(lock[form]({ timeoutMs: 0 }), TIMED_OUT);
      await assert.rejects(lock[form]({ timeoutMs: 5 }), TIMED_OUT);
      const body = wanted === 'read' ? 'withRead' : 'withWrite';
      await assert.rejects(
        lock[body](() => assert.fail('never'), { timeoutMs: 5 }),
        TIMED_OUT,
      );
      const task = watch<{ release(): void }>(lock[form]());
      await turns();
      assert.equal(task.outcome(), 'pending');
      guard.release();
      (await task.promise).release();
    }
    assertFree(lock, other);
  });
}
