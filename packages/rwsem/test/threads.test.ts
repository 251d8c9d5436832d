/** Blocking and async waiters of several threads in one queue, and what each policy lets them do. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { LockSpace, type Policy, type RwSemState } from 'rwsem';
import { dismiss, type Player, scene as play, seen, type Stage } from './helpers/cast.ts';

const LIMIT = { timeout: 60_000 };

const POLICIES: Record<string, Partial<Policy>> = {
  'the default policy': {},
  'handoff at once': { handoffAfterMs: 0 },
  'no handoff': { handoffAfterMs: Infinity },
  'grants in every wake': { writerWake: 'grant' },
  'no spinning': { spin: 'off' },
  'spinning without an owner': { spin: 'any-owner' },
  'no reader steals': { readerSteal: false },
};

const queue = (space: LockSpace): RwSemState['waiters'] => space.rwsem(0).inspect().waiters;
const queueLength = (space: LockSpace, length: number): Promise<void> =>
  seen(() => queue(space).length === length, space, `${length} waiters`);

function assertIdle(space: LockSpace): void {
  const lock = space.rwsem(0);
  const { mode, readers, handoff, waiters } = lock.inspect();
  assert.deepEqual({ mode, readers, handoff, waiters }, { mode: 'free', readers: 0, handoff: false, waiters: [] });
  const guard = lock.tryWrite();
  assert(guard);
  guard.release();
}

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

after(dismiss);

for (const [name, policy] of Object.entries(POLICIES)) threads(`threads under ${name}`, policy, false);
threads('threads without Atomics.waitAsync', {}, true);

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

function threads(name: string, policy: Partial<Policy>, withoutWaitAsync: boolean): void {
  const make = (more: { waiters?: number; locks?: number } = {}): LockSpace => LockSpace.create({ ...more, agents: 8, policy });
  const scene = (space: LockSpace, players: number, acts: (...players: Player[]) => Promise<void>): Promise<void> =>
    play(space, players, acts, withoutWaitAsync);

  describe(name, () => {
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
          s.kept['read'] = (s.kept['write'] as import('rwsem').WriteGuard).downgrade();
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
        const take = (s: import('./helpers/cast.ts').Stage, [i, locks]: number[]): void => {
          for (let lock = i!; lock < locks!; lock += 2) s.space.rwsem(lock).downWrite();
        };
        const drop = (s: import('./helpers/cast.ts').Stage, [i, locks]: number[]): void => {
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
  });
}
