/** No lost wake-up (I8, I9), and the WAKING bit that saves needless ones (I11). */

import type { Mutation } from './mutation.ts';

const SET_WAITERS = `    Atomics.or(mem, lock + COUNT, WAITERS);
  } else {
`;
const USE_UP_SIGNAL = `    if (word === WOKEN) Atomics.and(mem, lock + COUNT, ~WAKING);
`;
const TRY = `    taken = tryWriteQueued(mem, lock, me, waiter);
`;
const TRANSFERRED = `        unlink(mem, lock, head);
        recordWriter(mem, lock, relaxedLoad(mem, head + WAITER_TAG));
        countEvent(mem, me, WLOCK_GRANT);
        signal(mem, me, head, GRANTED);
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
      { file: 'write.ts', find: '      if (isOnlyWaiter(mem, lock, waiter)) next = next & ~WAITERS;\n', replace: '      next = next & ~WAITERS;\n' },
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
    expect: { uncaught: 'the try that follows reads the grant word itself, under the same wait lock' },
  },
  {
    id: 'read-release-never-wakes',
    title: 'the last reader leaves without waking',
    source: 'ours (I8)',
    bugs: [],
    edits: [{ file: 'count.ts', find: '  return (before & (HELD_MASK | WAITERS | WAKING)) === (READER | WAITERS);\n', replace: '  return before === -1;\n' }],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'write-release-never-wakes',
    title: 'a writer leaves without waking',
    source: 'ours (I8)',
    bugs: [],
    edits: [{ file: 'count.ts', find: '  return (before & (WAITERS | WAKING)) === WAITERS;\n', replace: '  return before === -1;\n' }],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'read-release-skips-handoff',
    title: 'the last reader does not wake if handoff has been asked for',
    source: 'ours (I8)',
    bugs: [],
    edits: [
      { file: 'count.ts', find: 'const WAKING = layout.WAKING;\n', replace: 'const HANDOFF_BIT = layout.HANDOFF;\nconst WAKING = layout.WAKING;\n' },
      { file: 'count.ts', find: '(HELD_MASK | WAITERS | WAKING)) ===', replace: '(HELD_MASK | WAITERS | HANDOFF_BIT | WAKING)) ===' },
    ],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'write-release-stores-zero',
    title: 'a writer leaves by storing 0: probes and waiters are wiped out',
    source: 'ours (I6)',
    bugs: [],
    edits: [{ file: 'fast-path.ts', find: '  return mustWakeAfterWriter(Atomics.sub(mem, lock, WRITER));\n', replace: '  return mustWakeAfterWriter(Atomics.exchange(mem, lock, 0));\n' }],
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
    expect: { property: 'LOST', program: 'write | write | write', mode: 'spin' },
  },
  {
    id: 'downgrade-does-not-wake',
    title: 'a downgrade leaves queued readers asleep, and hides the free lock from its own release',
    source: 'rwsem bug 29; a probe of a waker makes it a lost wake-up (I9)',
    bugs: [29],
    edits: [{ file: 'release.ts', find: '  if (hasWaiters(before)) {\n', replace: '  if (before === -1 && hasWaiters(before)) {\n' }],
    expect: { property: 'LOST', program: 'downgrade | read | write' },
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
    expect: { property: 'MUTEX', program: 'downgrade | write' },
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
    edits: [{ file: 'read.ts', find: 'if (readerCount(count) === 1 && hasWaiters(count) && !isWaking(count)) {', replace: 'if (count === -1 && hasWaiters(count) && !isWaking(count)) {' }],
    expect: { uncaught: 'less goes on at once; who made the lock free, or the thief when it leaves, wakes them' },
  },
  {
    id: 'read-past-free-queue-refused',
    title: 'a reader that finds the queue empty queues nevertheless',
    source: 'table 3.D, no rlock_fast',
    bugs: [],
    edits: [{ file: 'read.ts', find: '    if (!isWriteLocked(Atomics.load(mem, lock + COUNT))) {\n', replace: '    if (lock === 0) {\n' }],
    expect: { uncaught: 'slower: the look after queueing wakes it at once' },
  },
  {
    id: 'try-keeps-waking-bit',
    title: 'a writer that was told to try does not clear WAKING: no release wakes any more',
    source: 'ours (I11)',
    bugs: [],
    edits: [{ file: 'write.ts', find: USE_UP_SIGNAL, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'try-clears-waking-after-look',
    title: 'WAKING is cleared after the look at the count: a release in between need not wake and does not',
    source: 'ours (I8)',
    bugs: [],
    edits: [
      {
        file: 'write.ts',
        find: USE_UP_SIGNAL + TRY,
        replace: TRY + USE_UP_SIGNAL,
      },
    ],
    expect: { property: 'LOST', program: 'read | read | write' },
  },
  {
    id: 'transfer-keeps-waking-bit',
    title: 'a transfer to a writer that had been told to try leaves WAKING set',
    source: 'ours (I11)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: '~(HANDOFF | WAKING);', replace: '~HANDOFF;' }],
    expect: { property: 'INVARIANT', program: 'read | write | write' },
  },
  {
    id: 'waking-bit-without-signal',
    title: 'WAKING is set, and the head not told',
    source: 'ours (I11)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: `      signal(mem, me, head, WOKEN);\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'signal-without-waking-bit',
    title: 'the head is told to try, and WAKING not set',
    source: 'ours (I11)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: `      Atomics.or(mem, lock + COUNT, WAKING);\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'head-told-twice',
    title: 'a waker does not look whether the head has been told already',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'wake.ts', find: `      if (isWaking(count)) return;\n`, replace: '' }],
    expect: { uncaught: 'telling it again changes nothing: the second signal finds the grant word WOKEN and notifies nobody' },
  },
  {
    id: 'transfer-signals-before-unlink',
    title: 'a transfer stores the grant while the waiter is still queued',
    source: 'ours (I7)',
    bugs: [],
    edits: [
      {
        file: 'wake.ts',
        find: TRANSFERRED,
        replace: `        signal(mem, me, head, GRANTED);
        unlink(mem, lock, head);
        recordWriter(mem, lock, relaxedLoad(mem, head + WAITER_TAG));
        countEvent(mem, me, WLOCK_GRANT);
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'transfer-leaves-waiter-queued',
    title: 'a transfer does not take the waiter out of the queue',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'wake.ts', find: TRANSFERRED, replace: TRANSFERRED.replace('        unlink(mem, lock, head);\n', '') }],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'one-pass-of-readers',
    title: 'a waker stops after a full batch of readers, and leaves the rest to the last of them',
    source: 'ours: the kernel does so',
    bugs: [],
    edits: [{ file: 'wake.ts', find: '  while (sendWakes(mem, me) >= relaxedLoad(mem, READER_BATCH)) {\n', replace: '  while (sendWakes(mem, me) > relaxedLoad(mem, READER_BATCH)) {\n' }],
    expect: { property: 'LOST', program: 'read | read | asyncInRead | write', mode: 'batch:1' },
  },
  {
    id: 'second-pass-wakes-anybody',
    title: 'the next pass wakes as if the lock were free',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'wake.ts',
        find: `    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_READERS);
`,
        replace: `    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_ANY);
`,
      },
    ],
    expect: { uncaught: 'a waker of any kind looks at the count before it transfers, and counts a reader before it grants' },
  },
  {
    id: 'second-pass-without-wait-lock',
    title: 'the next pass walks the queue without the wait lock',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'wake.ts',
        find: `    lockWaitLock(mem, lock, me);
    wakeQueue(mem, lock, me, WAKE_READERS);
    unlockWaitLock(mem, lock);
`,
        replace: `    wakeQueue(mem, lock, me, WAKE_READERS);
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | write', mode: 'batch:1' },
  },
  {
    id: 'wake-list-not-emptied',
    title: 'the wake list is not emptied after it has been sent',
    source: 'ours (I13)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: `  relaxedStore(mem, me + WAKE_COUNT, 0);\n`, replace: '' }],
    expect: { property: 'STUCK', program: 'read | write' },
  },
  {
    id: 'notify-under-wait-lock',
    title: 'notifications are sent before the wait lock is dropped',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'wake.ts',
        find: `  unlockWaitLock(mem, lock);
  while (sendWakes(mem, me) >= relaxedLoad(mem, READER_BATCH)) {
`,
        replace: `  const sent = sendWakes(mem, me);
  unlockWaitLock(mem, lock);
  let more = sent >= relaxedLoad(mem, READER_BATCH);
  while (more || sendWakes(mem, me) >= relaxedLoad(mem, READER_BATCH)) {
    more = false;
`,
      },
    ],
    expect: { uncaught: 'right but slow: the woken thread runs into the wait lock' },
  },
];
