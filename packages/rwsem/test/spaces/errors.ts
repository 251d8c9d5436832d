/** The errors: which there are, what they say, and the one of too many readers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as rwsem from 'rwsem';
import { RwSem, RwSemError } from 'rwsem';
import { assertFree, code, copies, DEADLOCK, seats, state, TIMED_OUT, unchanged } from '../helpers/agents.ts';

const LIMIT = { timeout: 20_000 };

describe('errors', LIMIT, () => {
  const classes = Object.entries(rwsem).filter(([name]) => name.endsWith('Error') && name !== 'RwSemError');

  test('everything the documents name is exported, and nothing without a name', () => {
    const names = classes.map(([name]) => name).sort();
    assert.deepEqual(names, [
      'CannotBlockError',
      'DeadlockError',
      'DetachedError',
      'InvalidHandleError',
      'NoSharedMemoryError',
      'NotOwnerError',
      'SpaceFullError',
      'StillInUseError',
      'TimeoutError',
      'TooManyReadersError',
    ]);
    assert.deepEqual(Object.keys(rwsem).filter((name) => !name.endsWith('Error')).sort(), ['LockSpace', 'RwSem']);
  });

  test('errors extend RwSemError, have a code and a name, and say what to do', async () => {
    const lock = RwSem.create({ agents: 1 });
    const full = copies[0].RwSem;
    const thrown: unknown[] = [];
    const collect = (call: () => unknown): void => {
      try {
        call();
        assert.fail('no error');
      } catch (error) {
        thrown.push(error);
      }
    };
    collect(() => lock.upRead());
    collect(() => RwSem.attach(null as never));
    const held = lock.write();
    collect(() => lock.write());
    collect(() => lock.space.detach());
    await lock.writeAsync({ timeoutMs: 0 }).catch((error) => thrown.push(error));
    held.release();
    assert.throws(() => full.attach(lock.handle), code('SPACE_FULL'));
    lock.space.detach();
    collect(() => lock.tryRead());
    for (const error of thrown) {
      assert(error instanceof RwSemError && error instanceof Error);
      assert.match(error.code, /^ERR_RWSEM_[A-Z_]+$/);
      assert(classes.some(([name, type]) => name === error.constructor.name && error instanceof (type as typeof RwSemError)));
      assert.equal(error.name, error.constructor.name);
      assert(error.message.length > 20, error.message);
      assert.match(String(error.stack), /spaces.errors|acquisition|rwsem/);
    }
    const codes = thrown.map((error) => (error as RwSemError).code);
    assert.equal(new Set(codes).size, thrown.length);
    assert.deepEqual(codes.sort(), ['DEADLOCK', 'DETACHED', 'INVALID_HANDLE', 'NOT_OWNER', 'STILL_IN_USE', 'TIMEOUT'].map((code) => `ERR_RWSEM_${code}`));
    assert.equal(thrown.find((error) => error instanceof rwsem.TimeoutError) instanceof rwsem.TimeoutError, true);
  });

  test('errors are made anew each time', () => {
    const lock = RwSem.create();
    const errors = [0, 1].map(() => {
      try {
        return lock.upRead();
      } catch (error) {
        return error;
      }
    });
    assert.notEqual(errors[0], errors[1]);
  });

  test('one reader too many is refused everywhere, and changes nothing', async () => {
    const { lock, other } = seats(RwSem.create({ agents: 3, waiters: 4 }));
    const TOO_MANY = code('TOO_MANY_READERS');
    const most = 8_388_607;
    const theirs = other.read();
    for (let i = 1; i < most; i++) lock.downRead();
    const before = state(lock);
    assert.equal(before.readers, most);
    for (const agent of [lock, other]) {
      for (const form of ['read', 'tryRead', 'downRead', 'tryDownRead'] as const) {
        for (let i = 0; i < 3; i++) unchanged(lock, () => assert.throws(() => agent[form](), TOO_MANY, form));
      }
      unchanged(lock, () => assert.throws(() => agent.read({ timeoutMs: 0 }), TOO_MANY));
      await assert.rejects(agent.readAsync(), TOO_MANY);
      await assert.rejects(agent.withRead(() => assert.fail('never')), TOO_MANY);
      assert.equal(agent.tryWrite(), null);
      assert.throws(() => agent.write(), DEADLOCK);
      await assert.rejects(agent.writeAsync({ timeoutMs: 5 }), TIMED_OUT);
      assert.deepEqual(state(lock), before);
    }
    // Room for one again: it may come in, and no more.
    theirs.release();
    const last = other.read();
    assert.throws(() => lock.read(), TOO_MANY);
    last.release();
    for (let i = 1; i < most; i++) lock.upRead();
    assert.throws(() => lock.upRead(), code('NOT_OWNER'));
    assertFree(lock, other);
  });
});
