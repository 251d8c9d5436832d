/** Locks that share a space, and its waiters. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LockSpace } from 'rwsem';
import { assertFree, code, copies, DEADLOCK, TIMED_OUT, turns, watch } from '../helpers/agents.ts';

const LIMIT = { timeout: 20_000 };

describe('many locks', LIMIT, () => {
  test('locks of one space do not touch each other', async () => {
    const space = LockSpace.create({ locks: 20, agents: 2 });
    const locks = Array.from({ length: 20 }, (_, i) => space.rwsem(i));
    const other = copies[0].LockSpace.attach(space.handle);
    const guards = locks.map((lock, i) => (i % 2 ? lock.write() : lock.read()));
    const queued = locks.map((_, i) => watch(other.rwsem(i).writeAsync()));
    await turns();
    for (const [i, guard] of guards.entries()) {
      assert.equal(queued[i]!.outcome(), 'pending');
      guard.release();
      (await queued[i]!.promise).release();
      assertFree(locks[i]!);
      if (i < 19) assert.equal(locks[i + 1]!.inspect().waiters.length, 1);
    }
  });

  test('holding one lock makes no deadlock of another', () => {
    const space = LockSpace.create({ locks: 2 });
    const held = space.rwsem(0).write();
    space.rwsem(1).write().release();
    space.rwsem(1).read().release();
    assert.throws(() => space.rwsem(0).read(), DEADLOCK);
    held.release();
  });

  test('acquisitions beyond the shared waiters are served on every lock, in order, without those aborted', async () => {
    const space = LockSpace.create({ locks: 2, agents: 2, waiters: 1 });
    const locks = [space.rwsem(0), space.rwsem(1)] as const;
    const other = copies[0].LockSpace.attach(space.handle);
    const held = [other.rwsem(0).write(), other.rwsem(1).write()] as const;
    const controller = new AbortController();
    const granted: number[] = [];
    const tasks = Array.from({ length: 20 }, (_, i) => {
      const isAborted = i % 5 === 0;
      const task = locks[i % 2 ? 1 : 0].writeAsync(isAborted ? { signal: controller.signal } : {}).then(async (guard) => {
        granted.push(i);
        await turns();
        guard.release();
      });
      return isAborted ? assert.rejects(task, { name: 'AbortError' }) : task;
    });
    assert(locks[0].inspect().waiters.length + locks[1].inspect().waiters.length <= 1);
    await turns();
    controller.abort();
    held[1].release();
    await turns();
    held[0].release();
    await Promise.all(tasks);
    const expected = Array.from({ length: 20 }, (_, i) => i).filter((i) => i % 5);
    for (const parity of [0, 1]) {
      assert.deepEqual(
        granted.filter((i) => i % 2 === parity),
        expected.filter((i) => i % 2 === parity),
      );
    }
    assertFree(...locks, other.rwsem(0), other.rwsem(1));
    for (const lock of locks) (await lock.writeAsync({ timeoutMs: 0 })).release();
    other.detach();
    space.detach();
  });

  test('a lock whose acquisitions queue inside their thread is not held up by another lock', async () => {
    const space = LockSpace.create({ locks: 2, agents: 2, waiters: 1 });
    const other = copies[0].LockSpace.attach(space.handle);
    const [stuck, free] = [other.rwsem(0).write(), other.rwsem(1).write()];
    const waits = watch(space.rwsem(0).writeAsync());
    const served = space.rwsem(1).writeAsync();
    free.release();
    (await served).release();
    assert.equal(waits.outcome(), 'pending');
    stuck.release();
    (await waits.promise).release();
    assertFree(space.rwsem(0), space.rwsem(1));
  });
});

test('acquisitions that queue inside their thread are served while another agent has all shared waiters', LIMIT, async () => {
  const space = LockSpace.create({ locks: 2, agents: 2, waiters: 1 });
  const other = copies[0].LockSpace.attach(space.handle);
  const [mine, theirs] = [space.rwsem(0).write(), other.rwsem(1).write()];
  const has = watch(other.rwsem(0).writeAsync());
  const inside = [space.rwsem(1).writeAsync(), space.rwsem(1).readAsync()];
  const late = space.rwsem(1).writeAsync({ timeoutMs: 5 });
  assert.equal(space.rwsem(1).inspect().waiters.length, 0, 'only what is queued in shared memory is listed');
  await assert.rejects(late, TIMED_OUT);
  assert.throws(() => space.detach(), code('STILL_IN_USE'));
  theirs.release();
  for (const acquisition of inside) (await acquisition).release();
  assert.equal(has.outcome(), 'pending');
  mine.release();
  (await has.promise).release();
  assertFree(space.rwsem(0), space.rwsem(1));
  for (const lock of [space.rwsem(0), space.rwsem(1)]) (await lock.readAsync({ timeoutMs: 0 })).release();
});
