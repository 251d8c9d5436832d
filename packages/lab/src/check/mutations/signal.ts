/** Telling a writer to try (WAKING, I11), transferring the lock to it, and the passes over a long queue of readers. */

import type { Mutation } from './mutation.ts';

const USE_UP_SIGNAL = `    if (word === WOKEN) Atomics.and(mem, lock + COUNT, ~WAKING);
`;
const TRY = `    taken = tryWriteQueued(mem, lock, me, waiter);
`;
const TRANSFERRED = `        unlink(mem, lock, head);
        recordWriter(mem, lock, relaxedLoad(mem, head + WAITER_TAG));
        countEvent(mem, me, WLOCK_GRANT);
        signal(mem, me, head, GRANTED);
`;

export const SIGNAL_MUTATIONS: readonly Mutation[] = [
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
    expect: { property: 'INVARIANT', program: 'read read | timedWrite | write' },
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
    expect: { property: 'INVARIANT', program: 'read | read | write', mode: 'batch:1' },
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
    expect: { property: 'INVARIANT', program: 'write | read | read', mode: 'batch:1' },
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
