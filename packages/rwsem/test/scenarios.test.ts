/** What users of locks run into, and the right outcome of each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  DeadlockError,
  InvalidHandleError,
  LockSpace,
  type LockSpaceHandle,
  RwSem,
  type ReadGuard,
  TimeoutError,
  TooManyReadersError,
} from 'rwsem';
// White box: a thread suspended between two steps.
import * as layout from '../dist/core/layout.js';
import { runModule, skipWithoutProcesses } from './helpers/child.ts';
import { copyOfTheLibrary } from './helpers/library-copy.ts';
import { until, withAgents } from './helpers/remote-agent.ts';
import { control, DONE, INSIDE, RELEASE, ROUND, withThreads } from './helpers/phases.ts';

const LIMIT = { timeout: 60_000 };
const PROCESS_LIMIT = { ...LIMIT, ...skipWithoutProcesses };

function notifyAll(words: Int32Array, word: number, value: number): void {
  Atomics.store(words, word, value);
  Atomics.notify(words, word);
}

/** Blocks this thread, which is allowed here, to keep rounds short. */
function blockUntil(words: Int32Array, word: number, value: number): void {
  for (;;) {
    const now = Atomics.load(words, word);
    if (now >= value) return;
    assert.notEqual(Atomics.wait(words, word, now, 10_000), 'timed-out', `word ${word} stays at ${now}, not ${value}`);
  }
}

test('1. a process that only awaits a lock held by an unref-ed worker gets it, then ends with code 0', PROCESS_LIMIT, async () => {
  const { code, output } = await runModule(`
    const sem = RwSem.create();
    const worker = new Worker(\`
      const { workerData, parentPort } = require('node:worker_threads');
      import(workerData.lib).then(({ RwSem }) => {
        const sem = RwSem.attach(workerData.handle);
        const guard = sem.write();
        parentPort.postMessage('held');
        setTimeout(() => guard.release(), 50);
        setTimeout(() => {}, 1e6);
      });\`, { eval: true, workerData: { lib, handle: sem.handle } });
    await new Promise((resolve) => worker.once('message', resolve));
    worker.unref();
    const guard = await sem.writeAsync();
    console.log('granted', guard.held);
    guard.release();`);
  assert.equal(output.trim(), 'granted true');
  assert.equal(code, 0);
});

test('2. a worker that only awaits a lock with a time limit gets the timeout error, not a silent exit', PROCESS_LIMIT, async () => {
  const { code, output } = await runModule(`
    const sem = RwSem.create();
    sem.write();
    new Worker(\`
      const { workerData } = require('node:worker_threads');
      import(workerData.lib).then(async ({ RwSem }) => {
        const sem = RwSem.attach(workerData.handle);
        const start = performance.now();
        await sem.readAsync({ timeoutMs: 200 }).catch((error) => console.log(error.name, performance.now() - start >= 199));
      });\`, { eval: true, workerData: { lib, handle: sem.handle } });`);
  assert.equal(output.trim(), 'TimeoutError true');
  assert.equal(code, 0);
});

test('3. a long time limit does not keep the process alive after the grant', PROCESS_LIMIT, async () => {
  const { code, elapsedMs } = await runModule(`
    const sem = RwSem.create();
    const held = sem.write();
    setTimeout(() => held.release(), 10);
    const guard = await sem.writeAsync({ timeoutMs: 60_000 });
    guard.release();`);
  assert.equal(code, 0);
  assert.ok(elapsedMs < 20_000, `ended after ${elapsedMs} ms`);
});

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
  const worker = new Worker(new URL('./workers/cannot-block.js', import.meta.url), { workerData: { handle: lock.handle, rounds: 100 } });
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

for (const [many, one] of [
  ['loop read', 'write'],
  ['loop write', 'read'],
  ['loop write', 'write'],
] as const) {
  test(`12. one thread that wants to ${one} gets in every time beside eight that ${many}`, LIMIT, async () => {
    const lock = RwSem.create();
    await withThreads({ lock, control: control(), role: many, threads: 8, rounds: 0 }, async () => {
      for (let i = 0; i < 50; i++) lock[one]({ timeoutMs: 10_000 }).release();
      for (let i = 0; i < 20; i++) (await lock[`${one}Async`]({ timeoutMs: 10_000 })).release();
    });
  });
}

