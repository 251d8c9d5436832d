/** Plain accesses where an atomic one is needed, and touches of words that are not the thread's any more. */

import type { Mutation } from './mutation.ts';

export const RELAXED_MUTATIONS: readonly Mutation[] = [
  {
    id: 'grant-read-plainly',
    title: 'a sleeper reads its grant word with a plain read',
    source: 'rwsem bug 3, 99143f82a255',
    bugs: [3],
    edits: [
      { file: 'park.ts', find: `import { relaxedStore } from './memory.ts';`, replace: `import { relaxedLoad, relaxedStore } from './memory.ts';` },
      { file: 'park.ts', find: '  while (Atomics.load(mem, waiter + GRANT) === WAITING) {\n', replace: '  while (relaxedLoad(mem, waiter + GRANT) === WAITING) {\n' },
    ],
    expect: { property: 'DATA', program: 'read | write', mode: 'delayed' },
  },
  {
    id: 'rlock-fast-read-plainly',
    title: 'a reader goes in beside an empty queue after a plain read of the count',
    source: 'rwsem bug 4, e1b98fa31664',
    bugs: [4],
    edits: [
      {
        file: 'read.ts',
        find: '    if (!isWriteLocked(Atomics.load(mem, lock + COUNT))) {\n',
        replace: '    if (!isWriteLocked(relaxedLoad(mem, lock + COUNT))) {\n',
      },
    ],
    expect: { property: 'DATA', program: 'read | write', mode: 'delayed' },
  },
  {
    id: 'grant-stored-plainly',
    title: 'a waker stores the grant word with a plain store',
    source: 'ours (I7)',
    bugs: [3],
    edits: [
      {
        file: 'wake.ts',
        find: `  const before = Atomics.exchange(mem, waiter + GRANT, word);
`,
        replace: `  const before = relaxedLoad(mem, waiter + GRANT);
  relaxedStore(mem, waiter + GRANT, word);
`,
      },
    ],
    expect: { property: 'DATA', program: 'read | write', mode: 'delayed' },
  },
  {
    id: 'wait-lock-dropped-plainly',
    title: 'the wait lock is dropped by a plain store; on the way out of a cancelled waiter nothing else is atomic',
    source: 'ours (I4)',
    bugs: [],
    edits: [
      { file: 'wait-lock.ts', find: `import { relaxedLoad } from './memory.ts';`, replace: `import { relaxedLoad, relaxedStore } from './memory.ts';` },
      {
        file: 'wait-lock.ts',
        find: '  const word = Atomics.exchange(mem, lock + WAIT_LOCK, 0);\n',
        replace: `  const word = relaxedLoad(mem, lock + WAIT_LOCK);
  relaxedStore(mem, lock + WAIT_LOCK, 0);
`,
      },
      { file: 'cancel.ts', find: `import { relaxedLoad } from './memory.ts';`, replace: `import { relaxedLoad, relaxedStore } from './memory.ts';` },
      { file: 'cancel.ts', find: '  Atomics.store(mem, waiter + GRANT, IDLE);\n', replace: '  relaxedStore(mem, waiter + GRANT, IDLE);\n' },
    ],
    expect: { property: 'INVARIANT', program: 'write | write | timedWrite', mode: 'delayed' },
  },
  {
    id: 'write-release-plain',
    title: 'a writer leaves by a plain read and a plain store',
    source: 'rwbase fast path, sibling of bug 4, 81121524f1c7',
    bugs: [4],
    edits: [
      { file: 'fast-path.ts', find: `import { relaxedLoad } from './memory.ts';`, replace: `import { relaxedLoad, relaxedStore } from './memory.ts';` },
      {
        file: 'fast-path.ts',
        find: '  return (Atomics.sub(mem, lock, WRITER) & (WAITERS | WAKING)) === WAITERS;\n',
        replace: `  const before = relaxedLoad(mem, lock);
  relaxedStore(mem, lock, (before - WRITER) | 0);
  return (before & (WAITERS | WAKING)) === WAITERS;
`,
      },
    ],
    expect: { property: 'NEGATIVE', program: 'read | write', mode: 'split' },
  },
  {
    id: 'read-arrival-plain',
    title: 'a reader arrives by a plain read and a plain store',
    source: 'ours (I1)',
    bugs: [],
    edits: [
      { file: 'fast-path.ts', find: `import { relaxedLoad } from './memory.ts';`, replace: `import { relaxedLoad, relaxedStore } from './memory.ts';` },
      {
        file: 'fast-path.ts',
        find: '  return (Atomics.add(mem, lock, READER) + READER) | 0;\n',
        replace: `  const count = (relaxedLoad(mem, lock) + READER) | 0;
  relaxedStore(mem, lock, count);
  return count;
`,
      },
    ],
    expect: { property: 'MUTEX', program: 'timedRead | write', mode: 'split' },
  },
  {
    id: 'write-arrival-in-two-steps',
    title: 'a writer looks for the idle word and takes it in two steps',
    source: 'ours (I1)',
    bugs: [],
    edits: [
      {
        file: 'fast-path.ts',
        find: '  const count = Atomics.compareExchange(mem, lock, 0, WRITER);\n  if (count === 0) recordWriter(mem, lock, tag);\n',
        replace: `  const count = Atomics.load(mem, lock);
  if (count === 0) {
    Atomics.store(mem, lock, WRITER);
    recordWriter(mem, lock, tag);
  }
`,
      },
    ],
    expect: { property: 'MUTEX', program: 'read | timedWrite' },
  },
  {
    id: 'try-read-in-two-steps',
    title: 'a tried read looks and adds in two steps',
    source: 'ours (I1)',
    bugs: [],
    edits: [
      {
        file: 'read.ts',
        find: '    const seen = Atomics.compareExchange(mem, lock + COUNT, count, next);\n    if (seen === count) {\n      recordReader(mem, lock, tag);\n',
        replace: `    Atomics.add(mem, lock + COUNT, READER);
    const seen = (next - READER) | 0;
    if (seen === count) {
      recordReader(mem, lock, tag);
`,
      },
    ],
    expect: { property: 'MUTEX', program: 'tryRead | write' },
  },
  {
    id: 'try-read-past-queue',
    title: 'a tried read goes in past queued waiters and past a handoff',
    source: 'ours (I5)',
    bugs: [],
    edits: [
      { file: 'read.ts', find: '  while (readerIsIn(count)) {\n', replace: '  while (!isWriteLocked(count)) {\n' },
    ],
    // In `fair` tried reads starve each other in the shipped core too.
    expect: { property: 'BYPASS', program: 'write | tryRead... | tryRead...', mode: 'one-core bypass' },
  },
  {
    id: 'try-read-from-assumed-zero',
    title: 'a tried read starts from an assumed idle word instead of a look',
    source: 'rwsem bug 27, 14c240488411',
    bugs: [27],
    edits: [
      {
        file: 'read.ts',
        find: `export function tryRead(mem: Int32Array, lock: number, tag: number): number {
  let count = Atomics.load(mem, lock + COUNT);
`,
        replace: `export function tryRead(mem: Int32Array, lock: number, tag: number): number {
  let count = 0;
`,
      },
    ],
    expect: { uncaught: 'performance only: a wrong guess costs one more turn' },
  },
  {
    id: 'kind-read-after-grant',
    title: 'a waker reads what kind of waiter it was after the grant, when its thread may have gone on',
    source: 'ours (I7)',
    bugs: [],
    edits: [
      {
        file: 'wake.ts',
        find: `  const asyncBit = relaxedLoad(mem, waiter + KIND) & ASYNC_WAITER;
  const before = Atomics.exchange(mem, waiter + GRANT, word);
`,
        replace: `  const before = Atomics.exchange(mem, waiter + GRANT, word);
  const asyncBit = relaxedLoad(mem, waiter + KIND) & ASYNC_WAITER;
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'link-read-after-grant',
    title: 'a waker follows the link of a waiter it has granted already',
    source: 'ours (I7)',
    bugs: [],
    edits: [
      {
        file: 'wake.ts',
        find: `    const next = relaxedLoad(mem, waiter + NEXT);
    relaxedStore(mem, waiter + NEXT, 0);
    signal(mem, me, waiter, GRANTED);
    waiter = next;
`,
        replace: `    signal(mem, me, waiter, GRANTED);
    const next = relaxedLoad(mem, waiter + NEXT);
    relaxedStore(mem, waiter + NEXT, 0);
    waiter = next;
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'wait-lock-in-two-steps',
    title: 'the wait lock is tested and taken in two steps',
    source: 'ours (I4)',
    bugs: [],
    edits: [
      {
        file: 'wait-lock.ts',
        find: '  return Atomics.compareExchange(mem, lock + WAIT_LOCK, 0, me) === 0;\n',
        replace: `  if (Atomics.load(mem, lock + WAIT_LOCK) !== 0) return false;
  Atomics.store(mem, lock + WAIT_LOCK, me);
  return true;
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | timedWrite', mode: 'wait-lock' },
  },
  {
    id: 'wait-lock-mark-lost',
    title: 'who takes the wait lock after a park drops the mark of the others that are parked',
    source: 'folly SharedMutex, bug 37: one wake-up for a word that several wait on',
    bugs: [37],
    edits: [{ file: 'wait-lock.ts', find: '(mem, lock + WAIT_LOCK, 0, me | WAIT_LOCK_CONTENDED)', replace: '(mem, lock + WAIT_LOCK, 0, me)' }],
    expect: { property: 'LOST', program: 'read | write | write', mode: 'wait-lock' },
  },
  {
    id: 'wait-lock-parks-unmarked',
    title: 'a thread parks on the wait lock without having left its mark',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'wait-lock.ts',
        find: '      if (word === marked || Atomics.compareExchange(mem, lock + WAIT_LOCK, word, marked) === word) {\n        Atomics.wait(mem, lock + WAIT_LOCK, marked, PARK_LIMIT_MS);\n',
        replace: '      if (word !== 0) {\n        Atomics.wait(mem, lock + WAIT_LOCK, word, PARK_LIMIT_MS);\n',
      },
    ],
    expect: { property: 'LOST', program: 'read | write', mode: 'wait-lock' },
  },
  {
    id: 'wait-lock-never-notifies',
    title: 'the wait lock is dropped without waking who is parked on it',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'wait-lock.ts', find: '  if ((word & WAIT_LOCK_CONTENDED) !== 0) Atomics.notify(mem, lock + WAIT_LOCK, 1);\n', replace: '  if (word === 0) Atomics.notify(mem, lock + WAIT_LOCK, 1);\n' }],
    expect: { property: 'LOST', program: 'read | write', mode: 'wait-lock' },
  },
  {
    id: 'wait-lock-dropped-before-append',
    title: 'a reader changes the count after it has dropped the wait lock',
    source: 'ours (I4)',
    bugs: [],
    edits: [
      {
        file: 'read.ts',
        find: `  const count = (Atomics.add(mem, lock + COUNT, delta) + delta) | 0;
  wakeAfterEnqueue(mem, lock, me, count);
`,
        replace: `  unlockWaitLock(mem, lock);
  const count = (Atomics.add(mem, lock + COUNT, delta) + delta) | 0;
  lockWaitLock(mem, lock, me);
  wakeAfterEnqueue(mem, lock, me, count);
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'read read | write' },
  },
];
