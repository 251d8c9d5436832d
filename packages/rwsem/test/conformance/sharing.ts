/** Attaching, detaching, and what several agents see of one lock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { LockSpace, RwSem } from 'rwsem';
import { assertFree, code, copies, type MakeLock, seats, turns, unchanged, watch } from '../helpers/agents.ts';

const STILL_IN_USE = code('STILL_IN_USE');
const DETACHED = code('DETACHED');
const SPACE_FULL = code('SPACE_FULL');

export function sharing(makeLock: MakeLock): void {
  test('attaching twice in one thread gives one agent and the same objects', () => {
    const lock = makeLock();
    const { handle, space } = lock;
    for (const again of [handle, { ...handle }, structuredClone(handle), structuredClone(structuredClone(handle))]) {
      assert.equal(RwSem.attach(again), lock);
      assert.equal(LockSpace.attach(again), space);
      assert.equal(LockSpace.attach({ buffer: again.buffer, byteOffset: again.byteOffset }).agent, space.agent);
    }
    assert.equal(LockSpace.attach(structuredClone(space.handle)), space);
    assert.equal(space.rwsem(handle.index), lock);
    assert.equal(space.rwsem(handle.index), space.rwsem(handle.index));
  });

  test('handles are plain objects with just what they need', () => {
    const lock = makeLock();
    assert.deepEqual(Object.keys(lock.handle).sort(), ['buffer', 'byteOffset', 'index']);
    assert.deepEqual(Object.keys(lock.space.handle).sort(), ['buffer', 'byteOffset']);
    assert.equal(Object.getPrototypeOf(lock.handle), Object.prototype);
    assert.equal(lock.handle.buffer, lock.space.handle.buffer);
    assert(lock.handle.buffer instanceof SharedArrayBuffer);
    assert.equal(lock.handle.byteOffset % 64, 0);
  });

  test('agents have different ids, the same policy, which is frozen', () => {
    const { lock, other, third } = seats(makeLock());
    assert.equal(new Set([lock.space.agent, other.space.agent, third.space.agent]).size, 3);
    for (const { space } of [lock, other, third]) {
      assert(Number.isInteger(space.agent));
      assert.deepEqual({ ...space.policy }, { ...lock.space.policy });
      assert.deepEqual(Object.keys(space.policy).sort(), ['handoffAfterMs', 'readerSteal', 'spin', 'writerWake']);
      assert(Object.isFrozen(space.policy));
      assert.throws(() => ((space.policy as { spin: string }).spin = 'off'), TypeError);
    }
  });

  test('an index outside the space is a RangeError', () => {
    const { lock, other } = seats(makeLock());
    for (const index of [-1, 5, 1e9, 0.5, NaN, Infinity, 2 ** 32]) {
      for (const agent of [lock, other]) assert.throws(() => agent.space.rwsem(index), RangeError);
    }
    for (const index of ['0', null, undefined, {}, 0n]) {
      assert.throws(() => lock.space.rwsem(index as number), (error) => error instanceof RangeError || error instanceof TypeError);
    }
    assertFree(lock, other);
  });

  test('detach is refused while the thread holds the lock, and changes nothing', async () => {
    const { lock, other } = seats(makeLock());
    const takes: Array<() => Promise<{ release(): void }>> = [
      async () => other.read(),
      async () => other.write(),
      async () => other.write().downgrade(),
      () => other.readAsync(),
      () => other.writeAsync(),
      async () => (other.downRead(), { release: () => other.upRead() }),
      async () => (other.downWrite(), { release: () => other.upWrite() }),
    ];
    for (const take of takes) {
      const held = await take();
      unchanged(lock, () => assert.throws(() => other.space.detach(), STILL_IN_USE));
      assert.equal(lock.tryWrite(), null);
      held.release();
      assertFree(lock, other);
    }
    other.space.detach();
    assertFree(lock);
  });

  test('detach is refused while the thread awaits the lock, and changes nothing', async () => {
    const { lock, other } = seats(makeLock({ waiters: 1 }));
    const held = lock.write();
    const controller = new AbortController();
    const queued = [other.readAsync(), other.writeAsync(), other.writeAsync({ signal: controller.signal })] as const;
    unchanged(lock, () => assert.throws(() => other.space.detach(), STILL_IN_USE));
    controller.abort();
    await assert.rejects(queued[2]);
    assert.throws(() => other.space.detach(), STILL_IN_USE);
    held.release();
    // Granted, perhaps, but not yet in the hands of the task.
    assert.throws(() => other.space.detach(), STILL_IN_USE);
    (await queued[0]).release();
    assert.throws(() => other.space.detach(), STILL_IN_USE);
    const last = await queued[1];
    assert.throws(() => other.space.detach(), STILL_IN_USE);
    last.release();
    other.space.detach();
    assertFree(lock);
  });

  test('detach is possible once the awaited acquisition was aborted or timed out', async () => {
    const { lock, other, third } = seats(makeLock());
    const held = lock.write();
    const controller = new AbortController();
    const aborted = watch(other.writeAsync({ signal: controller.signal }));
    const timedOut = third.readAsync({ timeoutMs: 5 });
    controller.abort();
    other.space.detach();
    await assert.rejects(timedOut);
    third.space.detach();
    await turns();
    assert.equal(aborted.outcome(), 'failed');
    held.release();
    assertFree(lock);
  });

  test('any use after detach is a DetachedError', async () => {
    const { lock, other } = seats(makeLock());
    const { space } = other;
    const guards = [other.read(), other.tryRead()];
    for (const guard of guards) guard?.release();
    const write = other.write();
    write.release();
    space.detach();
    const uses: Record<string, () => unknown> = {
      read: () => other.read(),
      write: () => other.write(),
      tryRead: () => other.tryRead(),
      tryWrite: () => other.tryWrite(),
      downRead: () => other.downRead(),
      downWrite: () => other.downWrite(),
      tryDownRead: () => other.tryDownRead(),
      tryDownWrite: () => other.tryDownWrite(),
      upRead: () => other.upRead(),
      upWrite: () => other.upWrite(),
      downgradeWrite: () => other.downgradeWrite(),
      inspect: () => other.inspect(),
      rwsem: () => space.rwsem(0),
      events: () => space.events(),
      detach: () => space.detach(),
    };
    for (const [use, call] of Object.entries(uses)) unchanged(lock, () => assert.throws(call, DETACHED, use));
    const body = (): void => assert.fail('never');
    const asyncUses: Record<string, () => Promise<unknown>> = {
      readAsync: () => other.readAsync(),
      writeAsync: () => other.writeAsync(),
      withRead: () => other.withRead(body),
      withWrite: () => other.withWrite(body),
    };
    for (const [use, call] of Object.entries(asyncUses)) await assert.rejects(call(), DETACHED, use);
    const held = lock.write();
    unchanged(lock, () => {
      for (const guard of [...guards, write]) guard?.release();
      assert.throws(() => write.downgrade());
    });
    held.release();
    assert.equal(typeof inspect(other), 'string', 'looking at it in a console does not throw');
    assert.equal(typeof String(other), 'string');
    assertFree(lock);
  });

  test('attaching again after detach gives new objects, which work', () => {
    const { lock, other } = seats(makeLock());
    other.space.detach();
    const again = copies[0].RwSem.attach(lock.handle);
    assert.notEqual(again, other);
    assert.throws(() => other.tryRead(), DETACHED);
    const guard = again.write();
    assert.equal(lock.tryRead(), null);
    assert.throws(() => other.upWrite(), DETACHED);
    guard.release();
    assertFree(lock, again);
  });

  test('the agent that made the space may detach and come back', () => {
    const lock = makeLock({ agents: 1 });
    lock.space.detach();
    assert.throws(() => lock.read(), DETACHED);
    const theirs = copies[0].RwSem.attach(lock.handle);
    theirs.write().release();
    assert.throws(() => RwSem.attach(lock.handle), SPACE_FULL);
    theirs.space.detach();
    const back = RwSem.attach(lock.handle);
    assert.notEqual(back, lock);
    assertFree(back);
  });

  test('all agent records taken: SpaceFullError, until one is given back', () => {
    const lock = makeLock({ agents: 2 });
    const other = copies[0].RwSem.attach(lock.handle);
    const held = other.write();
    for (let i = 0; i < 3; i++) {
      unchanged(lock, () => assert.throws(() => copies[1].RwSem.attach(lock.handle), SPACE_FULL));
      assert.throws(() => copies[1].LockSpace.attach(lock.handle), SPACE_FULL);
    }
    assert.equal(RwSem.attach(lock.handle), lock, 'those inside may attach again');
    assert.equal(copies[0].RwSem.attach(structuredClone(lock.handle)), other);
    held.release();
    other.space.detach();
    const third = copies[1].RwSem.attach(lock.handle);
    assert.notEqual(third.space.agent, lock.space.agent);
    assert.throws(() => copies[0].RwSem.attach(lock.handle), SPACE_FULL);
    assertFree(lock, third);
  });

  test('agent records are used again, any number of times', async () => {
    const lock = makeLock({ agents: 2 });
    const held = lock.read();
    for (let i = 0; i < 300; i++) {
      const { RwSem } = copies[i % 2] as (typeof copies)[0];
      const other = RwSem.attach(lock.handle);
      assert.equal(other.inspect().readers, 1);
      const guard = i % 3 ? other.read() : await other.readAsync();
      guard.release();
      assert.equal(other.tryWrite(), null);
      other.space.detach();
    }
    held.release();
    assertFree(lock);
  });

  test('a record given back while signals are on their way to it is as good as new', async () => {
    const lock = makeLock({ agents: 2, waiters: 2 });
    for (let i = 0; i < 60; i++) {
      const { RwSem } = copies[i % 2] as (typeof copies)[0];
      const held = lock.write();
      const other = RwSem.attach(lock.handle);
      const controller = new AbortController();
      const options = { signal: controller.signal };
      const queued = i % 3 ? other.writeAsync(options) : other.withWrite(() => turns(), options);
      const isAborted = assert.rejects(queued, { name: 'AbortError' });
      if (i % 4 < 2) held.release();
      // The waiter may have been told to try, or been given the lock: then the abort is too late.
      controller.abort();
      held.release();
      if (lock.inspect().mode === 'free') {
        await isAborted;
        other.space.detach();
      } else {
        await isAborted.catch(() => {});
        await queued.then((guard) => guard?.release());
        await turns();
        other.space.detach();
      }
      const next = copies[1 - (i % 2)]!.RwSem.attach(lock.handle);
      const theirs = next.write();
      const mine = lock.readAsync();
      theirs.release();
      (await mine).release();
      next.space.detach();
    }
    assertFree(lock);
  });
}
