/** The queue: order, what `inspect` and `events` tell of it, and blocking behind other threads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { ReadGuard, RwSem, WriteGuard } from 'rwsem';
import { assertFree, type MakeLock, seats, state, TIMED_OUT, turns, watch } from '../helpers/agents.ts';

const EVENTS =
  'sleepReader sleepWriter wakeReader wakeWriter optLock optFail optNospin rlock rlockSteal rlockFast rlockFail rlockHandoff wlock wlockFail wlockHandoff wlockGrant asyncLocalWake';

/** Queues acquisitions like `'wrrw'` and gives the order in which they were granted; each is released a turn later. */
function queued(agents: RwSem[], kinds: string, granted: number[]): Promise<void>[] {
  return Array.from(kinds, (kind, i) => {
    const agent = agents[i % agents.length] as RwSem;
    const acquisition: Promise<ReadGuard | WriteGuard> = kind === 'r' ? agent.readAsync() : agent.writeAsync();
    return acquisition.then(async (guard) => {
      granted.push(i);
      await turns();
      guard.release();
    });
  });
}

export function queue(makeLock: MakeLock): void {
  test('tasks of one event loop that write are served in the order in which they came', async () => {
    const { lock, other } = seats(makeLock());
    for (const held of [() => lock.write(), () => lock.read(), () => other.write()]) {
      const guard = held();
      const granted: number[] = [];
      const tasks = queued([lock], 'wwwwwwwwww', granted);
      guard.release();
      await Promise.all(tasks);
      assert.deepEqual(granted, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
    assertFree(lock, other);
  });

  test('writers are served in the order in which they came, whichever agent they are of', async () => {
    const { lock, other, third } = seats(makeLock());
    const guard = lock.write();
    const granted: number[] = [];
    const tasks = queued([other, lock, third], 'wwwwwwwww', granted);
    guard.release();
    await Promise.all(tasks);
    assert.deepEqual(granted, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assertFree(lock, other, third);
  });

  test('readers join the readers in front of them; otherwise first come, first served', async () => {
    const { lock, other, third } = seats(makeLock());
    for (const agents of [[lock], [other, lock, third]]) {
      const guard = lock.write();
      const granted: number[] = [];
      const tasks = queued(agents, 'wrrwrww', granted);
      guard.release();
      await Promise.all(tasks);
      const at = (i: number): number => granted.indexOf(i);
      assert.equal(at(0), 0, 'the writer in front comes first');
      assert(at(1) < at(3) && at(2) < at(3), `readers before the writer behind them: ${granted}`);
      assert(at(3) < at(5) && at(5) < at(6), `writers in order: ${granted}`);
      assert(at(4) < at(5), `the last reader before the writer behind it: ${granted}`);
    }
    assertFree(lock, other, third);
  });

  test('queued readers hold the lock together', async () => {
    const { lock, other, third } = seats(makeLock());
    const held = lock.write();
    const readers = Array.from({ length: 200 }, (_, i) => ([lock, other, third][i % 3] as RwSem).readAsync());
    held.release();
    const guards = await Promise.all(readers);
    assert.equal(lock.inspect().readers, 200);
    for (const guard of guards) guard.release();
    assertFree(lock, other, third);
  });

  test('more readers than are granted in one pass are all served, and the writer behind them', async () => {
    const { lock, other, third } = seats(makeLock());
    const held = lock.write();
    const readers = Array.from({ length: 600 }, (_, i) => ([lock, other, third][i % 3] as RwSem).withRead(() => turns()));
    const writer = other.withWrite(() => {});
    held.release();
    await Promise.all([...readers, writer]);
    assertFree(lock, other, third);
  });

  test('try forms do not overtake a queue that waits', async () => {
    const { lock, other, third } = seats(makeLock());
    const held = lock.read();
    const writer = watch(other.writeAsync());
    for (const agent of [lock, other, third]) {
      assert.equal(agent.tryRead(), null);
      assert.equal(agent.tryWrite(), null);
      assert.equal(agent.tryDownRead(), false);
      assert.equal(agent.tryDownWrite(), false);
    }
    await turns();
    assert.equal(writer.outcome(), 'pending');
    held.release();
    (await writer.promise).release();
    assertFree(lock, other, third);
  });

  test('a release resolves no acquisition synchronously', async () => {
    const { lock } = seats(makeLock());
    const held = lock.write();
    const reader = watch(lock.readAsync());
    held.release();
    assert.equal(reader.outcome(), 'pending');
    (await reader.promise).release();
    assertFree(lock);
  });

  test('more async acquisitions than shared memory has room for queue inside their thread', async () => {
    const { lock, other } = seats(makeLock({ waiters: 1 }));
    const held = other.write();
    const granted: number[] = [];
    const controller = new AbortController();
    const aborted = Array.from({ length: 6 }, () => assert.rejects(lock.writeAsync({ signal: controller.signal }), /enough/));
    const tasks = queued([lock], 'wwwwrrwwrw', granted);
    const timedOut = Array.from({ length: 4 }, () => assert.rejects(lock.readAsync({ timeoutMs: 10 }), TIMED_OUT));
    await assert.rejects(lock.writeAsync({ timeoutMs: 0 }));
    assert(lock.inspect().waiters.length <= 1, 'only what is queued in shared memory is listed');
    await turns();
    controller.abort(new Error('enough'));
    await Promise.all(aborted);
    await Promise.all(timedOut);
    held.release();
    await Promise.all(tasks);
    assert.equal(granted.length, 10);
    assert.deepEqual(
      granted.filter((i) => i < 4),
      [0, 1, 2, 3],
    );
    (await lock.writeAsync({ timeoutMs: 0 })).release();
    (await lock.readAsync({ timeoutMs: 0 })).release();
    assertFree(lock, other);
  });

  test('inspect tells mode, readers, owner and the waiters in queue order', async () => {
    const { lock, other, third } = seats(makeLock());
    assert.deepEqual(state(third), { mode: 'free', readers: 0, owner: null, handoff: false, waiters: [] });
    const held = await other.writeAsync();
    const waiters = [
      { agent: lock.space.agent, mode: 'read', async: true },
      { agent: third.space.agent, mode: 'write', async: true },
      { agent: other.space.agent, mode: 'write', async: true },
      { agent: lock.space.agent, mode: 'read', async: true },
    ] as const;
    const byAgent = new Map([lock, other, third].map((agent) => [agent.space.agent, agent]));
    const acquisitions: Array<Promise<ReadGuard | WriteGuard>> = waiters.map(({ agent, mode }) =>
      byAgent.get(agent)![mode === 'read' ? 'readAsync' : 'writeAsync'](),
    );
    for (const agent of [lock, other, third]) {
      const { handoff, ...rest } = state(agent);
      assert.equal(typeof handoff, 'boolean');
      assert.deepEqual(rest, { mode: 'write', readers: 0, owner: { agent: other.space.agent, async: true }, waiters });
      for (const { waitedMs } of agent.inspect().waiters) assert(waitedMs >= 0 && waitedMs < 60_000);
    }
    const text = `RwSem { write by agent ${other.space.agent}, 4 waiting${lock.inspect().handoff ? ', handoff' : ''} }`;
    assert.equal(inspect(lock), text);
    assert.equal(String(third), text);
    held.release();
    await Promise.all(acquisitions.map(async (acquisition) => (await acquisition).release()));
    assertFree(lock, other, third);
  });

  test('inspect tells how long the first has waited', async () => {
    const { lock, other } = seats(makeLock());
    const held = other.write();
    const start = performance.now();
    const queued = lock.writeAsync();
    await assert.rejects(lock.readAsync({ timeoutMs: 20 }));
    const { waitedMs } = lock.inspect().waiters[0]!;
    const elapsedMs = performance.now() - start;
    assert(waitedMs >= 15 && waitedMs <= elapsedMs + 2, `${waitedMs} of ${elapsedMs}`);
    held.release();
    (await queued).release();
    assertFree(lock, other);
  });

  test('inspect tells whether the owner is an async task', async () => {
    const { lock, other } = seats(makeLock());
    for (const [take, async] of [
      [() => lock.write(), false],
      [() => lock.tryWrite(), false],
      [() => lock.writeAsync(), true],
    ] as const) {
      const guard = await take();
      assert.deepEqual(other.inspect().owner, { agent: lock.space.agent, async });
      guard?.release();
    }
    const mine = lock.read();
    assert.equal(other.inspect().owner?.agent, lock.space.agent);
    const theirs = other.read();
    assert.equal(lock.inspect().owner?.agent, other.space.agent, 'the last reader');
    mine.release();
    theirs.release();
    assertFree(lock, other);
  });

  test('the summary of a lock, in any state', () => {
    const { lock, other } = seats(makeLock());
    const shape = /^RwSem \{ .+ \}$/;
    for (const taken of [() => null, () => lock.read(), () => lock.write(), () => other.read(), () => other.write()]) {
      const guard = taken();
      assert.match(String(lock), shape);
      assert.equal(inspect(lock), String(lock));
      assert.equal(`${lock}`, String(other));
      if (guard?.mode === 'write') assert.match(String(lock), new RegExp(`^RwSem \\{ write by agent ${lock.inspect().owner?.agent}`));
      guard?.release();
    }
    assert.match(inspect({ lock }), /RwSem \{ .+ \}/);
  });

  test('events are named after the kernel, and summed over the agents', async () => {
    const { lock, other } = seats(makeLock());
    assert.deepEqual(Object.keys(lock.space.events()).sort(), EVENTS.split(' ').sort());
    for (const count of Object.values(lock.space.events())) assert.equal(count, 0);
    const held = lock.write();
    const writer = other.writeAsync();
    const reader = lock.readAsync();
    await assert.rejects(other.writeAsync({ timeoutMs: 0 }));
    await assert.rejects(lock.writeAsync({ timeoutMs: 5 }));
    await assert.rejects(other.readAsync({ timeoutMs: 5 }));
    held.release();
    (await writer).release();
    (await reader).release();
    const events = lock.space.events();
    assert.deepEqual(other.space.events(), events);
    assert.equal(events.wlock, 1);
    assert.equal(events.rlock, 1);
    assert.equal(events.wlockFail, 1);
    assert.equal(events.rlockFail, 1);
    assert(events.wakeReader >= 1);
    assert(events.wakeWriter + events.wlockGrant >= 1);
    for (const count of Object.values(events)) assert(Number.isInteger(count) && count >= 0);
    assertFree(lock, other);
  });

  test('uncontended acquisitions leave no events', async () => {
    const { lock, other } = seats(makeLock());
    for (let i = 0; i < 10; i++) {
      lock.write().release();
      other.read().release();
      (await lock.writeAsync()).downgrade().release();
      lock.tryRead()?.release();
      other.downWrite();
      other.downgradeWrite();
      other.upRead();
    }
    for (const count of Object.values(lock.space.events())) assert.equal(count, 0);
  });
}
