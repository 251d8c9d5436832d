/** The queue, and the nested and peer reads that may not stand in it like others. */

import type { Mutation } from './mutation.ts';

export const QUEUE_MUTATIONS: readonly Mutation[] = [
  {
    id: 'peer-queued-behind',
    title: 'a blocking read queues behind an async read of its own thread',
    source: 'ours: found with 256 async reads, and fixed (scenario 10)',
    bugs: [],
    edits: [
      {
        file: 'read.ts',
        find: `  if (peer !== 0) insertBefore(mem, lock, waiter, peer);
  else append(mem, lock, waiter);
`,
        replace: `  append(mem, lock, waiter);
`,
      },
    ],
    expect: { property: 'INVARIANT', or: 'LOST', program: 'asyncInRead | write | write', mode: 'batch:1' },
  },
  {
    id: 'insert-forgets-handoff',
    title: 'who is put in front of the head does not take over its claim to handoff',
    source: 'ours (I11)',
    bugs: [],
    edits: [
      {
        file: 'queue.ts',
        find: `  relaxedStore(mem, waiter + HANDOFF_SET, relaxedLoad(mem, other + HANDOFF_SET));
  relaxedStore(mem, other + HANDOFF_SET, 0);
`,
        replace: '',
      },
    ],
    expect: { property: 'INVARIANT', program: 'asyncInRead | write | write' },
  },
  {
    id: 'insert-forgets-back-link',
    title: 'who is moved back by an insertion keeps its old back link',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'queue.ts', find: `  relaxedStore(mem, other + PREV, waiter);\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'asyncInRead | write' },
  },
  {
    id: 'insert-forgets-forward-link',
    title: 'an insertion behind the head is not linked from its predecessor',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'queue.ts',
        find: `  else relaxedStore(mem, prev + NEXT, waiter);
  relaxedStore(mem, other + PREV, waiter);
`,
        replace: `  relaxedStore(mem, other + PREV, waiter);
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'asyncInRead | write | write' },
  },
  {
    id: 'insert-forgets-head',
    title: 'an insertion before the head leaves HEAD where it was',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'queue.ts',
        find: `  if (prev === 0) relaxedStore(mem, lock + HEAD, waiter);
  else relaxedStore(mem, prev + NEXT, waiter);
  relaxedStore(mem, other + PREV, waiter);
`,
        replace: `  if (prev !== 0) relaxedStore(mem, prev + NEXT, waiter);
  relaxedStore(mem, other + PREV, waiter);
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'asyncInRead | write' },
  },
  {
    id: 'unlink-forgets-tail',
    title: 'the last waiter is taken out and TAIL still names it',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'queue.ts',
        find: `  if (next === 0) relaxedStore(mem, lock + TAIL, prev);
  else relaxedStore(mem, next + PREV, prev);
`,
        replace: `  if (next !== 0) relaxedStore(mem, next + PREV, prev);
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'unlink-forgets-back-link',
    title: 'the successor of a waiter that is taken out keeps pointing back at it',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'queue.ts', find: `  else relaxedStore(mem, next + PREV, prev);\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write | write' },
  },
  {
    id: 'append-forgets-back-link',
    title: 'a waiter is appended without its back link',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'queue.ts', find: `  relaxedStore(mem, waiter + PREV, tail);\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write | write' },
  },
  {
    id: 'emptiness-read-before-wait-lock',
    title: 'a writer asks whether the queue is empty before it has the wait lock',
    source: 'ours (I2)',
    bugs: [],
    edits: [
      {
        file: 'write.ts',
        find: `  lockWaitLock(mem, lock, me);
  const wasEmpty = relaxedLoad(mem, lock + HEAD) === 0;
`,
        replace: `  const wasEmpty = relaxedLoad(mem, lock + HEAD) === 0;
  lockWaitLock(mem, lock, me);
`,
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | write | write' },
  },
  {
    id: 'nested-read-queues',
    title: 'a thread that reads already queues behind a writer that waits for it',
    source: 's390 rwlock, bug 41, 94232a4332de',
    bugs: [41],
    edits: [
      {
        file: 'read.ts',
        find: '  } else if (nested || (peer !== 0 && Atomics.load(mem, peer + GRANT) === GRANTED)) {\n',
        replace: '  } else if (peer !== 0 && Atomics.load(mem, peer + GRANT) === GRANTED) {\n',
      },
    ],
    expect: { property: 'LOST', program: 'nestedRead | write' },
  },
  {
    id: 'granted-peer-overlooked',
    title: 'a thread whose async read has been granted unnoticed queues behind a writer that waits for it',
    source: 's390 rwlock, bug 41, for async reads',
    bugs: [41],
    edits: [
      {
        file: 'read.ts',
        find: '  } else if (nested || (peer !== 0 && Atomics.load(mem, peer + GRANT) === GRANTED)) {\n',
        replace: '  } else if (nested) {\n',
      },
    ],
    expect: { property: 'INVARIANT', program: 'asyncInRead | write | write' },
  },
  {
    id: 'nested-probe-kept',
    title: 'a nested read that is refused leaves its probe in the count',
    source: 'ours (I6)',
    bugs: [],
    edits: [{ file: 'read.ts', find: '      if (probe) Atomics.sub(mem, lock + COUNT, READER); //', replace: '      //' }],
    expect: { property: 'INVARIANT', or: 'LOST', program: 'nestedRead | write' },
  },
  {
    id: 'nested-read-not-counted',
    title: 'a nested read that goes in without a probe is not counted',
    source: 'ours (I1)',
    bugs: [],
    edits: [{ file: 'read.ts', find: '    if (!probe) Atomics.add(mem, lock + COUNT, READER);\n', replace: '' }],
    expect: { property: 'NEGATIVE', program: 'write | timedNestedRead | read | write', mode: 'batch:1' },
  },
  {
    id: 'nested-read-refused-by-anybody',
    title: 'a nested read is refused as a deadlock by readers that are first in the queue too',
    source: 'ours (WOULD_DEADLOCK only behind a writer)',
    bugs: [],
    edits: [{ file: 'read.ts', find: '    if (isWriteWaiter(mem, head)) {\n', replace: '    if (head !== 0) {\n' }],
    expect: { property: 'ANSWER', program: 'nestedRead | read | write', mode: 'wait-lock batch:1' },
  },
];
