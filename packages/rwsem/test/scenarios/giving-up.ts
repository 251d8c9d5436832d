/** Time limits and signals: who gives up, and what that leaves untouched. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { LockSpace, RwSem, TimeoutError } from 'rwsem';
import { withAgents } from '../helpers/remote-agent.ts';

const LIMIT = { timeout: 60_000 };

for (const how of ['times out', 'is aborted'] as const) {
  test(`4. when a queued writer ${how}, the reader behind it is granted beside the reader inside`, LIMIT, async () => {
    const lock = RwSem.create();
    await withAgents(lock, 1, async (a) => {
      await a.do('read');
      const abort = new AbortController();
      const b = lock.writeAsync(how === 'times out' ? { timeoutMs: 50 } : { signal: abort.signal });
      const c = lock.readAsync();
      assert.deepEqual(lock.inspect().waiters.map(({ mode }) => mode), ['write', 'read']);
      if (how === 'is aborted') abort.abort();
      await assert.rejects(b);
      const guard = await c;
      assert.equal(lock.inspect().readers, 2);
      guard.release();
      await a.do('release');
      assert.equal(lock.inspect().mode, 'free');
    });
  });
}

test('4. cancelling a writer in the middle of the queue leaves the others in their places', LIMIT, async () => {
  const lock = RwSem.create();
  await withAgents(lock, 1, async (a) => {
    await a.do('read');
    const [first, middle] = [new AbortController(), new AbortController()];
    const b1 = lock.writeAsync({ signal: first.signal });
    const b2 = lock.writeAsync({ signal: middle.signal });
    let granted = false;
    const c = lock.readAsync().then((guard) => ((granted = true), guard));
    middle.abort();
    await assert.rejects(b2);
    await setImmediate();
    assert.equal(granted, false, 'the first writer is still in front');
    first.abort();
    await assert.rejects(b1);
    (await c).release();
    await a.do('release');
  });
});

for (const order of ['abort, release', 'release, abort'] as const) {
  test(`5. ${order} in one tick: the aborted waiter has one outcome, and the next gets the lock`, LIMIT, async () => {
    for (let round = 0; round < 200; round++) {
      const lock = RwSem.create();
      const held = lock.write();
      const abort = new AbortController();
      const outcomes: string[] = [];
      const b = lock.writeAsync({ signal: abort.signal }).then(
        (guard) => (outcomes.push('granted'), guard.release()),
        (error: Error) => void outcomes.push(error.name),
      );
      const c = lock.writeAsync();
      if (order === 'abort, release') abort.abort();
      held.release();
      if (order === 'release, abort') abort.abort();
      await b;
      (await c).release();
      assert.equal(outcomes.length, 1);
      if (order === 'abort, release') assert.deepEqual(outcomes, ['AbortError']);
      assert.equal(lock.inspect().mode, 'free');
    }
  });
}

test('5. a signal that aborts another acquisition while it gives up its listener does not settle its own twice', LIMIT, async () => {
  const space = LockSpace.create({ locks: 2, waiters: 1 });
  const lock = space.rwsem(0);
  const other = space.rwsem(1);
  const held = [lock.write(), other.write()];
  const abort = new AbortController();
  const aborted = other.writeAsync({ signal: abort.signal }).catch((error: Error) => error.name); // the only waiter record
  const signal = { aborted: false, addEventListener: () => {}, removeEventListener: () => abort.abort() } as unknown as AbortSignal;
  const inside = lock.readAsync({ signal });
  held[0]?.release();
  (await inside).release();
  assert.equal(await aborted, 'AbortError');
  held[1]?.release();
  assert.equal(lock.inspect().mode, 'free');
  lock.write({ timeoutMs: 1_000 }).release();
  space.detach();
});

test('6. ten callers with 75 ms each on a lock held for 500 ms all time out, and nothing is granted later', LIMIT, async () => {
  const lock = RwSem.create();
  const held = lock.write();
  const start = performance.now();
  const results = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => (i % 2 ? lock.readAsync({ timeoutMs: 75 }) : lock.writeAsync({ timeoutMs: 75 }))));
  assert.ok(performance.now() - start >= 74);
  assert.equal(results.filter((r) => r.status === 'rejected' && r.reason instanceof TimeoutError).length, 10);
  assert.deepEqual(lock.inspect().waiters, []);
  held.release();
  await delay(20);
  assert.deepEqual([lock.inspect().mode, lock.inspect().readers], ['free', 0]);
});

test('22. a time limit for waiting never ends a hold', LIMIT, async () => {
  const lock = RwSem.create();
  const guards = [lock.write({ timeoutMs: 10 }), await delay(40)] as const;
  assert.equal(lock.inspect().mode, 'write');
  guards[0].release();
  const later = await lock.writeAsync({ timeoutMs: 10 });
  await delay(40);
  assert.ok(later.held);
  assert.equal(lock.inspect().mode, 'write');
  later.release();
});
