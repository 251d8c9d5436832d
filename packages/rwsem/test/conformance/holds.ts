/** Holding: who is kept out, releasing once, and downgrading. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadGuard, WriteGuard } from 'rwsem';
import { assertFree, type MakeLock, READ_WAYS, seats, state, takersOf, turns, unchanged, watch, WAYS_IN, WRITE_WAYS } from '../helpers/agents.ts';

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
}