test('13. all five readers that queue behind a writer are inside together, ten thousand times', { timeout: 120_000 }, async () => {
  const [threads, rounds] = [5, 10_000];
  const lock = RwSem.create();
  const words = control();
  await withThreads({ lock, control: words, role: 'meet inside', threads, rounds }, async () => {
    for (let round = 1; round <= rounds; round++) {
      lock.downWrite();
      notifyAll(words, ROUND, round);
      // Every tenth round all are queued for certain; in the others they arrive as they happen to.
      if (round % 10 === 0) while (lock.inspect().waiters.length < threads);
      lock.upWrite();
      blockUntil(words, DONE, round * threads);
    }
  });
  assert.deepEqual([lock.inspect().mode, lock.inspect().waiters], ['free', []]);
});

test('13. a thousand readers that queue behind a writer are inside together', LIMIT, async () => {
  const lock = RwSem.create({ waiters: 1000 });
  const held = lock.write();
  const pending = Array.from({ length: 1000 }, () => lock.readAsync());
  held.release();
  const guards = await Promise.all(pending); // none of them leaves before all are in
  assert.equal(lock.inspect().readers, 1000);
  for (const guard of guards) guard.release();
  assert.equal(lock.inspect().mode, 'free');
});

test('14. at a downgrade the readers at the front join and the writer waits', LIMIT, async () => {
  const lock = RwSem.create();
  const value = control();
  await withAgents(lock, 3, async (w, r1, r2) => {
    await w.do('write');
    value[0] = 42;
    const readers = [r1.do('read'), lock.readAsync()] as const;
    await until(() => lock.inspect().waiters.length === 2, lock);
    let written = false;
    const w2 = lock.writeAsync().then((guard) => {
      written = true;
      value[0] = 43;
      guard.release();
    });
    const r3 = r2.do('read');
    await until(() => lock.inspect().waiters.length === 4, lock);
    await w.do('downgrade');
    const [, guard] = await Promise.all(readers);
    assert.deepEqual([written, value[0]], [false, 42]);
    assert.ok(lock.inspect().readers >= 3);
    guard.release();
    await Promise.all([w.do('release'), r1.do('release')]);
    await r3;
    await r2.do('release');
    await w2;
    assert.equal(value[0], 43);
  });
});

test('15. when all readers release at one instant the queued writer is granted, every time', LIMIT, async () => {
  const [threads, rounds] = [4, 2000];
  const lock = RwSem.create();
  const words = control();
  await withThreads({ lock, control: words, role: 'release together', threads, rounds }, async () => {
    for (let round = 1; round <= rounds; round++) {
      notifyAll(words, ROUND, round);
      blockUntil(words, INSIDE, round * threads);
      if (round % 2 === 0) {
        notifyAll(words, RELEASE, round);
        lock.write({ timeoutMs: 10_000 }).release();
      } else {
        const pending = lock.writeAsync({ timeoutMs: 10_000 });
        notifyAll(words, RELEASE, round);
        (await pending).release();
      }
      blockUntil(words, DONE, round * threads);
    }
  });
});

test('16. failed tries beside downgrades and writes leave no count behind', LIMIT, async () => {
  const lock = RwSem.create();
  await withThreads({ lock, control: control(), role: 'loop write', threads: 2, rounds: 0 }, async () => {
    let got = 0;
    for (let i = 0; i < 200_000; i++) {
      const r = lock.tryRead();
      if (r) got++;
      r?.release();
      lock.tryWrite()?.downgrade().release();
    }
    assert.ok(got >= 0);
    lock.write({ timeoutMs: 10_000 }).release();
  });
  await until(() => lock.inspect().mode === 'free', lock);
  assert.equal(lock.inspect().readers, 0);
  assert.ok(lock.tryWrite(), 'a free lock can be had by trying');
});

