/** Spinning: the steal before the spinner queue, the spinner queue itself, and the owner word as a hint. */

import type { Mutation } from './mutation.ts';

const WATCH = `  for (let turns = 0; turns < SPIN_LIMIT_TURNS; turns = (turns + gap) | 0) {
    backOff(mem, me, gap);
`;

export const SPIN_MUTATIONS: readonly Mutation[] = [
  {
    id: 'steal-held-lock',
    title: 'a writer steals without looking whether the lock is held',
    source: 'ours (I1)',
    bugs: [],
    edits: [
      {
        file: 'steal.ts',
        find: '  if ((count & WRITER_BARRED) !== 0) return false;\n',
        replace: '  if ((count & layout.HANDOFF) !== 0) return false;\n',
      },
    ],
    expect: { property: 'MUTEX', program: 'read | write', mode: 'spin' },
  },
  {
    id: 'steal-beside-readers',
    title: 'a stealing writer looks for a writer only',
    source: 'ours (I1)',
    bugs: [],
    edits: [
      {
        file: 'steal.ts',
        find: '  if ((count & WRITER_BARRED) !== 0) return false;\n',
        replace: '  if ((count & (WRITER | layout.HANDOFF)) !== 0) return false;\n',
      },
    ],
    expect: { property: 'MUTEX', program: 'read | write', mode: 'spin' },
  },
  {
    id: 'steal-wipes-bits',
    title: 'a stealing writer stores WRITER alone: the waiters are forgotten',
    source: 'ours (I2)',
    bugs: [],
    edits: [{ file: 'steal.ts', find: 'count, count | WRITER) !== count', replace: 'count, WRITER) !== count' }],
    expect: { property: 'INVARIANT', program: 'read | write | write', mode: 'spin' },
  },
  {
    id: 'steal-in-two-steps',
    title: 'a stealing writer tests and takes in two steps',
    source: 'ours (I1)',
    bugs: [],
    edits: [
      {
        file: 'steal.ts',
        find: '  if (Atomics.compareExchange(mem, lock + layout.COUNT, count, count | WRITER) !== count) return false;\n',
        replace: '  Atomics.or(mem, lock + layout.COUNT, WRITER);\n',
      },
    ],
    expect: { property: 'MUTEX', program: 'read | write | write', mode: 'spin' },
  },
  {
    id: 'node-initialised-late',
    title: 'a node of the spinner queue is initialised after it has become visible',
    source: 'OSQ bug 32, b4b29f94856a',
    bugs: [32],
    edits: [
      {
        file: 'spin-queue.ts',
        find: `  Atomics.store(mem, me + SPIN_LOCKED, 0);
  Atomics.store(mem, me + SPIN_NEXT, 0);
  Atomics.store(mem, me + SPIN_PREV, 0);
`,
        replace: '',
      },
      {
        file: 'spin-queue.ts',
        find: `  Atomics.store(mem, me + SPIN_PREV, prev);
  Atomics.store(mem, prev + SPIN_NEXT, me);
`,
        replace: `  Atomics.store(mem, me + SPIN_PREV, prev);
  Atomics.store(mem, prev + SPIN_NEXT, me);
  Atomics.store(mem, me + SPIN_LOCKED, 0);
  Atomics.store(mem, me + SPIN_NEXT, 0);
`,
      },
    ],
    expect: { property: 'STUCK', program: 'read | write | write', mode: 'spin ready' },
  },
  {
    id: 'node-initialised-plainly',
    title: 'a node of the spinner queue is initialised by plain stores',
    source: 'OSQ bug 32, b4b29f94856a',
    bugs: [32],
    edits: [
      {
        file: 'spin-queue.ts',
        find: `  Atomics.store(mem, me + SPIN_LOCKED, 0);
  Atomics.store(mem, me + SPIN_NEXT, 0);
  Atomics.store(mem, me + SPIN_PREV, 0);
`,
        replace: `  relaxedStore(mem, me + SPIN_LOCKED, 0);
  relaxedStore(mem, me + SPIN_NEXT, 0);
  relaxedStore(mem, me + SPIN_PREV, 0);
`,
      },
    ],
    expect: { uncaught: 'it is no mistake: the exchange that publishes the node is an atomic one, and the stores before it take effect before it, in the mode delayed too' },
  },
  {
    id: 'node-reset-and-linked-plainly',
    title: 'a node of the spinner queue is reset after it has become visible, before its predecessor is told of it, both by plain stores',
    source: 'OSQ bug 32, b4b29f94856a',
    bugs: [32],
    edits: [
      { file: 'spin-queue.ts', find: '  Atomics.store(mem, me + SPIN_LOCKED, 0);\n  Atomics.store(mem, me + SPIN_NEXT, 0);\n', replace: '  Atomics.store(mem, me + SPIN_NEXT, 0);\n' },
      {
        file: 'spin-queue.ts',
        find: `  Atomics.store(mem, me + SPIN_PREV, prev);
  Atomics.store(mem, prev + SPIN_NEXT, me);
`,
        replace: `  Atomics.store(mem, me + SPIN_PREV, prev);
  relaxedStore(mem, me + SPIN_LOCKED, 0);
  relaxedStore(mem, prev + SPIN_NEXT, me);
`,
      },
    ],
    expect: { property: 'STUCK', program: 'spinTurn | spinTurn', mode: 'delayed spin patient ready' },
  },
  {
    id: 'successor-not-awaited',
    title: 'who leaves the spinner queue does not wait for a successor that has not linked itself yet',
    source: 'OSQ bug 33',
    bugs: [33],
    edits: [
      {
        file: 'spin-queue.ts',
        find: `      if (next !== 0) return next;
    }
    pause();
`,
        replace: `      if (next !== 0) return next;
    }
    return 0;
`,
      },
    ],
    expect: { property: 'STUCK', program: 'read | write | write', mode: 'spin ready' },
  },
  {
    id: 'first-place-overlooked',
    title: 'who leaves the middle of the spinner queue does not look whether it has become the first',
    source: 'OSQ bug 33',
    bugs: [33],
    edits: [{ file: 'spin-queue.ts', find: `    if (Atomics.load(mem, me + SPIN_LOCKED) !== 0) return false;\n`, replace: '' }],
    expect: { property: 'STUCK', program: 'read | write | write', mode: 'spin ready' },
  },
  {
    id: 'successor-keeps-old-predecessor',
    title: 'the successor of a node taken out keeps pointing back at it',
    source: 'OSQ bug 33',
    bugs: [33],
    edits: [{ file: 'spin-queue.ts', find: `    Atomics.store(mem, next + SPIN_PREV, prev);\n`, replace: '' }],
    expect: { uncaught: 'the old link is only used to leave, and until that succeeds the predecessor passes the first place on: a longer wait' },
  },
  {
    id: 'predecessor-not-linked',
    title: 'the predecessor of a node taken out is not linked to its successor',
    source: 'OSQ bug 33',
    bugs: [33],
    edits: [{ file: 'spin-queue.ts', find: `    Atomics.store(mem, prev + SPIN_NEXT, next);\n`, replace: '' }],
    expect: { property: 'STUCK', program: 'spinTurn | spinTurn | spinTurn', mode: 'spin ready' },
  },
  {
    id: 'first-place-not-passed-on',
    title: 'the first of the spinners leaves without telling the next',
    source: 'OSQ bug 33',
    bugs: [33],
    edits: [{ file: 'spin-queue.ts', find: `  if (next !== 0) Atomics.store(mem, next + SPIN_LOCKED, 1);\n`, replace: '  if (next === 0) return;\n' }],
    expect: { property: 'STUCK', program: 'read | write | write', mode: 'spin ready' },
  },
  {
    id: 'spin-queue-not-left',
    title: 'a spinner that got the lock stays first in the spinner queue',
    source: 'ours (I12)',
    bugs: [],
    edits: [{ file: 'spin.ts', find: `  leaveSpinQueue(mem, lock, me);\n`, replace: `  if (!taken) leaveSpinQueue(mem, lock, me);\n` }],
    expect: { property: 'STUCK', program: 'write | write', mode: 'spin' },
  },
  {
    id: 'spin-without-bound',
    title: 'a spin has no bound in turns or time: it trusts that the owner runs, and that the owner word is current',
    source: 'rwsem bugs 12 and 13, 48dfb5d2560d and 3f5245538a19',
    bugs: [12, 13],
    edits: [
      { file: 'spin.ts', find: WATCH, replace: `  for (let turns = 0; turns >= 0; turns = (turns + gap) & 1) {
    backOff(mem, me, gap);
` },
      { file: 'spin.ts', find: `    const now = spinClockUs();
    if (((now - start) | 0) > SPIN_LIMIT_US) return false;
`, replace: `    const now = spinClockUs();
` },
    ],
    expect: { property: 'STUCK', program: 'write | write', mode: 'spin impatient bounded' },
  },
  {
    id: 'spin-on-readers-for-ever',
    title: 'readers are watched as long as a running writer would be: NONSPINNABLE is not heeded',
    source: 'rwsem bug 16, 37e9562453b8',
    bugs: [16],
    edits: [{ file: 'spin.ts', find: '  return isReaderOwned(owner) ? !isNonspinnable(owner) : isOwnerRunning(mem, owner);\n', replace: '  return isReaderOwned(owner) || isOwnerRunning(mem, owner);\n' }],
    expect: { uncaught: 'performance only: every spin is bounded' },
  },
  {
    id: 'stale-owner-believed',
    title: 'an owner word is looked up without its incarnation',
    source: 'rwsem bug 17, after 91d2a812dfb9',
    bugs: [17],
    edits: [{ file: 'owner.ts', find: `  if (Atomics.load(mem, agent + layout.AGENT_TAG) !== (owner & layout.IDENTITY_MASK)) return false;\n`, replace: '' }],
    expect: { uncaught: 'a hint (I10): a wrong answer makes a bounded spin longer; agents of the model do not end' },
  },
  {
    id: 'reader-owner-looked-up',
    title: 'a reader, or an async owner, that is only a hint is looked up as if it were a running writer',
    source: 'rwsem bug 18, 78134300579a',
    bugs: [18],
    edits: [{ file: 'owner.ts', find: `  if (isAsyncOwner(owner) || isReaderOwned(owner)) return false;\n`, replace: '' }],
    expect: { uncaught: 'a hint (I10): agent records are never unmapped, so that it costs a bounded spin' },
  },
  {
    id: 'no-owner-looked-up',
    title: 'nobody in the owner word is looked up as an agent: a word before the first record, even before the memory',
    source: 'rwsem bug 17, after 91d2a812dfb9',
    bugs: [17],
    edits: [{ file: 'owner.ts', find: `  if (id === 0) return false;\n`, replace: '' }],
    // Only between the first acquisition of all and its record is a held lock without an owner.
    expect: { property: 'INVARIANT', program: 'write | write', mode: 'spin owner split' },
  },
];
