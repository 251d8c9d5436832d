/** A lock that is one int32 word: as many of them as wanted, each in cache lines of its own. */
import type { AgentLock, LockModule } from './lock.ts';

const WORDS_APART = 32; // 128 bytes: neighbouring lines are fetched in pairs on x86 and Apple cores

/** `view` makes one thread's view of the lock at an index; a new lock is 0. */
export function wordLock(view: (words: Int32Array, at: number) => AgentLock): LockModule<SharedArrayBuffer> {
  return {
    create: ({ locks }) => ({ handle: new SharedArrayBuffer(locks * WORDS_APART * Int32Array.BYTES_PER_ELEMENT) }),
    attach(handle) {
      const words = new Int32Array(handle);
      return { locks: Array.from({ length: words.length / WORDS_APART }, (_, index) => view(words, index * WORDS_APART)) };
    },
  };
}

/** For locks that know no readers. */
export function exclusive(acquire: () => void, release: () => void): AgentLock {
  return { readLock: acquire, readUnlock: release, writeLock: acquire, writeUnlock: release };
}
