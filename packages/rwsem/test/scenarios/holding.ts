/** Releasing, deadlocks of a thread with itself, and threads that may not block. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { DeadlockError, RwSem } from 'rwsem';
// White box: a thread suspended between two steps.
import * as layout from '../../dist/core/layout.js';
import { control, withThreads } from '../helpers/phases.ts';
import { until, withAgents } from '../helpers/remote-agent.ts';

const LIMIT = { timeout: 60_000 };

test('7. a body that throws or rejects, or options that throw, leave the lock free and pass the error on', LIMIT, async () => {
  const lock = RwSem.create();
  const boom = new Error('boom');
  const isBoom = (error: unknown): boolean => error === boom;
  const throwing = {
    get signal(): AbortSignal {
      throw boom;
    },
  };
  const failing: Array<() => Promise<unknown>> = [
    () => lock.withWrite(() => { throw boom; }),
    () => lock.withWrite(() => Promise.reject(boom)),
    () => lock.withRead(() => { throw boom; }),
    () => lock.withWrite(() => {}, throwing),
    () => lock.readAsync(throwing),
  ];
  for (const fail of failing) {
    const held = lock.write();
    held.release();
    await assert.rejects(fail, isBoom);
    assert.equal(lock.inspect().mode, 'free');
    await lock.withWrite(() => {}); // the next is granted
  }
  // The same with somebody waiting.
  const held = lock.write();
  const first = lock.withWrite(() => { throw boom; });
  const second = lock.withWrite(() => 'next');
  held.release();
  await assert.rejects(first, isBoom);
  assert.equal(await second, 'next');
});

test('8. releasing twice, or disposing of a downgraded guard, does not touch the lock that another took', LIMIT, async () => {
  const lock = RwSem.create();
  await withAgents(lock, 1, async (b) => {
    const a = lock.write();
    a.release();
    await b.do('write');
    a.release();
    a[Symbol.dispose]();
    assert.equal(lock.inspect().mode, 'write');
    await b.do('release');
    const w = lock.write();
    const r = w.downgrade();
    await b.do('read');
    w.release();
    w[Symbol.dispose]();
    assert.equal(lock.inspect().readers, 2);
    r.release();
    r.release();
    assert.equal(lock.inspect().readers, 1);
    await b.do('release');
  });
});

test('9. a blocking write while an async task of the thread holds the lock is a DeadlockError at once', LIMIT, async () => {
  const lock = RwSem.create();
  const guard = await lock.writeAsync();
  assert.throws(() => lock.write(), DeadlockError);
  assert.throws(() => lock.read(), DeadlockError);
  assert.throws(() => lock.downWrite(), DeadlockError);
  guard.release();
  lock.write().release();
});

test('10. reading again behind a queued writer is a DeadlockError, not a hang', LIMIT, async () => {
  const lock = RwSem.create();
  await withAgents(lock, 1, async (b) => {
    const a = lock.read();
    lock.read().release(); // nobody queued: granted
    const writing = b.do('write');
    await until(() => lock.inspect().waiters.length === 1, lock);
    assert.throws(() => lock.read(), DeadlockError);
    assert.throws(() => lock.downRead(), DeadlockError);
    assert.equal(lock.tryRead(), null);
    assert.equal(lock.inspect().readers, 1);
    a.release();
    assert.equal(await writing, true);
    await b.do('release');
  });
});

test('10. read() that steals the lock takes the async reads of its own thread along, and they learn of it', { timeout: 10_000 }, async () => {
  const lock = RwSem.create();
  const { buffer } = lock.space.handle;
  const mem = new Int32Array(buffer);
  const count = (mem[layout.LOCKS_AT] as number) + layout.COUNT;
  // Another thread takes the lock for writing, and is suspended after the first step of its release.
  Atomics.add(mem, count, layout.WRITER);
  const pending = lock.readAsync();
  Atomics.sub(mem, count, layout.WRITER);

  lock.read().release();
  (await pending).release();
  assert.equal(Atomics.load(mem, count), 0);
});

for (const asyncReads of [1, 255, 256, 257]) {
  test(`10. a blocking read of a thread that awaits ${asyncReads} reads is granted before or with them`, LIMIT, async () => {
    // Granted in a later pass than they, it would wait for the thread that it blocks.
    const lock = RwSem.create();
    await withAgents(lock, 1, async (a) => {
      await a.do('write');
      const pending = Array.from({ length: asyncReads }, () => lock.readAsync());
      const released = a.do('release');
      lock.read({ timeoutMs: 20_000 }).release();
      await released;
      for (const guard of await Promise.all(pending)) guard.release();
      assert.equal(lock.inspect().mode, 'free');
    });
  });
}

test('11. a thread that may not block is refused blocking forms always, and never parks in the others', LIMIT, async () => {
  const lock = RwSem.create();
  const words = control();
  const worker = new Worker(new URL('../workers/cannot-block.js', import.meta.url), { workerData: { handle: lock.handle, rounds: 100 } });
  try {
    const next = <T>(): Promise<T> => new Promise((resolve, reject) => (worker.once('message', resolve), worker.once('error', reject)));
    assert.deepEqual(await next<string[]>(), [], 'alone');
    await withThreads({ lock, control: words, role: 'churn', threads: 2, rounds: 0 }, async () => {
      worker.postMessage('they churn');
      assert.deepEqual(await next<string[]>(), [], 'while others churn');
    });
  } finally {
    await worker.terminate();
  }
});
