/** No lost wake-up: whoever leaves the lock free sees to it that somebody goes on (I8, I9). */

import type { Mutation } from './mutation.ts';

const SET_WAITERS = `    Atomics.or(mem, lock + COUNT, WAITERS);
  } else {
`;
export const WAKE_MUTATIONS: readonly Mutation[] = [
  {
    id: 'no-try-after-enqueue',
    title: 'a writer that has queued as the first goes to sleep without a try',
    source: 'rwsem bug 19, 2023 rework v1',
    bugs: [19],
    edits: [
      {
        file: 'write.ts',
        find: SET_WAITERS,
        replace: `    Atomics.or(mem, lock + COUNT, WAITERS);
    unlockWaitLock(mem, lock);
    return QUEUED;
  } else {
`,
      },
    ],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'waiters-bit-after-try',
    title: 'WAITERS is set after the try: a release in between does not see it',
    source: 'rwsem bug 19, in another order',
    bugs: [19],
    edits: [
      { file: 'write.ts', find: SET_WAITERS, replace: '  } else {\n' },
      {
        file: 'write.ts',
        find: `    taken = tryWriteQueued(mem, lock, me, waiter);
  }
`,
        replace: `    taken = tryWriteQueued(mem, lock, me, waiter);
    if (!taken) Atomics.or(mem, lock + COUNT, WAITERS);
  }
`,
      },
    ],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'reader-does-not-set-waiters-bit',
    title: 'a reader that queues as the first does not set WAITERS',
    source: 'ours (I2)',
    bugs: [],
    edits: [{ file: 'read.ts', find: `  if (head === 0) delta = (delta + WAITERS) | 0;\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'take-clears-waiters-bit',
    title: 'a writer that takes the lock from the queue clears WAITERS although others wait',
    source: 'rwsem bug 26, of the class of 21',
    bugs: [26],
    edits: [
      {
        file: 'write.ts',
        find: '      if (isOnlyWaiter(mem, lock, waiter)) taken = taken & ~WAITERS;\n',
        replace: '      taken = taken & ~WAITERS;\n',
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | write | write' },
  },
  {
    id: 'transfer-clears-waiters-bit',
    title: 'a transfer clears WAITERS although others wait',
    source: 'rwsem bug 26, of the class of 21',
    bugs: [26],
    edits: [{ file: 'wake.ts', find: '      if (isOnlyWaiter(mem, lock, head)) taken = taken & ~WAITERS;\n', replace: '      taken = taken & ~WAITERS;\n' }],
    expect: { property: 'INVARIANT', program: 'read | write | write', mode: 'grant' },
  },
  {
    id: 'transfer-keeps-waiters-bit',
    title: 'a transfer to the only waiter leaves WAITERS set',
    source: 'ours (I2)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: '      if (isOnlyWaiter(mem, lock, head)) taken = taken & ~WAITERS;\n', replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'reader-queues-without-look',
    title: 'a reader that queues does not look whether the lock has become free meanwhile',
    source: 'rwsem bug 9, 54c1ee4d614d, stronger; six locks, bug 38',
    bugs: [9, 38],
    edits: [{ file: 'read.ts', find: '  wakeAfterEnqueue(mem, lock, me, count);\n', replace: '' }],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'reader-queues-with-look-only-as-first',
    title: 'a reader that queues looks only if the queue was empty',
    source: 'rwsem bug 9, 54c1ee4d614d, exactly',
    bugs: [9],
    edits: [{ file: 'read.ts', find: '  wakeAfterEnqueue(mem, lock, me, count);\n', replace: '  if (head === 0) wakeAfterEnqueue(mem, lock, me, count);\n' }],
    expect: { property: 'LOST', program: 'read | write | write' },
  },
  {
    id: 'writer-queues-without-look',
    title: 'a writer that queues behind others does not look whether they could go on',
    source: 'rwsem bug 9, 54c1ee4d614d, for writers',
    bugs: [9],
    edits: [{ file: 'write.ts', find: '    wakeAfterEnqueue(mem, lock, me, Atomics.load(mem, lock + COUNT));\n', replace: '' }],
    expect: { uncaught: 'whoever made the lock free is on its way to wake already; the look only saves it time' },
  },
  {
    id: 'enqueue-wakes-nobody-on-free-lock',
    title: 'the look after queueing wakes nobody if the lock is free',
    source: 'rwsem bug 9, 54c1ee4d614d',
    bugs: [9],
    edits: [{ file: 'wake.ts', find: `    clearNonspinnable(mem, lock);\n    wakeQueue(mem, lock, me, WAKE_ANY);\n`, replace: `    clearNonspinnable(mem, lock);\n` }],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'enqueue-overlooks-own-signal',
    title: 'a writer that has dropped the wait lock while queueing does not look whether it was granted meanwhile',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'write.ts', find: `    if (Atomics.load(mem, waiter + GRANT) !== WAITING) {\n      unlockWaitLock(mem, lock);\n      return QUEUED;\n    }\n`, replace: '' }],
    expect: { property: 'INVARIANT', or: 'STUCK', program: 'asyncWrite | read | write' },
  },
  {
    id: 'read-release-never-wakes',
    title: 'the last reader leaves without waking',
    source: 'ours (I8)',
    bugs: [],
    edits: [
      {
        file: 'fast-path.ts',
        find: '  return (Atomics.sub(mem, lock, READER) & (HELD_MASK | WAITERS | WAKING)) === (READER | WAITERS);\n',
        replace: '  return Atomics.sub(mem, lock, READER) === -1;\n',
      },
    ],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'write-release-never-wakes',
    title: 'a writer leaves without waking',
    source: 'ours (I8)',
    bugs: [],
    edits: [
      {
        file: 'fast-path.ts',
        find: '  return (Atomics.sub(mem, lock, WRITER) & (WAITERS | WAKING)) === WAITERS;\n',
        replace: '  return Atomics.sub(mem, lock, WRITER) === -1;\n',
      },
    ],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'read-release-skips-handoff',
    title: 'the last reader does not wake if handoff has been asked for',
    source: 'ours (I8)',
    bugs: [],
    edits: [{ file: 'fast-path.ts', find: '(HELD_MASK | WAITERS | WAKING)) ===', replace: '(HELD_MASK | WAITERS | layout.HANDOFF | WAKING)) ===' }],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'write-release-stores-zero',
    title: 'a writer leaves by storing 0: probes and waiters are wiped out',
    source: 'ours (I6)',
    bugs: [],
    edits: [{ file: 'fast-path.ts', find: 'Atomics.sub(mem, lock, WRITER) &', replace: 'Atomics.exchange(mem, lock, 0) &' }],
    expect: { property: 'NEGATIVE', program: 'read | write' },
  },
  {
    id: 'withdrawn-probe-does-not-wake',
    title: 'a probe is taken back without asking whether that made the lock free',
    source: 'bcachefs six locks, bug 38, before ba276ce5865b',
    bugs: [38],
    edits: [{ file: 'read.ts', find: '  if (releaseRead(mem, lock)) wakeAfterRead(mem, lock, me);\n', replace: '  Atomics.sub(mem, lock + COUNT, READER);\n' }],
    expect: { property: 'LOST', program: 'probe | read | write' },
  },
  {
    id: 'release-skips-wake-for-spinner',
    title: 'a release leaves the waking to whoever is in the spinner queue',
    source: 'rwsem bug 5, 9c29c31830a4',
    bugs: [5],
    edits: [
      { file: 'release.ts', find: `import { COUNT, READER, WRITER }`, replace: `import { COUNT, READER, SPIN_TAIL, WRITER }` },
      {
        file: 'release.ts',
        find: `  lockWaitLock(mem, lock, me);
  wakeQueue(mem, lock, me, WAKE_ANY);
`,
        replace: `  if (Atomics.load(mem, lock + SPIN_TAIL) !== 0) return;
  lockWaitLock(mem, lock, me);
  wakeQueue(mem, lock, me, WAKE_ANY);
`,
      },
    ],
    // Whoever leaves the spinner queue without the lock queues, and looks at the queue for others when it does; but a node may be left behind.
    expect: { property: 'LOST', program: 'read | write | write', mode: 'spin impatient' },
  },
  {
    id: 'release-and-enqueue-skip-wake',
    title: 'the same, and a writer that has given up spinning does not look at the queue for others either',
    source: 'rwsem bug 5, 9c29c31830a4',
    bugs: [5],
    edits: [
      { file: 'release.ts', find: `import { COUNT, READER, WRITER }`, replace: `import { COUNT, READER, SPIN_TAIL, WRITER }` },
      {
        file: 'release.ts',
        find: `  lockWaitLock(mem, lock, me);
  wakeQueue(mem, lock, me, WAKE_ANY);
`,
        replace: `  if (Atomics.load(mem, lock + SPIN_TAIL) !== 0) return;
  lockWaitLock(mem, lock, me);
  wakeQueue(mem, lock, me, WAKE_ANY);
`,
      },
      { file: 'write.ts', find: '    wakeAfterEnqueue(mem, lock, me, Atomics.load(mem, lock + COUNT));\n', replace: '' },
    ],
    expect: { property: 'LOST', program: 'write | write | write', mode: 'spin' },
  },
  {
    id: 'downgrade-does-not-wake',
    title: 'a downgrade leaves queued readers asleep, and hides the free lock from its own release',
    source: 'rwsem bug 29; a probe of a waker makes it a lost wake-up (I9)',
    bugs: [29],
    edits: [{ file: 'release.ts', find: '  if (hasWaiters(before)) {\n', replace: '  if (before === -1 && hasWaiters(before)) {\n' }],
    expect: { property: 'INVARIANT', or: 'LOST', program: 'downgrade | read | write' },
  },
  {
    id: 'downgrade-stores',
    title: 'a downgrade stores one reader over whatever the count was',
    source: 'rwsem bug 29',
    bugs: [29],
    edits: [
      { file: 'release.ts', find: '  const before = Atomics.add(mem, lock + COUNT, READER - WRITER);\n', replace: '  const before = Atomics.exchange(mem, lock + COUNT, READER);\n' },
    ],
    expect: { property: 'INVARIANT', program: 'downgrade | write' },
  },
  {
    id: 'downgrade-in-two-steps',
    title: 'a downgrade gives the write lock back before it counts itself as a reader',
    source: 'rwsem bug 29',
    bugs: [29],
    edits: [
      {
        file: 'release.ts',
        find: '  const before = Atomics.add(mem, lock + COUNT, READER - WRITER);\n',
        replace: `  const before = Atomics.sub(mem, lock + COUNT, WRITER);
  Atomics.add(mem, lock + COUNT, READER);
`,
      },
    ],
    expect: { property: 'NEGATIVE', or: 'MUTEX', program: 'downgrade | write' },
  },
  {
    id: 'downgrade-wakes-anybody',
    title: 'a downgrade wakes as if the lock were free',
    source: 'rwsem bug 29',
    bugs: [29],
    edits: [
      { file: 'release.ts', find: `  if (hasWaiters(before)) {
    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_READ_OWNED);
`, replace: `  if (hasWaiters(before)) {
    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_ANY);
` },
      { file: 'release.ts', find: 'WAKE_ANY, WAKE_READ_OWNED, wakeQueue', replace: 'WAKE_ANY, wakeQueue' },
    ],
    expect: { uncaught: 'a waker of any kind looks at the count before it transfers or grants: one probe too many, and nothing else' },
  },
  {
    id: 'steal-does-not-wake',
    title: 'a reader that steals a free lock does not take the queued readers along',
    source: 'table 3.D',
    bugs: [],
    edits: [
      {
        file: 'steal.ts',
        find: 'if (isAlone && (count & (WAITERS | WAKING)) === WAITERS) {',
        replace: 'if (isAlone && (count & (WAITERS | WAKING)) === -1) {',
      },
    ],
    expect: { uncaught: 'less goes on at once; who made the lock free, or the thief when it leaves, wakes them' },
  },
  {
    id: 'read-past-free-queue-refused',
    title: 'a reader that finds the queue empty queues nevertheless, in front of a peer that is not queued any more',
    source: 'table 3.D, no rlock_fast',
    bugs: [],
    edits: [{ file: 'read.ts', find: '    if (!isWriteLocked(Atomics.load(mem, lock + COUNT))) {\n', replace: '    if (lock === 0) {\n' }],
    expect: { property: 'INVARIANT', program: 'asyncInRead | write', mode: 'batch:1' },
  },
];
