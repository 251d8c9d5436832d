/** One queue for blocking and async waiters of several threads: its order, its limits, what is seen of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteGuard } from 'rwsem';
import { seen } from '../helpers/cast.ts';
import { assertIdle, LIMIT, queue, queueLength, type Setting } from '../helpers/setting.ts';

export function queueing({ make, scene }: Setting): void {
  test('blocking and async writers stand in one queue, listed in order and served in it', LIMIT, async () => {
    const space = make();
    await scene(space, 4, async (...cast) => {
      const held = space.rwsem(0).write();
      const served: Promise<number>[] = [];
      for (const [i, player] of cast.entries()) {
        served.push(
          i % 2 === 0
            ? player.run((s) => {
                s.lock.downWrite();
                const turn = s.words[0]!++;
                s.lock.upWrite();
                return turn;
              })
            : player.run(async (s) => {
                const guard = await s.lock.writeAsync();
                const turn = s.words[0]!++;
                guard.release();
                return turn;
              }),
        );
        await queueLength(space, i + 1);
      }
      assert.deepEqual(
        queue(space).map(({ agent, mode, async }) => ({ agent, mode, async })),
        cast.map(({ agent }, i) => ({ agent, mode: 'write', async: i % 2 === 1 })),
      );
      held.release();
      assert.deepEqual(await Promise.all(served), [0, 1, 2, 3]);
      assertIdle(space);
    });
  });

  test('blocking readers of several threads are inside together after a writer', LIMIT, async () => {
    const space = make();
    await scene(space, 3, async (...cast) => {
      const held = space.rwsem(0).write();
      const readers = cast.map((player, i) =>
        player.run(async (s, isAsync) => {
          const guard = isAsync ? await s.lock.readAsync() : s.lock.read();
          Atomics.add(s.words, 0, 1);
          s.spinUntil(() => Atomics.load(s.words, 0) === 3, 'all three inside');
          guard.release();
        }, i === 1),
      );
      await queueLength(space, 3);
      held.release();
      await Promise.all(readers);
      assertIdle(space);
    });
  });

  for (const [mode, holder] of [['write', 'read'], ['write', 'write'], ['read', 'write']] as const) {
    test(`a blocking ${mode} beside a ${holder} of another thread times out in time and leaves the queue`, LIMIT, async () => {
      const space = make();
      await scene(space, 1, async (player) => {
        const held = space.rwsem(0)[holder]();
        const { outcome, elapsedMs } = await player.run((s, form) => {
          const start = performance.now();
          const outcome = s.outcome(() => s.lock[form]({ timeoutMs: 60 }));
          return { outcome, elapsedMs: performance.now() - start };
        }, mode);
        assert.equal(outcome, 'ERR_RWSEM_TIMEOUT');
        assert(elapsedMs >= 58 && elapsedMs < 5000, `${elapsedMs} ms`);
        assert.deepEqual(queue(space), []);
        assert.equal(space.rwsem(0).inspect().mode, holder);
        held.release();
        assertIdle(space);
      });
    });
  }

  test('waiting with the longest of time limits goes on until the grant', LIMIT, async () => {
    const space = make();
    await scene(space, 2, async (blocking, awaiting) => {
      for (const timeoutMs of [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 5, 2 ** 53, Number.MAX_VALUE, Infinity]) {
        const held = space.rwsem(0).write();
        const first = blocking.run((s, timeoutMs) => s.outcome(() => s.lock.write({ timeoutMs }).release()), timeoutMs);
        await queueLength(space, 1);
        const second = awaiting.run((s, timeoutMs) => s.lock.readAsync({ timeoutMs }).then((guard) => guard.release()), timeoutMs);
        await queueLength(space, 2);
        await seen(() => queue(space)[1]!.waitedMs >= 15, space, 'both waited a while');
        assert.equal(queue(space).length, 2);
        held.release();
        assert.equal(await first, 'granted');
        await second;
        assertIdle(space);
      }
    });
  });

  test('a downgrade lets in the blocked readers of other threads at once, and no writer', LIMIT, async () => {
    const space = make();
    await scene(space, 3, async (holder, reader, writer) => {
      await holder.run((s) => {
        s.kept['write'] = s.lock.write();
      });
      const read = reader.run((s) => {
        s.lock.downRead();
      });
      await queueLength(space, 1);
      const written = writer.run((s) => {
        s.lock.downWrite();
        s.words[0] = 1;
        s.lock.upWrite();
      });
      await queueLength(space, 2);
      await holder.run((s) => {
        s.kept['read'] = (s.kept['write'] as WriteGuard).downgrade();
      });
      await read;
      assert.equal(space.rwsem(0).inspect().readers, 2);
      assert.deepEqual(queue(space).map(({ mode }) => mode), ['write']);
      await reader.run((s) => s.lock.upRead());
      assert.equal(space.rwsem(0).inspect().mode, 'read');
      await holder.run((s) => s.kept['read']!.release());
      await written;
      assertIdle(space);
    });
  });

  test('inspect tells sense from any thread while others churn', LIMIT, async () => {
    const space = make();
    await scene(space, 3, async (...cast) => {
      const churn = cast.map((player, p) =>
        player.run(async (s, p) => {
          for (let i = p; Atomics.load(s.words, 0) === 0; i++) {
            if (i % 4 === 0) s.lock.write().downgrade().release();
            else if (i % 4 === 1) {
              const outcome = s.outcome(() => s.lock.write({ timeoutMs: 0.2 }).release());
              if (outcome !== 'granted' && outcome !== 'ERR_RWSEM_TIMEOUT') throw new Error(outcome);
            }
            else if (i % 4 === 2) await s.lock.withRead(() => {}, { timeoutMs: 5 }).catch(() => {});
            else s.lock.read().release();
          }
        }, p),
      );
      const lock = space.rwsem(0);
      const until = performance.now() + 250;
      while (performance.now() < until) {
        const { mode, readers, owner, handoff, waiters } = lock.inspect();
        assert(['free', 'read', 'write'].includes(mode));
        assert(Number.isInteger(readers) && readers >= 0 && readers <= 16, `${readers} readers`);
        if (mode === 'free') assert.equal(readers, 0);
        assert.equal(typeof handoff, 'boolean');
        if (owner) assert(Number.isInteger(owner.agent) && typeof owner.async === 'boolean');
        for (const waiter of waiters) {
          assert(['read', 'write'].includes(waiter.mode));
          assert(waiter.waitedMs >= 0 && waiter.waitedMs < 20_000, `waited ${waiter.waitedMs} ms`);
        }
        const blocking = waiters.filter(({ async }) => !async).map(({ agent }) => agent);
        assert.equal(new Set(blocking).size, blocking.length, 'a blocked thread stands in the queue once');
      }
      Atomics.store(cast[0]!.words, 0, 1);
      await Promise.all(churn);
      assertIdle(space);
    });
  });
}
