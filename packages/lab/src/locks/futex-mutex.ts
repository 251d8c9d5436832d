/**
 * The textbook three-state futex mutex: 0 free, 1 held, 2 held and somebody may sleep.
 *
 * What most hand-written Atomics code amounts to. It knows no readers: they exclude one another.
 * Nothing keeps a running thread from overtaking a woken one for ever, so it is fast and unfair.
 */
import type { AgentLock, LockModule } from './lock.ts';

const FREE = 0;
const HELD = 1;
const CONTENDED = 2;

function lock(words: Int32Array): void {
  if (Atomics.compareExchange(words, 0, FREE, HELD) !== FREE) lockContended(words);
}

// A thread that comes out of the slow path cannot know whether others still sleep, so it always
// takes the lock as CONTENDED; the price is at most one notify too many.
function lockContended(words: Int32Array): void {
  while (Atomics.exchange(words, 0, CONTENDED) !== FREE) Atomics.wait(words, 0, CONTENDED);
}

function unlock(words: Int32Array): void {
  if (Atomics.exchange(words, 0, FREE) === CONTENDED) Atomics.notify(words, 0, 1);
}

export const { create, attach }: LockModule<SharedArrayBuffer> = {
  create: () => ({ handle: new SharedArrayBuffer(64) }),
  attach(handle): AgentLock {
    const words = new Int32Array(handle);
    const acquire = () => lock(words);
    const release = () => unlock(words);
    return { readLock: acquire, readUnlock: release, writeLock: acquire, writeUnlock: release };
  },
};
