/** A thread that ends by itself: idle, after an acquisition it awaits, or holding a lock. */
import { parentPort, workerData } from 'node:worker_threads';
import { RwSem, type RwSemHandle } from 'rwsem';

export interface EndData {
  handle: RwSemHandle;
  how: 'used' | 'awaits' | 'holds';
}

const { handle, how } = workerData as EndData;
const lock = RwSem.attach(handle);
if (how === 'used') {
  lock.read().release();
  (await lock.writeAsync()).release();
} else if (how === 'awaits') {
  // Nothing but the acquisition keeps this thread alive. No await: it would be a warning of its own.
  void lock.writeAsync().then((guard) => {
    guard.release();
    parentPort?.postMessage('granted');
  });
} else {
  lock.downRead();
}
