/** Blocking and async waiters of several threads in one queue, and what each policy lets them do. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { LockSpace } from 'rwsem';
import { dismiss, scene as play, seen } from './helpers/cast.ts';
import { POLICIES } from './helpers/policies.ts';
import { assertIdle, LIMIT, queue, queueLength, type Setting, settingOf } from './helpers/setting.ts';
import { crowds } from './threads/crowds.ts';
import { ownAcquisitions } from './threads/own-acquisitions.ts';
import { queueing } from './threads/queueing.ts';

after(dismiss);

function threads(name: string, setting: Setting): void {
  describe(name, () => {
    queueing(setting);
    ownAcquisitions(setting);
    crowds(setting);
  });
}

for (const [name, policy] of Object.entries(POLICIES)) threads(`threads under ${name}`, settingOf(policy));
threads('threads without Atomics.waitAsync', settingOf({}, true));

test('a blocking read is never stranded when its own queued async read is granted in an earlier batch', LIMIT, async () => {
  const crowd = 300; // more than one pass over the queue grants
  const space = LockSpace.create({ agents: 8 });
  await play(space, 2, async (player, others) => {
    const held = space.rwsem(0).write();
    await player.run((s) => {
      s.promises['read'] = s.lock.readAsync();
    });
    const served = others.run(async (s, crowd) => {
      const all: Promise<{ release(): void }>[] = [s.lock.writeAsync(), ...Array.from({ length: crowd }, () => s.lock.readAsync())];
      await Promise.all(all.map(async (one) => (await one).release()));
    }, crowd);
    await queueLength(space, crowd + 2);
    let settled = false;
    const outcome = player.run((s) => s.outcome(() => s.lock.read().release())).finally(() => (settled = true));
    await seen(() => settled || queue(space).length === crowd + 3, space, 'the blocking read waits or is refused');
    held.release();
    // It would wait behind the writer, who waits for the async read that its thread cannot release now.
    assert.match(await outcome, /^(granted|ERR_RWSEM_DEADLOCK)$/);
    await player.run(async (s) => (await s.promises['read']!).release());
    await served;
    assertIdle(space);
  });
});

test('a blocking read that is refused never hides the release that its own async write waits for', LIMIT, async () => {
  const rounds = 400;
  const space = LockSpace.create({ agents: 8 });
  await play(space, 2, async (reader, player) => {
    // words, each a round: 0 the reader is in, 1 it may leave, 2 the write has been
    const reading = reader.run((s, rounds) => {
      for (let round = 1; round <= rounds; round++) {
        s.lock.downRead();
        Atomics.store(s.words, 0, round);
        while (Atomics.load(s.words, 1) < round);
        s.lock.upRead();
        s.spinUntil(() => Atomics.load(s.words, 2) === round, 'the write of this round');
      }
    }, rounds);
    const writing = player.run(async (s, rounds) => {
      for (let round = 1; round <= rounds; round++) {
        s.spinUntil(() => Atomics.load(s.words, 0) === round, 'the reader');
        const write = s.lock.writeAsync();
        Atomics.store(s.words, 1, round);
        // Refused again and again while the reader leaves: it may see an arrival that is about to be taken back.
        for (let i = 0; i < 4 + (round % 8); i++) s.outcome(() => s.lock.read().release());
        (await write).release();
        Atomics.store(s.words, 2, round);
      }
    }, rounds);
    await Promise.all([reading, writing]);
    assertIdle(space);
  });
});
