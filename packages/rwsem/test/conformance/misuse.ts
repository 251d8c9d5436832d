/** Releases and downgrades without the hold that they are for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFree, type MakeLock, NOT_OWNER, seats, takersOf, unchanged } from '../helpers/agents.ts';

export function misuse(makeLock: MakeLock): void {
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
