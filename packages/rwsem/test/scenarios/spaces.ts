/** Limits of the count, and the memory that locks are in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { InvalidHandleError, LockSpace, type LockSpaceHandle, RwSem, type ReadGuard, TooManyReadersError } from 'rwsem';
// White box: as many readers as can be, at once.
import * as layout from '../../dist/core/layout.js';
import { copyOfTheLibrary } from '../helpers/library-copy.ts';
import { withAgents } from '../helpers/remote-agent.ts';

const LIMIT = { timeout: 60_000 };

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
    const grower = new Worker(new URL('../workers/grow.js', import.meta.url), { workerData: memory });
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
