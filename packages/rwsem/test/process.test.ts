/** What the lock leaves behind in its process: whether it lives or ends, what it keeps in memory, what it says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runModule } from './helpers/child.ts';

const LIMIT = { timeout: 60_000 };

for (const waiters of [1024, 1]) {
  test(`every async form keeps the process alive until it is settled, and no longer; ${waiters} waiter records`, LIMIT, async () => {
    // Each is pending while nothing else keeps the process alive: only then does the unref-ed timer fire.
    const { code, output, elapsedMs } = await runModule(`
      const sem = RwSem.create({ waiters: ${waiters} });
      const forms = {
        readAsync: (options) => sem.readAsync(options),
        writeAsync: (options) => sem.writeAsync(options),
        'for ever': (options) => sem.writeAsync({ ...options, timeoutMs: Infinity }),
        withRead: (options) => sem.withRead(() => {}, options),
        withWrite: (options) => sem.withWrite(() => {}, options),
        'the second of two': (options) => {
          const first = new AbortController();
          sem.writeAsync({ signal: first.signal }).catch(() => {});
          const second = sem.writeAsync(options);
          first.abort();
          return second;
        },
      };
      const held = sem.write();
      for (const [form, acquire] of Object.entries(forms)) {
        const abort = new AbortController();
        setTimeout(() => (console.log(form), abort.abort()), 40).unref();
        await acquire({ signal: abort.signal }).then(() => console.log('granted'), (error) => console.log(error.name));
      }`);
    const forms = ['readAsync', 'writeAsync', 'for ever', 'withRead', 'withWrite', 'the second of two'];
    assert.equal(output, forms.map((form) => `${form}\nAbortError\n`).join(''));
    assert.equal(code, 0);
    assert(elapsedMs < 20_000);
  });
}

test('a signal that aborts while it takes on its listener, and then throws, ends no other acquisition', LIMIT, async () => {
  const { code, output } = await runModule(`
    const sem = RwSem.create();
    const held = sem.write();
    const pending = sem.readAsync();
    const signal = {
      aborted: false,
      reason: new Error('aborted'),
      addEventListener(_, listener) {
        listener.handleEvent();
        throw new Error('thrown');
      },
      removeEventListener() {},
    };
    await sem.writeAsync({ signal }).catch((error) => console.log(error.message));
    setTimeout(() => held.release(), 40).unref();
    (await pending).release();
    console.log(sem.inspect().mode);`);
  assert.equal(output, 'aborted\nfree\n');
  assert.equal(code, 0);
});

test('an acquisition that stays pending keeps a worker alive until its grant, and then no longer', LIMIT, async () => {
  const { code, output } = await runModule(`
    const sem = RwSem.create();
    const held = sem.write();
    const worker = new Worker(\`
      const { workerData } = require('node:worker_threads');
      import(workerData.lib).then(async ({ RwSem }) => {
        const sem = RwSem.attach(workerData.handle);
        const both = [sem.readAsync(), sem.readAsync({ timeoutMs: 1e7 })];
        for (const guard of both) { (await guard).release(); console.log('granted'); }
      });\`, { eval: true, workerData: { lib, handle: sem.handle } });
    worker.on('exit', (code) => console.log('exit', code, sem.inspect().mode));
    const look = setInterval(() => {
      if (sem.inspect().waiters.length < 2) return;
      clearInterval(look);
      setTimeout(() => held.release(), 100);
    }, 5);`);
  assert.equal(output, 'granted\ngranted\nexit 0 free\n');
  assert.equal(code, 0);
});

test('a settled acquisition of any kind leaves no handle, request or listener', LIMIT, async () => {
  const { code, output } = await runModule(`
    import { getEventListeners } from 'node:events';
    const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]).join();
    // What the runtime closes by and by is none of ours.
    const state = () => [...process.getActiveResourcesInfo().filter((name) => !/Close/.test(name)), ...Object.getOwnPropertyNames(globalThis)].sort().join();
    console.log('begin'); // opens the output
    const before = state();
    const sem = RwSem.create();
    console.log(state() === before);
    const counted = listeners();
    const { signal } = new AbortController();
    for (const timeoutMs of [undefined, 1e6, Infinity]) {
      const held = sem.write();
      const pending = [sem.readAsync({ timeoutMs, signal }), sem.writeAsync({ timeoutMs, signal }), sem.withWrite(() => {}, { timeoutMs, signal })];
      const late = [sem.readAsync({ timeoutMs: 3 }), sem.writeAsync({ timeoutMs: 3 })];
      await Promise.allSettled(late);
      held.release();
      (await pending[0]).release();
      (await pending[1]).release();
      await pending[2];
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
    console.log(state() === before, getEventListeners(signal, 'abort').length, listeners() === counted);`);
  assert.equal(output, 'begin\ntrue\ntrue 0 true\n');
  assert.equal(code, 0);
});

test('many spaces in one thread cause no warnings, and no listeners in number', LIMIT, async () => {
  const { code, output } = await runModule(`
    process.on('warning', (warning) => console.log(String(warning)));
    const count = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
    const one = RwSem.create();
    const before = count();
    const all = [];
    for (let i = 0; i < 200; i++) {
      const sem = RwSem.create();
      const held = sem.write();
      const pending = sem.readAsync();
      held.release();
      (await pending).release();
      all.push(sem);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    console.log(count() - before, all.length);`);
  assert.equal(output, '0 200\n');
  assert.equal(code, 0);
});

test('locks that nobody refers to any more are collected, however they were used', LIMIT, async () => {
  const { code, output } = await runModule(
    `
    const uses = {
      'only created': () => {},
      'used by blocking forms': (sem) => sem.write().downgrade().release(),
      awaited: async (sem) => {
        const held = sem.write();
        const pending = sem.readAsync({ timeoutMs: 1e6 });
        held.release();
        (await pending).release();
      },
      'attached again through a clone': (sem) => RwSem.attach(structuredClone(sem.handle)).write().release(),
    };
    for (const [what, use] of Object.entries(uses)) {
      const refs = [];
      for (let i = 0; i < 100; i++) {
        const sem = RwSem.create({ agents: 2, waiters: 16 });
        await use(sem);
        refs.push(new WeakRef(sem));
      }
      const alive = () => refs.filter((ref) => ref.deref()).length;
      for (let i = 0; i < 100 && alive() > 5; i++) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        gc();
      }
      if (alive() > 5) console.log(what + ': ' + alive() + ' of 100 are still there');
    }`,
    ['--expose-gc'],
  );
  assert.equal(output, '');
  assert.equal(code, 0);
});

test('threads that end after a timeout leave nothing in the queue', LIMIT, async () => {
  const { code, output } = await runModule(`
    const sem = RwSem.create({ agents: 4 });
    const held = sem.write();
    const source = \`
      const { workerData } = require('node:worker_threads');
      import(workerData.lib).then(async ({ RwSem }) => {
        const sem = RwSem.attach(workerData.handle);
        await sem.writeAsync({ timeoutMs: 30 }).catch((error) => console.log(error.name));
      });\`;
    for (let i = 0; i < 6; i++) {
      await new Promise((resolve) => new Worker(source, { eval: true, workerData: { lib, handle: sem.handle } }).once('exit', resolve));
    }
    console.log(JSON.stringify(sem.inspect().waiters));
    held.release();
    await sem.withWrite(() => console.log('granted'));`);
  assert.equal(output, 'TimeoutError\n'.repeat(6) + '[]\ngranted\n');
  assert.equal(code, 0);
});
