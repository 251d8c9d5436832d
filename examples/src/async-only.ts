// One event loop, no threads: requests read the settings, a reload changes them in two steps, and
// nobody waits longer than they want to.
// node examples/dist/async-only.js

import { setTimeout as sleep } from 'node:timers/promises';
import { RwSem, TimeoutError } from 'rwsem';

const lock = RwSem.create();
const settings = { host: 'one.example', port: 1111 };

// Without the lock a request could see the new host with the old port.
const request = () =>
  lock.withRead(async () => {
    const { host } = settings;
    await sleep(5);
    return `${host}:${settings.port}`;
  });
const early = [request(), request()];
await lock.withWrite(async () => {
  settings.host = 'two.example';
  await sleep(5);
  settings.port = 2222;
});
console.log('requests saw', ...(await Promise.all([...early, request()])));

// Now somebody holds the lock for long. A timeout or an abort ends the waiting, never the holding.
const holder = await lock.writeAsync();

try {
  await lock.withRead(() => console.log('never printed'), { timeoutMs: 50 });
} catch (error) {
  if (!(error instanceof TimeoutError)) throw error;
  console.log('timed out:', error.code);
}

const controller = new AbortController();
const waiting = lock.withWrite(() => console.log('never printed'), { signal: controller.signal });
controller.abort(new Error('the client went away'));
await waiting.catch((reason: Error) => console.log('aborted:', reason.message));

holder.release();
console.log('afterwards the lock is', lock.inspect().mode);
