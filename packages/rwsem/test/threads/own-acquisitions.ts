/** A thread that blocks while it awaits something itself: granted or refused, never stuck. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seen } from '../helpers/cast.ts';
import { assertIdle, LIMIT, queue, queueLength, type Setting } from '../helpers/setting.ts';

export function ownAcquisitions({ make, scene }: Setting): void {
  test('a blocking write is a deadlock when an async read of the thread was granted behind its back', LIMIT, async () => {
    const space = make();
    await scene(space, 1, async (player) => {
      const held = space.rwsem(0).write();
      await player.run((s) => {
        s.promises['read'] = s.lock.readAsync();
      });
      await queueLength(space, 1);
      const outcomes = player.run((s) => {
        // The event loop does not turn: the thread cannot have heard of it.
        s.spinUntil(() => s.lock.inspect().mode === 'read', 'the grant');
        const outcomes = [
          s.outcome(() => s.lock.write()),
          s.outcome(() => s.lock.downWrite()),
          s.outcome(() => s.lock.write({ timeoutMs: 1e6 })),
          String(s.lock.tryWrite()),
          String(s.lock.tryDownWrite()),
          s.outcome(() => s.lock.read().release()),
        ];
        return outcomes;
      });
      held.release();
      assert.deepEqual(await outcomes, ['ERR_RWSEM_DEADLOCK', 'ERR_RWSEM_DEADLOCK', 'ERR_RWSEM_DEADLOCK', 'null', 'false', 'granted']);
      await player.run(async (s) => (await s.promises['read']!).release());
      assertIdle(space);
    });
  });

  for (const urgent of [false, true]) {
    test(`blocking forms never hang on an own ${urgent ? 'urgent ' : ''}async write that was woken or granted unheard`, LIMIT, async () => {
      const space = make();
      for (const blocking of ['write', 'read'] as const) {
        await scene(space, 1, async (player) => {
          const held = space.rwsem(0).write();
          player.words[1] = space.agent;
          await player.run((s, urgent) => {
            s.promises['write'] = s.lock.writeAsync({ urgent });
          }, urgent);
          await queueLength(space, 1);
          const outcome = player.run((s, blocking) => {
            s.spinUntil(() => s.lock.inspect().owner?.agent !== s.words[1], 'the release');
            return s.outcome(() => s.lock[blocking]().release());
          }, blocking);
          held.release();
          assert.match(await outcome, /^(granted|ERR_RWSEM_DEADLOCK)$/);
          await player.run(async (s) => (await s.promises['write']!).release());
          assertIdle(space);
        });
      }
    });
  }

  test('a blocking read behind an own queued async read is granted with it, also with a writer between', LIMIT, async () => {
    const space = make();
    for (const between of [false, true]) {
      await scene(space, 2, async (player, writer) => {
        const held = space.rwsem(0).write();
        await player.run((s) => {
          s.promises['read'] = s.lock.readAsync();
        });
        await queueLength(space, 1);
        const written = between ? writer.run((s) => s.lock.write().release()) : undefined;
        await queueLength(space, between ? 2 : 1);
        const outcome = player.run((s) => s.outcome(() => s.lock.read().release()));
        let settled = false;
        void outcome.finally(() => (settled = true));
        await seen(() => settled || queue(space).length === (between ? 3 : 2), space, 'the blocking read waits or is refused');
        held.release();
        const got = await outcome;
        if (between) assert.match(got, /^(granted|ERR_RWSEM_DEADLOCK)$/);
        else assert.equal(got, 'granted');
        await player.run(async (s) => (await s.promises['read']!).release());
        await written;
        assertIdle(space);
      });
    }
  });

  test('reading again while the own async write is queued behind is a deadlock for the blocking form only', LIMIT, async () => {
    const space = make();
    await scene(space, 1, async (player) => {
      const result = await player.run(async (s) => {
        const guard = s.lock.read();
        const write = s.lock.writeAsync();
        const outcomes = [s.outcome(() => s.lock.read()), s.outcome(() => s.lock.downRead()), s.outcome(() => s.lock.write()), String(s.lock.tryRead())];
        const read = s.lock.readAsync();
        guard.release();
        (await write).release();
        (await read).release();
        return outcomes;
      });
      assert.deepEqual(result, ['ERR_RWSEM_DEADLOCK', 'ERR_RWSEM_DEADLOCK', 'ERR_RWSEM_DEADLOCK', 'null']);
      assertIdle(space);
    });
  });

  test('an async acquisition is served although its thread blocks on another lock meanwhile', LIMIT, async () => {
    const space = make({ locks: 2 });
    await scene(space, 1, async (player) => {
      const held = [space.rwsem(0).write(), space.rwsem(1).write()] as const;
      const done = player.run(async (s) => {
        const read = s.lock.readAsync();
        s.space.rwsem(1).write().release();
        (await read).release();
      });
      await seen(() => space.rwsem(1).inspect().waiters.length === 1, space, 'the thread blocks');
      held[0].release();
      held[1].release();
      await done;
      assertIdle(space);
    });
  });
}
