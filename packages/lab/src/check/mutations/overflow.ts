/** Too many readers: the count must not run over, and who is refused leaves no trace. */

import type { Mutation } from './mutation.ts';

export const OVERFLOW_MUTATIONS: readonly Mutation[] = [
  {
    id: 'overflow-admits',
    title: 'a reader that makes the count overflow is in',
    source: 'rwsem bug 25, the guard of 5.3',
    bugs: [25],
    edits: [{ file: 'layout.ts', find: 'export const READ_FAILED = -0x7ffffff9;', replace: 'export const READ_FAILED = 7;' }],
    expect: { property: 'NEGATIVE', program: 'read | read', mode: 'readers:1' },
  },
  {
    id: 'overflow-admits-try',
    title: 'a tried read does not look whether it would be one too many',
    source: 'rwsem bug 25, the guard of 5.3',
    bugs: [25],
    edits: [{ file: 'read.ts', find: `    if (isOverflown(next)) return TOO_MANY_READERS;\n`, replace: '' }],
    expect: { property: 'NEGATIVE', program: 'tryRead | tryRead', mode: 'readers:1' },
  },
  {
    id: 'overflow-probe-kept',
    title: 'a reader refused for overflow leaves its probe in the count',
    source: 'rwsem bug 25, the guard of 5.3',
    bugs: [25],
    edits: [
      {
        file: 'read.ts',
        find: `  if (probe && isOverflown(count)) {
    withdrawReader(mem, lock, me);
    return TOO_MANY_READERS;
  }
`,
        replace: '  if (probe && isOverflown(count)) return TOO_MANY_READERS;\n',
      },
    ],
    expect: { property: 'INVARIANT', or: 'STUCK', program: 'read | read', mode: 'readers:1' },
  },
  {
    id: 'overflow-probe-kept-in-queue',
    title: 'a reader without a probe that would be one too many in an empty queue leaves its arrival in the count',
    source: 'ours (I6)',
    bugs: [],
    edits: [
      {
        file: 'read.ts',
        find: `        unlockWaitLock(mem, lock);
        withdrawReader(mem, lock, me);
        return TOO_MANY_READERS;
`,
        replace: `        unlockWaitLock(mem, lock);
        return TOO_MANY_READERS;
`,
      },
    ],
    expect: { property: 'INVARIANT', or: 'NEGATIVE', program: 'timedRead | read | timedWrite', mode: 'readers:1' },
  },
  {
    id: 'overflow-withdrawn-without-wake',
    title: 'a reader refused for overflow takes its probe back without waking',
    source: 'six locks, bug 38, at the overflow',
    bugs: [38],
    edits: [
      {
        file: 'read.ts',
        find: `  if (probe && isOverflown(count)) {
    withdrawReader(mem, lock, me);
    return TOO_MANY_READERS;
  }
`,
        replace: `  if (probe && isOverflown(count)) {
    Atomics.sub(mem, lock + COUNT, READER);
    return TOO_MANY_READERS;
  }
`,
      },
    ],
    expect: { property: 'LOST', program: 'read | read | write', mode: 'readers:1' },
  },
  {
    id: 'overflow-queue-withdrawn-without-wake',
    title: 'the same for a reader that has just found the queue empty',
    source: 'six locks, bug 38, at the overflow',
    bugs: [38],
    edits: [
      {
        file: 'read.ts',
        find: `        unlockWaitLock(mem, lock);
        withdrawReader(mem, lock, me);
        return TOO_MANY_READERS;
`,
        replace: `        Atomics.sub(mem, lock + COUNT, READER);
        unlockWaitLock(mem, lock);
        return TOO_MANY_READERS;
`,
      },
    ],
    expect: { uncaught: 'with an empty queue nobody waits; who queues during the probe looks at the count after it has set WAITERS, and the probe has gone before the wait lock is dropped' },
  },
  {
    id: 'overflow-batch',
    title: 'a batch of readers is granted however full the count is',
    source: 'rwsem bug 25, the guard of 5.3',
    bugs: [25],
    edits: [
      {
        file: 'wake.ts',
        find: `  if (isNearlyFull(Atomics.load(mem, lock + COUNT))) return;\n`,
        replace: '',
      },
    ],
    expect: { property: 'NEGATIVE', program: 'asyncRead+asyncRead | asyncRead+asyncRead | write', mode: 'readers:3' },
  },
];
