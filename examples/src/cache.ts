// A cache that worker threads share: look under the read lock, fill under the write lock.
// node examples/dist/cache.js

import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { RwSem, type RwSemHandle } from 'rwsem';

const SLOTS = 1024;
type Shared = { handle: RwSemHandle; entries: Int32Array<SharedArrayBuffer> };

if (isMainThread) {
  const entries = new Int32Array(new SharedArrayBuffer(SLOTS * 2 * 4)); // pairs of key and value
  const shared: Shared = { handle: RwSem.create().handle, entries };
  for (let i = 0; i < 4; i++) new Worker(new URL(import.meta.url), { workerData: shared });
} else {
  const { handle, entries } = workerData as Shared;
  const lock = RwSem.attach(handle);
  let misses = 0;
  let wrong = 0;

  const cachedSteps = (key: number): number => {
    const slot = (key % SLOTS) * 2;
    {
      using _reading = lock.read(); // released at the end of the block
      if (entries[slot] === key) return entries[slot + 1]!;
    }
    misses++;
    const steps = collatzSteps(key); // slow work belongs outside the lock
    using _writing = lock.write();
    entries.set([key, steps], slot);
    return steps;
  };
  for (let i = 0; i < 20_000; i++) {
    const key = 1 + Math.floor(Math.random() * 1200); // some keys share a slot
    if (cachedSteps(key) !== collatzSteps(key)) wrong++;
  }
  console.log(`20000 lookups, ${misses} misses, ${wrong} wrong`);
}

function collatzSteps(n: number): number {
  return n === 1 ? 0 : 1 + collatzSteps(n % 2 === 0 ? n / 2 : 3 * n + 1);
}
