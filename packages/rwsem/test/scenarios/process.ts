/** How a process ends, and what awaiting leaves behind in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { RwSem } from 'rwsem';
import { runModule, skipWithoutProcesses } from '../helpers/child.ts';
import { withAgents } from '../helpers/remote-agent.ts';

const LIMIT = { timeout: 60_000 };
const PROCESS_LIMIT = { ...LIMIT, ...skipWithoutProcesses };

test('1. a process that only awaits a lock held by an unref-ed worker gets it, then ends with code 0', PROCESS_LIMIT, async () => {
  const { code, output } = await runModule(`
    const sem = RwSem.create();
    const worker = new Worker(\`
      const { workerData, parentPort } = require('node:worker_threads');
      import(workerData.lib).then(({ RwSem }) => {
        const sem = RwSem.attach(workerData.handle);
        const guard = sem.write();
        parentPort.postMessage('held');
        setTimeout(() => guard.release(), 50);
        setTimeout(() => {}, 1e6);
      });\`, { eval: true, workerData: { lib, handle: sem.handle } });
    await new Promise((resolve) => worker.once('message', resolve));
    worker.unref();
    const guard = await sem.writeAsync();
    console.log('granted', guard.held);
    guard.release();`);
  assert.equal(output.trim(), 'granted true');
  assert.equal(code, 0);
});

test('2. a worker that only awaits a lock with a time limit gets the timeout error, not a silent exit', PROCESS_LIMIT, async () => {
  const { code, output } = await runModule(`
    const sem = RwSem.create();
    sem.write();
    new Worker(\`
      const { workerData } = require('node:worker_threads');
      import(workerData.lib).then(async ({ RwSem }) => {
        const sem = RwSem.attach(workerData.handle);
        const start = performance.now();
        await sem.readAsync({ timeoutMs: 200 }).catch((error) => console.log(error.name, performance.now() - start >= 199));
      });\`, { eval: true, workerData: { lib, handle: sem.handle } });`);
  assert.equal(output.trim(), 'TimeoutError true');
  assert.equal(code, 0);
});

test('3. a long time limit does not keep the process alive after the grant', PROCESS_LIMIT, async () => {
  const { code, elapsedMs } = await runModule(`
    const sem = RwSem.create();
    const held = sem.write();
    setTimeout(() => held.release(), 10);
    const guard = await sem.writeAsync({ timeoutMs: 60_000 });
    guard.release();`);
  assert.equal(code, 0);
  assert.ok(elapsedMs < 20_000, `ended after ${elapsedMs} ms`);
});

test('21. 200,000 aborted and timed-out acquisitions on a held lock leave no memory, timer or listener behind', PROCESS_LIMIT, async () => {
  const { code, output } = await runModule(
    `
    import { getEventListeners } from 'node:events';
    const sem = RwSem.create();
    const held = sem.write();
    const shared = new AbortController();
    const batch = async (n) => {
      for (let done = 0; done < n; done += 2500) {
        const abort = new AbortController();
        const all = [];
        for (let i = 0; i < 2500; i++) all.push((i % 2 ? sem.readAsync : sem.writeAsync).call(sem, i % 5 ? { signal: abort.signal } : { timeoutMs: 1, signal: shared.signal }));
        abort.abort();
        await Promise.allSettled(all);
      }
      gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
      gc();
      return process.memoryUsage().heapUsed;
    };
    const first = await batch(20_000);
    const last = await batch(200_000);
    console.log(JSON.stringify({
      growth: last - first,
      listeners: getEventListeners(shared.signal, 'abort').length,
      timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
      waiters: sem.inspect().waiters.length,
    }));
    held.release();`,
    ['--expose-gc', '--no-warnings'],
  );
  assert.equal(code, 0, output);
  const { growth, ...rest } = JSON.parse(output) as { growth: number };
  assert.deepEqual(rest, { listeners: 0, timers: 0, waiters: 0 });
  assert.ok(growth < 2_000_000, `the heap grew by ${growth} bytes`);
});

test('23. a thread that awaits a lock goes on with its timers', LIMIT, async () => {
  const lock = RwSem.create();
  await withAgents(lock, 1, async (a) => {
    await a.do('write');
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    const pending = lock.writeAsync();
    await delay(500);
    clearInterval(timer);
    assert.ok(ticks >= 10, `${ticks} ticks in 500 ms`);
    await a.do('release');
    (await pending).release();
  });
});
