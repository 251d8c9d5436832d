/** Many acquisitions, many locks, and writers beside readers that never leave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Player, seen, type Stage } from '../helpers/cast.ts';
import { assertIdle, LIMIT, queue, queueLength, type Setting } from '../helpers/setting.ts';


/** A step: takes and releases the lock so many times, and tells how long the slowest took to get. */
const slowestAcquisitionMs = async (s: Stage, { form, times }: { form: 'write' | 'writeAsync'; times: number }): Promise<number> => {
  let slowestMs = 0;
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    (await s.lock[form]()).release();
    slowestMs = Math.max(slowestMs, performance.now() - start);
  }
  return slowestMs;
};

export function crowds({ make, scene, policy }: Setting): void {
  test('more async acquisitions of several threads than shared memory has room for are all served', LIMIT, async () => {
    for (const waiters of [1, 2, 3]) {
      const space = make({ waiters });
      await scene(space, 3, async (...cast) => {
        const held = space.rwsem(0).write();
        const counts = cast.map((player, p) =>
          player.run(async (s, p) => {
            let granted = 0;
            let failed = 0;
            await Promise.all(
              Array.from({ length: 40 }, async (_, i) => {
                const abort = new AbortController();
                const options = i % 5 === 4 ? { timeoutMs: 1 + (i % 7) } : i % 5 === 3 ? { signal: abort.signal } : {};
                if (i % 5 === 3) setTimeout(() => abort.abort(), i % 9);
                try {
                  const guard = await ((i + p) % 2 ? s.lock.readAsync(options) : s.lock.writeAsync(options));
                  granted++;
                  await null;
                  guard.release();
                } catch {
                  failed++;
                }
              }),
            );
            return { granted, failed };
          }, p),
        );
        await seen(() => queue(space).length === waiters, space, 'the records are taken');
        await seen(() => queue(space)[0]!.waitedMs > 15, space, 'most limits have passed');
        held.release();
        for (const { granted, failed } of await Promise.all(counts)) {
          assert.equal(granted + failed, 40);
          assert(granted >= 24, `${granted} granted`);
        }
        assertIdle(space);
      });
    }
  });

  test('a thread whose acquisitions all queue inside it is served when other threads give records back', LIMIT, async () => {
    const space = make({ waiters: 1, locks: 2 });
    await scene(space, 2, async (keeper, late) => {
      // The only record is used on lock 0, by another thread; what waits for it is on lock 1.
      const held = [space.rwsem(0).write(), space.rwsem(1).write()] as const;
      const kept = keeper.run(async (s) => (await s.lock.writeAsync()).release());
      await queueLength(space, 1);
      const served = late.run(async (s) => {
        const all = [s.space.rwsem(1).writeAsync(), s.space.rwsem(1).readAsync(), s.space.rwsem(0).readAsync()];
        s.words[0] = 1;
        for (const guard of all) (await guard).release();
      });
      await seen(() => Atomics.load(late.words, 0) === 1, space, 'the late ones are on their way');
      held[1].release();
      held[0].release();
      await Promise.all([kept, served]);
      assertIdle(space);
      const second = space.rwsem(1).inspect();
      assert.deepEqual([second.mode, second.waiters], ['free', []]);
    });
  });

  test('one thread awaits many locks that other threads release at once', LIMIT, async () => {
    const locks = 120;
    const space = make({ locks });
    await scene(space, 3, async (waiting, ...holders) => {
      const take = (s: Stage, [i, locks]: number[]): void => {
        for (let lock = i!; lock < locks!; lock += 2) s.space.rwsem(lock).downWrite();
      };
      const drop = (s: Stage, [i, locks]: number[]): void => {
        s.spinUntil(() => Atomics.load(s.words, 0) === 1, 'the start');
        for (let lock = i!; lock < locks!; lock += 2) s.space.rwsem(lock).upWrite();
      };
      await Promise.all(holders.map((holder, i) => holder.run(take, [i, locks])));
      const all = waiting.run(async (s, locks) => {
        const guards = Array.from({ length: locks }, (_, i) => (i % 3 ? s.space.rwsem(i).writeAsync() : s.space.rwsem(i).readAsync()));
        Atomics.store(s.words, 0, 1);
        for (const guard of guards) (await guard).release();
      }, locks);
      await Promise.all(holders.map((holder, i) => holder.run(drop, [i, locks])));
      await all;
      for (let i = 0; i < locks; i++) assert.equal(space.rwsem(i).inspect().mode, 'free');
    });
  });

  // Without a handoff nothing bounds how often a waiter is overtaken.
  for (const form of policy.handoffAfterMs === Infinity ? [] : (['write', 'writeAsync'] as const)) {
    test(`${form} gets in beside readers of which one is always inside`, LIMIT, async () => {
      const space = make();
      await scene(space, 3, async (...cast) => {
        const [writer, ...readers] = cast as [Player, Player, Player];
        // words: 0 stop, 1 acquisitions so far
        const loops = readers.map((reader) =>
          reader.run((s) => {
            while (Atomics.load(s.words, 0) === 0) {
              s.lock.downRead();
              const mine = Atomics.add(s.words, 1, 1) + 1;
              // Stays until the other has come after it; but if that queues, it cannot.
              const until = performance.now() + 20;
              while (Atomics.load(s.words, 1) === mine && performance.now() < until && Atomics.load(s.words, 0) === 0);
              s.lock.upRead();
            }
          }),
        );
        await seen(() => writer.words[1]! > 10, space, 'readers at work');
        const slowestMs = await writer.run(slowestAcquisitionMs, { form, times: 8 });
        Atomics.store(writer.words, 0, 1);
        await Promise.all(loops);
        assert(slowestMs < 5000, `${slowestMs} ms`);
        assertIdle(space);
      });
    });

    test(`${form} gets in beside readers that try, give up and try again`, LIMIT, async () => {
      const space = make();
      await scene(space, 4, async (...cast) => {
        const [writer, ...readers] = cast as [Player, Player, Player, Player];
        const loops = readers.map((reader, r) =>
          reader.run((s, r) => {
            while (Atomics.load(s.words, 0) === 0) {
              if (r === 0) s.lock.tryRead()?.release();
              else s.outcome(() => s.lock.read({ timeoutMs: r === 1 ? 0 : 0.05 }).release());
              if (r === 0 && s.lock.tryDownRead()) s.lock.upRead();
              Atomics.add(s.words, 1, 1);
            }
          }, r),
        );
        await seen(() => writer.words[1]! > 100, space, 'readers at work');
        const slowestMs = await writer.run(slowestAcquisitionMs, { form, times: 20 });
        Atomics.store(writer.words, 0, 1);
        await Promise.all(loops);
        assert(slowestMs < 5000, `${slowestMs} ms`);
        assertIdle(space);
      });
    });
  }
}
