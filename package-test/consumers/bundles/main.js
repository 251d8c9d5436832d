// Bundled for itself. Runs in a thread, starts the bundle of worker.js and shares a lock with it.
import { RwSem } from 'rwsem';

const WORKERS = 2;

const lock = RwSem.create();
/** What is counted, how many are ready to count, and a word in between that delays. */
const words = new Int32Array(new SharedArrayBuffer(3 * 4));

/**
 * A read and a write of plain memory, far apart, which lose counts unless the lock keeps others out. Awaits the
 * lock, while workers block on it: both do so before the counting begins.
 */
export async function countTogether(startWorker, rounds) {
  const first = await lock.writeAsync();
  const done = [];
  for (let i = 0; i < WORKERS; i++) done.push(startWorker({ lock: lock.handle, words, rounds, workers: WORKERS }));
  const blocked = () => lock.inspect().waiters.filter((waiter) => !waiter.async).length;
  while (blocked() < WORKERS) await new Promise((resolve) => setTimeout(resolve, 1));
  first.release();
  for (let i = 0; i < rounds; i++) {
    await lock.withWrite(() => {
      const before = words[0];
      for (let delay = 0; delay < 400; delay++) Atomics.load(words, 2);
      words[0] = before + 1;
    });
  }
  await Promise.all(done);
  return { count: words[0], expected: rounds * (WORKERS + 1), mode: lock.inspect().mode, mayBlock: mayBlock() };
}

function mayBlock() {
  try {
    lock.write().release();
    return true;
  } catch (error) {
    return error.code;
  }
}
