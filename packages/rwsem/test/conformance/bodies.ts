/** `withRead` and `withWrite`: what becomes of the lock and of the body's outcome. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFree, type MakeLock, seats, turns } from '../helpers/agents.ts';

export function bodies(makeLock: MakeLock): void {
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
}
