/** Real threads: blocking forms wait for another thread, and are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RwSem } from 'rwsem';
import { assertFree, type MakeLock, state, until } from '../helpers/agents.ts';
import { type RemoteAgent, withAgents } from '../helpers/remote-agent.ts';

export function threads(makeLock: MakeLock): void {
  test('blocking and async acquisitions of three threads wait for each other', async () => {
    const lock = makeLock();
    await withAgents(lock, 2, async (one, two) => {
      for (const form of ['write', 'writeAsync'] as const) {
        await one.do(form);
        const queued = [two.do('read'), lock.readAsync()] as const;
        await until(() => lock.inspect().waiters.length === 2, 'two waiters');
        const modes = lock.inspect().waiters.map(({ mode, async }) => `${mode} ${async ? 'async' : 'blocking'}`).sort();
        assert.deepEqual(modes, ['read async', 'read blocking']);
        await one.do('downgrade');
        await queued[0];
        const guard = await queued[1];
        assert.equal(lock.inspect().readers, 3);
        const writer = one.do('release').then(() => one.do('write'));
        await until(() => state(lock).waiters.length === 1, 'a queued writer');
        assert.equal(lock.tryRead(), null);
        guard.release();
        await two.do('release');
        await writer;
        assert.equal(lock.inspect().mode, 'write');
        await one.do('release');
      }
      await assert.rejects(lock.writeAsync({ timeoutMs: 0 }).then((guard) => two.do('write', { timeoutMs: 20 }).finally(() => guard.release())), {
        code: 'ERR_RWSEM_TIMEOUT',
      });
      assertFree(lock);
      await blocksThisThread(lock, one);
      await one.do('detach');
      await two.do('detach');
    });
    assertFree(lock);
  });
}

/** This thread blocks until the other gives the lock back, and the other way round. */
async function blocksThisThread(lock: RwSem, remote: RemoteAgent): Promise<void> {
  for (const form of ['write', 'read'] as const) {
    await remote.do('write');
    // The message is on its way while this thread blocks.
    const released = remote.do('release');
    const guard = lock[form]({ timeoutMs: 30_000 });
    assert.equal(guard.held, true);
    guard.release();
    await released;
  }
  const guard = lock.write();
  const queued = remote.do('write');
  await until(() => lock.inspect().waiters.length === 1, 'a queued writer');
  assert.equal(lock.inspect().waiters[0]?.async, false);
  assert.notEqual(lock.inspect().waiters[0]?.agent, lock.space.agent);
  guard.release();
  await queued;
  assert.equal(lock.tryRead(), null);
  await remote.do('release');
  assertFree(lock);
}
