/** Holding: who is kept out, releasing once, downgrading, and releases without a hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadGuard, RwSem, WriteGuard } from 'rwsem';
import {
  assertFree,
  type MakeLock,
  NOT_OWNER,
  READ_WAYS,
  seats,
  state,
  turns,
  unchanged,
  watch,
  WAYS_IN,
  WRITE_WAYS,
} from './conformance-agents.ts';

function takersOf(...agents: RwSem[]): Array<() => ReadGuard | WriteGuard> {
  return agents.flatMap((agent) => [() => agent.read(), () => agent.write()]);
}

export function holds(makeLock: MakeLock): void {
  for (const [way, take] of Object.entries(READ_WAYS)) {
    test(`${way} lets readers in and keeps writers out, until released`, async () => {
      const { lock, other } = seats(makeLock());
      const held = await take(lock);
      assert.equal(lock.inspect().mode, 'read');
      assert.equal(other.inspect().readers, 1);
      assert.equal(other.tryWrite(), null);
      assert.equal(other.tryDownWrite(), false);
      const second = other.tryRead();
      assert.equal(lock.inspect().readers, 2);
      await held.release();
      assert.equal(lock.inspect().readers, 1);
      assert.equal(lock.tryWrite(), null);
      second?.release();
      assertFree(lock, other);
    });
  }

  for (const [way, take] of Object.entries(WRITE_WAYS)) {
    test(`${way} keeps everybody out, until released`, async () => {
      const { lock, other } = seats(makeLock());
      const held = await take(lock);
      for (const agent of [lock, other]) {
        unchanged(lock, () => {
          assert.equal(agent.tryRead(), null);
          assert.equal(agent.tryWrite(), null);
          assert.equal(agent.tryDownRead(), false);
          assert.equal(agent.tryDownWrite(), false);
        });
      }
      assert.equal(other.inspect().mode, 'write');
      assert.equal(other.inspect().owner?.agent, lock.space.agent);
      await held.release();
      assertFree(lock, other);
    });

    test(`${way} downgraded lets readers in and keeps writers out`, async () => {
      const { lock, other } = seats(makeLock());
      const held = await take(lock);
      const read = held.downgrade();
      assert.equal(lock.inspect().mode, 'read');
      assert.equal(lock.inspect().readers, 1);
      assert.equal(other.tryWrite(), null);
      const second = other.tryRead();
      assert(second);
      await read.release();
      assert.equal(lock.tryWrite(), null);
      second.release();
      assertFree(lock, other);
    });
  }

  test('a guard says what it is and whether it holds', async () => {
    const { lock } = seats(makeLock());
    for (const read of [lock.read(), lock.tryRead(), await lock.readAsync()]) {
      assert(read);
      assert.equal(read.mode, 'read');
      assert.equal(read.held, true);
      read.release();
      assert.equal(read.held, false);
    }
    const write = lock.write();
    assert.equal(write.mode, 'write');
    assert.equal(write.held, true);
    const read = write.downgrade();
    assert.equal(write.held, false);
    assert.equal(read.mode, 'read');
    assert.equal(read.held, true);
    read.release();
    assertFree(lock);
  });

  test('using releases at the end of the block', () => {
    const { lock, other } = seats(makeLock());
    {
      using guard = lock.write();
      assert.equal(guard.held, true);
      assert.equal(other.tryRead(), null);
    }
    {
      using guard = lock.read();
      assert.equal(guard.held, true);
      assert.equal(other.tryWrite(), null);
    }
    {
      using guard = lock.write();
      using read = guard.downgrade();
      assert.equal(read.held, true);
      assert.equal(lock.inspect().readers, 1);
    }
    assertFree(lock, other);
  });

  for (const [mode, ways] of Object.entries(WAYS_IN)) {
    for (const [way, take] of Object.entries(ways).filter(([way]) => !/down|with/i.test(way) || /downgrade\(/.test(way))) {
      test(`a second release of a guard of ${way} never touches what was taken in between`, async () => {
        const { lock, other } = seats(makeLock());
        const guard = (await take(lock)) as ReadGuard | WriteGuard;
        assert.equal(guard.mode, mode);
        guard.release();
        for (const retake of takersOf(lock, other)) {
          const theirs = retake();
          unchanged(lock, () => {
            guard.release();
            guard[Symbol.dispose]();
          });
          await theirs.release();
        }
        assertFree(lock, other);
      });
    }
  }

  test('release and dispose after downgrade() touch nothing', () => {
    const { lock, other } = seats(makeLock());
    const write = lock.write();
    const read = write.downgrade();
    unchanged(lock, () => {
      write.release();
      write[Symbol.dispose]();
    });
    assert.equal(read.held, true);
    assert.equal(other.tryWrite(), null);
    read.release();
    for (const retake of takersOf(lock, other)) {
      const theirs = retake();
      unchanged(lock, () => {
        write.release();
        write[Symbol.dispose]();
        read.release();
        read[Symbol.dispose]();
      });
      theirs.release();
    }
    assertFree(lock, other);
  });

  test('downgrading grants the readers at the front of the queue; writers wait on', async () => {
    const { lock, other, third } = seats(makeLock());
    const write = lock.write();
    const readers = [other.readAsync(), third.readAsync(), lock.readAsync()];
    const writer = watch(other.writeAsync());
    const value = Int32Array.of(41);
    value[0] = 42;
    const read = write.downgrade();
    for (const reader of readers) {
      const guard = await reader;
      assert.equal(value[0], 42);
      guard.release();
    }
    await turns();
    assert.equal(writer.outcome(), 'pending');
    assert.equal(state(lock).waiters.length, 1);
    read.release();
    (await writer.promise).release();
    assertFree(lock, other, third);
  });

  test('downgrading does not let a queued writer in between', async () => {
    const { lock, other } = seats(makeLock());
    const write = lock.write();
    const writer = watch(other.writeAsync());
    const read = write.downgrade();
    await turns();
    assert.equal(writer.outcome(), 'pending');
    assert.equal(lock.inspect().mode, 'read');
    assert.equal(read.held, true);
    read.release();
    (await writer.promise).release();
    assertFree(lock, other);
  });

  test('withRead and withWrite give what the body gives', async () => {
    const { lock } = seats(makeLock());
    assert.equal(await lock.withRead((guard) => guard.mode), 'read');
    assert.equal(await lock.withWrite(async (guard) => guard.mode), 'write');
    assert.equal(await lock.withWrite(() => undefined), undefined);
    assertFree(lock);
  });

  for (const form of ['withRead', 'withWrite'] as const) {
    test(`${form}: a body that throws or rejects releases the lock, and its error is passed on`, async () => {
      const { lock, other } = seats(makeLock());
      const boom = new Error('boom');
      await assert.rejects(
        lock[form](() => {
          throw boom;
        }),
        (error) => error === boom,
      );
      assertFree(lock, other);
      await assert.rejects(
        lock[form](async () => {
          await turns();
          throw boom;
        }),
        (error) => error === boom,
      );
      assertFree(lock, other);
      await assert.rejects(
        lock[form](() => Promise.reject(undefined)),
        (error) => error === undefined,
      );
      assertFree(lock, other);
    });

    test(`${form}: a body that releases early does not release what others took since`, async () => {
      const { lock, other } = seats(makeLock());
      let theirs: { release(): void } | undefined;
      await lock[form]((guard) => {
        guard.release();
        theirs = other.write();
      });
      assert.equal(lock.inspect().mode, 'write');
      assert.equal(lock.inspect().owner?.agent, other.space.agent);
      theirs?.release();
      assertFree(lock, other);
    });

    test(`${form}: without a function there is a TypeError, and the lock is not taken`, async () => {
      const { lock } = seats(makeLock());
      for (const body of [undefined, null, 5, {}]) {
        await assert.rejects(lock[form](body as never), TypeError);
      }
      assertFree(lock);
    });
  }

  test('withWrite releases what is held at the end, also after a downgrade', async () => {
    const { lock, other } = seats(makeLock());
    await lock.withWrite(async (guard) => {
      guard.downgrade();
      await turns();
      assert.equal(other.tryWrite(), null);
      const second = other.tryRead();
      assert(second);
      second.release();
    });
    assertFree(lock, other);
    await lock.withWrite((guard) => guard.downgrade().release());
    assertFree(lock, other);
    await assert.rejects(
      lock.withWrite((guard) => {
        guard.downgrade();
        throw new Error('boom');
      }),
      /boom/,
    );
    assertFree(lock, other);
  });

  test('a raw release or downgrade without its raw hold is refused and changes nothing', async () => {
    const { lock, other } = seats(makeLock());
    const raw = ['upRead', 'upWrite', 'downgradeWrite'] as const;
    const refused = (...forms: Array<(typeof raw)[number]>): void => {
      for (const form of forms) unchanged(lock, () => assert.throws(() => lock[form](), NOT_OWNER, form));
    };
    refused(...raw);

    for (const take of takersOf(lock, other)) {
      const guard = take();
      refused(...raw);
      guard.release();
    }
    const guards = [await lock.readAsync(), lock.read()];
    refused(...raw);
    for (const guard of guards) guard.release();

    other.downRead();
    refused(...raw);
    lock.downRead();
    refused('upWrite', 'downgradeWrite');
    lock.upRead();
    refused(...raw);
    other.upRead();

    other.downWrite();
    refused(...raw);
    other.upWrite();
    lock.downWrite();
    refused('upRead');
    lock.downgradeWrite();
    refused('upWrite', 'downgradeWrite');
    lock.upRead();
    refused(...raw);
    assertFree(lock, other);
  });

  test('raw read holds and read guards are counted apart', () => {
    const { lock, other } = seats(makeLock());
    lock.downRead();
    lock.downRead();
    const guard = lock.read();
    lock.upRead();
    lock.upRead();
    unchanged(lock, () => assert.throws(() => lock.upRead(), NOT_OWNER));
    assert.equal(guard.held, true);
    assert.equal(other.tryWrite(), null);
    guard.release();
    assertFree(lock, other);
  });

  test('a guard does not release a raw hold, nor downgrade it', () => {
    const { lock } = seats(makeLock());
    const write = lock.write();
    write.release();
    lock.downWrite();
    unchanged(lock, () => {
      write.release();
      assert.throws(() => write.downgrade(), NOT_OWNER);
    });
    lock.upWrite();
    const read = lock.read();
    read.release();
    lock.downRead();
    unchanged(lock, () => read.release());
    lock.upRead();
    assertFree(lock);
  });

  test('downgrade() of a guard that no longer holds is refused and changes nothing', () => {
    const { lock, other } = seats(makeLock());
    const released = lock.write();
    released.release();
    const downgraded = lock.write();
    downgraded.downgrade().release();
    const alive = lock.write();
    const read = alive.downgrade();
    for (const guard of [released, downgraded, alive]) {
      unchanged(lock, () => assert.throws(() => guard.downgrade(), NOT_OWNER));
    }
    read.release();
    for (const retake of takersOf(lock, other)) {
      const theirs = retake();
      for (const guard of [released, downgraded, alive]) {
        unchanged(lock, () => assert.throws(() => guard.downgrade(), NOT_OWNER));
      }
      theirs.release();
    }
    assertFree(lock, other);
  });

  test('methods of guards and locks work only on guards and locks', () => {
    const { lock } = seats(makeLock());
    const guard = lock.write();
    unchanged(lock, () => {
      assert.throws(() => guard.release.call({} as never), TypeError);
      assert.throws(() => guard.downgrade.call({ mode: 'write', held: true } as never), TypeError);
      assert.throws(() => lock.upWrite.call({} as never), TypeError);
    });
    guard.release();
    assertFree(lock);
  });
}