test('17. at the maximum of readers one more is a TooManyReadersError and the state is unchanged', LIMIT, async () => {
  const lock = RwSem.create();
  const maximum = 8_388_607;
  for (let i = 0; i < maximum; i++) lock.downRead();
  const before = lock.inspect();
  assert.equal(before.readers, maximum);
  assert.throws(() => lock.downRead(), TooManyReadersError);
  assert.throws(() => lock.read(), TooManyReadersError);
  assert.throws(() => lock.read({ timeoutMs: 10 }), TooManyReadersError);
  assert.throws(() => lock.tryRead(), TooManyReadersError);
  await assert.rejects(lock.readAsync(), TooManyReadersError);
  assert.deepEqual(lock.inspect(), before);
  for (let i = 0; i < maximum; i++) lock.upRead();
  assert.equal(lock.inspect().mode, 'free');
  lock.write().release();
});

test('17. an async reader that queues inside its thread is told of the maximum as well', LIMIT, async () => {
  const space = LockSpace.create({ locks: 2, waiters: 1 });
  const lock = space.rwsem(0);
  const other = space.rwsem(1);
  const held = other.write();
  const pending = other.writeAsync(); // takes the only waiter record
  const mem = new Int32Array(space.handle.buffer, space.handle.byteOffset);
  const count = (mem[layout.LOCKS_AT] as number) + layout.COUNT;
  const full = layout.MAX_READERS * layout.READER;
  // White box: a writer that leaves, and as many readers as can be.
  Atomics.store(mem, count, layout.WRITER);
  const reader = lock.readAsync({ timeoutMs: 5_000 }).catch((error: unknown) => error);
  const queued = lock.inspect().waiters.length;
  Atomics.store(mem, count, full);
  const outcome = await reader;
  const after = Atomics.exchange(mem, count, 0);
  held.release(); // a test that fails must not leave an acquisition pending
  assert.equal(queued, 0, 'it queued inside');
  assert(outcome instanceof TooManyReadersError, String(outcome));
  assert.equal(after, full);
  (await pending).release();
  (await lock.readAsync()).release();
  space.detach();
});

test('18. a buffer that is not ours is an InvalidHandleError, and nothing is written to it', LIMIT, () => {
  const bytes = LockSpace.byteLength();
  const random = new SharedArrayBuffer(bytes);
  const view = new Uint8Array(random);
  for (let i = 0; i < bytes; i++) view[i] = (i * 2654435761) >>> 13;
  const space = LockSpace.create();
  const real = new Uint8Array(space.handle.buffer);
  const short = new SharedArrayBuffer(bytes - 64);
  new Uint8Array(short).set(real.subarray(0, bytes - 64));
  const bad = [
    { buffer: new SharedArrayBuffer(bytes), byteOffset: 0 },
    { buffer: random, byteOffset: 0 },
    { buffer: short, byteOffset: 0 },
    { buffer: new SharedArrayBuffer(8), byteOffset: 0 },
    { buffer: space.handle.buffer, byteOffset: 4 },
    { buffer: space.handle.buffer, byteOffset: 64 },
    { buffer: new ArrayBuffer(bytes), byteOffset: 0 },
    { byteOffset: 0 },
    null,
  ];
  for (const handle of bad) {
    const buffer = handle && 'buffer' in handle ? handle.buffer : undefined;
    const before = buffer && new Uint8Array(buffer).slice();
    assert.throws(() => LockSpace.attach(handle as never), InvalidHandleError);
    assert.throws(() => RwSem.attach(handle as never), InvalidHandleError);
    if (before) assert.ok(new Uint8Array(buffer).every((byte, i) => byte === before[i]), 'unchanged');
  }
});

test('19. a lock in a WebAssembly.Memory works on through old and new views after the memory has grown', LIMIT, async () => {
  const memory = new WebAssembly.Memory({ initial: 8, maximum: 64, shared: true });
  const handle = (): LockSpaceHandle => ({ buffer: memory.buffer as unknown as SharedArrayBuffer, byteOffset: 64 * 10 });
  const space = LockSpace.format(memory.buffer, 64 * 10, { locks: 2, agents: 8, waiters: 16 });
  const lock = space.rwsem(1);
  await withAgents(lock, 1, async (a) => {
    await a.do('write');
    const grower = new Worker(new URL('./workers/grow.js', import.meta.url), { workerData: memory });
    await new Promise((resolve) => grower.once('message', resolve));
    await grower.terminate();
    assert.equal(memory.buffer.byteLength, 16 * 65536);
    const again = LockSpace.attach(handle());
    assert.equal(again, space);
    const pending = again.rwsem(1).writeAsync();
    await a.do('release');
    (await pending).release();
    await withAgents(RwSem.attach({ ...handle(), index: 1 }), 1, async (b) => {
      await b.do('read');
      assert.equal(lock.inspect().readers, 1);
      await b.do('release');
    });
  });
});

