/** Who gets in when: overtaking bounded, readers together, downgrades, last readers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RwSem } from 'rwsem';
import { control, DONE, INSIDE, RELEASE, ROUND, withThreads } from '../helpers/phases.ts';
import { until, withAgents } from '../helpers/remote-agent.ts';

const LIMIT = { timeout: 60_000 };

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
