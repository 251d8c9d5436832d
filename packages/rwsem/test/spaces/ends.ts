/** Threads that end while they use a lock. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { RwSem } from 'rwsem';
import { assertFree, copies, turns, until } from '../helpers/agents.ts';
import { skipWithoutProcesses } from '../helpers/child.ts';
import type { EndData } from '../workers/conformance-end.ts';

const LIMIT = { timeout: 20_000 };

describe('threads that end', { ...LIMIT, ...skipWithoutProcesses }, () => {
  function end(lock: RwSem, how: EndData['how']): { messages: unknown[]; exited: Promise<number> } {
    const workerData: EndData = { handle: lock.handle, how };
    const worker = new Worker(new URL('../workers/conformance-end.js', import.meta.url), { workerData });
    const messages: unknown[] = [];
    worker.on('message', (message) => messages.push(message));
    return { messages, exited: once(worker, 'exit').then(([status]) => status as number) };
  }

  test('a thread that ends by itself gives its agent record back', async () => {
    const lock = RwSem.create({ agents: 2 });
    for (let i = 0; i < 4; i++) assert.equal(await end(lock, 'used').exited, 0);
    const other = copies[0].RwSem.attach(lock.handle);
    assertFree(lock, other);
  });

  test('an acquisition keeps its thread alive until it is settled, and not longer', async () => {
    const lock = RwSem.create({ agents: 2 });
    const held = lock.write();
    const { messages, exited } = end(lock, 'awaits');
    await until(() => lock.inspect().waiters.length === 1, 'the waiter of the worker');
    await turns();
    held.release();
    assert.equal(await exited, 0);
    assert.deepEqual(messages, ['granted']);
    copies[0].RwSem.attach(lock.handle).space.detach();
    assertFree(lock);
  });

  test('what a thread holds at its end stays held', async () => {
    const lock = RwSem.create({ agents: 2 });
    assert.equal(await end(lock, 'holds').exited, 0);
    assert.equal(lock.inspect().readers, 1);
    assert.equal(lock.tryWrite(), null);
    lock.read().release();
  });
});
