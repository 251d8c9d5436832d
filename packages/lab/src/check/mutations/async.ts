/** The ready stack, the bell, and async waiters that are cancelled (I13). */

import type { Mutation } from './mutation.ts';

const PUSH = `    relaxedStore(mem, waiter + READY_NEXT, top);
    const seen = Atomics.compareExchange(mem, agent + READY, top, waiter);
    if (seen === top) break;
    top = seen;
`;
const RING = `    Atomics.add(mem, agent + BELL, 1);
    Atomics.notify(mem, agent + BELL);
`;
const TAKE = '  let stack = Atomics.exchange(mem, me + READY, 0);\n';

export const ASYNC_MUTATIONS: readonly Mutation[] = [
  {
    id: 'bell-rung-before-push',
    title: 'the bell is rung before the waiter is on the stack',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'ready.ts',
        find: `  let top = Atomics.load(mem, agent + READY);
  for (;;) {
`,
        replace: `  let top = Atomics.load(mem, agent + READY);
  if (agent !== me && top === 0) {
    Atomics.add(mem, agent + BELL, 1);
    Atomics.notify(mem, agent + BELL);
  }
  for (;;) {
`,
      },
      {
        file: 'ready.ts',
        find: `  else if (top === 0) {
${RING}  }
`,
        replace: '',
      },
    ],
    expect: { property: 'LOST', program: 'asyncRead | write' },
  },
  {
    id: 'bell-never-rung',
    title: 'the bell is rung only if the stack was not empty',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'ready.ts', find: '  else if (top === 0) {\n', replace: '  else if (top !== 0) {\n' }],
    expect: { property: 'LOST', program: 'asyncRead | write' },
  },
  {
    id: 'bell-notified-without-count',
    title: 'the bell is notified without being changed: a ring before the loop waits is missed',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'ready.ts', find: RING, replace: `    Atomics.notify(mem, agent + BELL);\n` }],
    expect: { property: 'LOST', program: 'asyncRead | write' },
  },
  {
    id: 'bell-counted-without-notify',
    title: 'the bell is changed and nobody notified',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'ready.ts', find: RING, replace: `    Atomics.add(mem, agent + BELL, 1);\n` }],
    expect: { property: 'LOST', program: 'asyncRead | write' },
  },
  {
    id: 'bell-rung-for-first-look',
    title: 'whether to ring is decided by the stack as it was first seen, not as it was pushed upon',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'ready.ts',
        find: `  let top = Atomics.load(mem, agent + READY);
`,
        replace: `  let top = Atomics.load(mem, agent + READY);
  const firstSeen = top;
`,
      },
      { file: 'ready.ts', find: '  else if (top === 0) {\n', replace: '  else if (firstSeen === 0) {\n' },
    ],
    expect: { property: 'INVARIANT', or: 'LOST', program: 'asyncRead+asyncRead | write | write', mode: 'batch:1' },
  },
  {
    id: 'push-links-once',
    title: 'a push that has to be repeated keeps its first link: what was pushed in between is cut off',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'ready.ts',
        find: `  for (;;) {
${PUSH}`,
        replace: `  relaxedStore(mem, waiter + READY_NEXT, top);
  for (;;) {
    const seen = Atomics.compareExchange(mem, agent + READY, top, waiter);
    if (seen === top) break;
    top = seen;
`,
      },
    ],
    expect: { property: 'INVARIANT', or: 'NEGATIVE', program: 'asyncRead+asyncRead | write | write', mode: 'batch:1' },
  },
  {
    id: 'push-links-after',
    title: 'a waiter is on the stack before its link is stored',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'ready.ts',
        find: PUSH,
        replace: `    const seen = Atomics.compareExchange(mem, agent + READY, top, waiter);
    if (seen === top) break;
    top = seen;
`,
      },
      {
        file: 'ready.ts',
        find: `  // Its own bell a thread need not ring: it looks at its stack after every slow path.
`,
        replace: `  relaxedStore(mem, waiter + READY_NEXT, top);
`,
      },
    ],
    expect: { property: 'INVARIANT', or: 'LOST', program: 'asyncRead+asyncRead | write', mode: 'split' },
  },
  {
    id: 'stack-taken-in-two-steps',
    title: 'the stack is read and emptied in two steps: what is pushed in between is lost',
    source: 'ours',
    bugs: [],
    edits: [
      { file: 'ready.ts', find: TAKE, replace: `  let stack = Atomics.load(mem, me + READY);
  Atomics.store(mem, me + READY, 0);
` },
    ],
    expect: { property: 'INVARIANT', or: 'LOST', program: 'asyncRead+asyncRead | write | write', mode: 'batch:1' },
  },
  {
    id: 'stack-answered-backwards',
    title: 'who was signalled last is answered first',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'ready.ts',
        find: `  let first = 0;
  while (stack !== 0) {
`,
        replace: `  let first = 0;
  if (me !== 0) return stack;
  while (stack !== 0) {
`,
      },
    ],
    expect: { uncaught: 'order only: all that have been granted hold the lock already' },
  },
  {
    id: 'own-bell-for-everybody',
    title: 'no bell is rung for a waiter of another thread',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'ready.ts', find: '  if (agent === me) countEvent', replace: '  if (agent !== 0) countEvent' }],
    expect: { property: 'LOST', program: 'asyncRead | write' },
  },
  {
    id: 'async-waiter-notified-as-sleeper',
    title: 'an async waiter is notified on its grant word, where no thread sleeps',
    source: 'ours (I13)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: '    if (entry !== waiter) pushReady', replace: '    if (entry === 0) pushReady' }],
    expect: { property: 'LOST', program: 'asyncRead | write' },
  },
  {
    id: 'cancelled-record-given-back-early',
    title: 'a cancel does not say that a signal is still on its way: the record is reused before it arrives',
    source: 'ours (I13); percpu-rwsem, bug 35: a reference too few',
    bugs: [35],
    edits: [{ file: 'cancel.ts', find: '  return word === WOKEN ? CANCELLED_SIGNALLED : CANCELLED;\n', replace: '  return CANCELLED;\n' }],
    expect: { property: 'INVARIANT', or: 'STUCK', program: 'abortWrite | read' },
  },
  {
    id: 'cancelled-record-kept',
    title: 'a cancel always says that a signal is on its way: the record never comes back',
    source: 'ours (I13); percpu-rwsem, bug 35: a reference too many',
    bugs: [35],
    edits: [{ file: 'cancel.ts', find: '  return word === WOKEN ? CANCELLED_SIGNALLED : CANCELLED;\n', replace: '  return CANCELLED_SIGNALLED;\n' }],
    expect: { property: 'LOST', program: 'abortWrite | read' },
  },
  {
    id: 'async-writer-steals',
    title: 'an async writer that is not first takes the lock like a running thread',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'write.ts', find: `  if (isAsyncWaiter(mem, waiter)) return false;\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'asyncWrite | read | write' },
  },
  {
    id: 'granted-writer-steals',
    title: "under the 'grant' policy a writer that is not first takes the lock by itself",
    source: 'rwsem, the 2023 series: only the head is tried',
    bugs: [],
    edits: [{ file: 'write.ts', find: `  if (relaxedLoad(mem, POLICY_WRITER_WAKE) !== WAKE_STEAL) return false;\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write | write', mode: 'grant' },
  },
  {
    id: 'ready-popped-after-plain-reads',
    title: 'the ready stack is popped one by one: its top and what is below are read plainly, before the compare-exchange',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'ready.ts',
        find: `${TAKE}  let first = 0;
  while (stack !== 0) {
    const below = relaxedLoad(mem, stack + READY_NEXT);
    relaxedStore(mem, stack + READY_NEXT, first);
    first = stack;
    stack = below;
  }
  return first;
`,
        replace: `  for (;;) {
    const top = relaxedLoad(mem, me + READY);
    const below = top === 0 ? 0 : relaxedLoad(mem, top + READY_NEXT);
    if (Atomics.compareExchange(mem, me + READY, top, below) === top) {
      if (top !== 0) relaxedStore(mem, top + READY_NEXT, 0);
      return top;
    }
  }
`,
      },
    ],
    expect: { property: 'LOST', program: 'asyncRead+asyncRead | write', mode: 'delayed' },
  },
];