test('20. two copies of the library over one buffer exclude each other', LIMIT, async () => {
  const copy = await copyOfTheLibrary(1);
  const ours = RwSem.create();
  const theirs = copy.RwSem.attach(ours.handle);
  assert.notEqual(theirs.space.agent, ours.space.agent);
  const guard = ours.write();
  assert.equal(theirs.tryRead(), null);
  const pending = theirs.writeAsync();
  assert.equal(ours.inspect().waiters[0]?.agent, theirs.space.agent);
  guard.release();
  const other = await pending;
  assert.equal(ours.tryRead(), null);
  const readers: Promise<ReadGuard>[] = [ours.readAsync(), theirs.readAsync()];
  other.release();
  for (const reader of await Promise.all(readers)) reader.release();
  assert.equal(theirs.inspect().mode, 'free');
  theirs.space.detach();
});

test('21. 200,000 aborted and timed-out acquisitions on a held lock leave no memory, timer or listener behind', PROCESS_LIMIT, async () => {
  const { code, output } = await runModule(
    `
    import { getEventListeners } from 'node:events';
    const sem = RwSem.create();
    const held = sem.write();
    const shared = new AbortController();
    const batch = async (n) => {
      for (let done = 0; done < n; done += 2500) {
        const abort = new AbortController();
        const all = [];
        for (let i = 0; i < 2500; i++) all.push((i % 2 ? sem.readAsync : sem.writeAsync).call(sem, i % 5 ? { signal: abort.signal } : { timeoutMs: 1, signal: shared.signal }));
        abort.abort();
        await Promise.allSettled(all);
      }
      gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
      gc();
      return process.memoryUsage().heapUsed;
    };
    const first = await batch(20_000);
    const last = await batch(200_000);
    console.log(JSON.stringify({
      growth: last - first,
      listeners: getEventListeners(shared.signal, 'abort').length,
      timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
      waiters: sem.inspect().waiters.length,
    }));
    held.release();`,
    ['--expose-gc', '--no-warnings'],
  );
  assert.equal(code, 0, output);
  const { growth, ...rest } = JSON.parse(output) as { growth: number };
  assert.deepEqual(rest, { listeners: 0, timers: 0, waiters: 0 });
  assert.ok(growth < 2_000_000, `the heap grew by ${growth} bytes`);
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

test('23. a thread that awaits a lock goes on with its timers', LIMIT, async () => {
  const lock = RwSem.create();
  await withAgents(lock, 1, async (a) => {
    await a.do('write');
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    const pending = lock.writeAsync();
    await delay(500);
    clearInterval(timer);
    assert.ok(ticks >= 10, `${ticks} ticks in 500 ms`);
    await a.do('release');
    (await pending).release();
  });
});

test('24. a space of 100,000 locks takes about 32 bytes each, and they do not disturb each other', LIMIT, async () => {
  const locks = 100_000;
  assert.ok((LockSpace.byteLength({ locks }) - LockSpace.byteLength()) / locks < 33);
  const start = performance.now();
  const space = LockSpace.create({ locks });
  assert.ok(performance.now() - start < 1000);
  const guards = Array.from({ length: 1000 }, (_, i) => space.rwsem(i * 100).write());
  assert.ok(space.rwsem(1).tryWrite());
  assert.equal(space.rwsem(99_900).tryRead(), null);
  assert.ok(space.rwsem(99_999).tryRead());
  await withAgents(space.rwsem(50_001), 1, async (a) => {
    await a.do('write');
    assert.equal(space.rwsem(50_000).inspect().owner?.agent, space.agent);
    assert.notEqual(space.rwsem(50_001).inspect().owner?.agent, space.agent);
    await a.do('release');
  });
  for (const guard of guards) guard.release();
});
