/** Handoff: who may set it, who may take a free lock, and that nobody starves. */

import type { Mutation } from './mutation.ts';

const MAY_TAKE = `  return !hasHandoff(count) || relaxedLoad(mem, head + HANDOFF_SET) === 0;
`;

export const HANDOFF_MUTATIONS: readonly Mutation[] = [
  {
    id: 'handoff-never-due',
    title: 'no waiter ever asks for handoff',
    source: 'rwsem bug 14, 2f06f702925b, taken to its end',
    bugs: [14],
    edits: [
      {
        file: 'handoff.ts',
        find: '  const rule = relaxedLoad(mem, waiter + HANDOFF_RULE);\n',
        replace: '  if (waiter !== 0) return false;\n  const rule = relaxedLoad(mem, waiter + HANDOFF_RULE);\n',
      },
    ],
    expect: { property: 'STARVE', program: 'write | write*', mode: 'handoff:now fair' },
  },
  {
    id: 'urgent-does-not-hurry',
    title: 'an urgent waiter asks for handoff only once it is first, and those before it never do',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'queue.ts', find: '  relaxedStore(mem, lock + TAIL, waiter);\n  hurryThoseBefore(mem, waiter);\n', replace: '  relaxedStore(mem, lock + TAIL, waiter);\n' }],
    expect: { property: 'STARVE', program: 'urgentRead | write | write*', mode: 'handoff:off one-core fair' },
  },
  {
    id: 'handoff-only-from-waker',
    title: "a writer's own failed try does not ask for handoff, only wakers do",
    source: 'rwsem bug 14, 2f06f702925b',
    bugs: [14],
    edits: [{ file: 'write.ts', find: '      if (hasHandoff(count) || !isHandoffDue(mem, waiter)) return false;\n', replace: '      if (!hasHandoff(count) || waiter !== 0) return false;\n' }],
    expect: { property: 'STARVE', program: 'write | write*', mode: 'handoff:now fair' },
  },
  {
    id: 'handoff-not-from-waker',
    title: 'a waker that finds the lock held does not ask for handoff on behalf of the head writer',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'wake.ts', find: '      if (hasHandoff(count) || !isHandoffDue(mem, head)) return;\n', replace: '      if (!hasHandoff(count) || head !== 0) return;\n' }],
    expect: { property: 'STARVE', program: 'write | write* | write*', mode: 'handoff:now fair' },
  },
  {
    id: 'handoff-not-for-readers',
    title: 'a reader that finds itself robbed by a writer never asks for handoff',
    source: 'rwsem bug 14, 2f06f702925b, for readers',
    bugs: [14],
    edits: [{ file: 'wake.ts', find: 'if (isHandoffDue(mem, head) && !hasHandoff(before)) {', replace: 'if (hasHandoff(before) && !hasHandoff(before)) {' }],
    expect: { property: 'STARVE', program: 'read | write* | write*', mode: 'handoff:now fair' },
  },
  {
    id: 'handoff-by-compare-exchange',
    title: 'handoff is asked for by a compare-exchange, which fails as long as thieves come and go',
    source: 'ours, found in a prototype',
    bugs: [],
    edits: [
      {
        file: 'handoff.ts',
        find: '  return Atomics.or(mem, lock + COUNT, HANDOFF) | HANDOFF;\n',
        replace: `  let count = Atomics.load(mem, lock + COUNT);
  for (;;) {
    const seen = Atomics.compareExchange(mem, lock + COUNT, count, count | HANDOFF);
    if (seen === count) return count | HANDOFF;
    count = seen;
  }
`,
      },
    ],
    expect: { property: 'STARVE', program: 'write | read* | read*', mode: 'handoff:now fair' },
  },
  {
    id: 'handoff-stolen-by-spinner',
    title: 'a spinner takes a lock that has been promised to the head',
    source: 'ours (I5)',
    bugs: [],
    edits: [
      {
        file: 'steal.ts',
        find: '  if ((count & WRITER_BARRED) !== 0) return false;\n',
        replace: '  if ((count & layout.HELD_MASK) !== 0) return false;\n',
      },
    ],
    expect: { property: 'INVARIANT', program: 'write | write | write', mode: 'one-core' },
  },
  {
    id: 'handoff-cleared-by-spinner',
    title: 'a stealing writer clears HANDOFF, and the head never gets its turn',
    source: 'mutex bug 31, 048661a1f963',
    bugs: [31],
    edits: [
      { file: 'steal.ts', find: '  if ((count & WRITER_BARRED) !== 0) return false;\n', replace: '  if ((count & layout.HELD_MASK) !== 0) return false;\n' },
      { file: 'steal.ts', find: 'count, count | WRITER) !== count', replace: 'count, (count | WRITER) & ~layout.HANDOFF) !== count' },
    ],
    expect: { property: 'INVARIANT', program: 'write | write | write', mode: 'spin' },
  },
  {
    id: 'handoff-stolen-by-reader',
    title: 'a reader steals past a handoff',
    source: 'rwsem bug 14, 2f06f702925b; rwbase_rt, bug 34',
    bugs: [14, 34],
    edits: [{ file: 'steal.ts', find: 'if ((count & READER_BARRED) !== 0 ||', replace: 'if ((count & READER_BARRED & ~layout.HANDOFF) !== 0 ||' }],
    expect: { property: 'STARVE', program: 'write | read* | read*', mode: 'handoff:now fair' },
  },
  {
    id: 'handoff-taken-by-another-waiter',
    title: 'any queued writer takes the lock, whoever has asked for handoff',
    source: 'ours (I5)',
    bugs: [],
    edits: [{ file: 'write.ts', find: MAY_TAKE, replace: '  return true;\n' }],
    expect: { property: 'INVARIANT', or: 'STARVE', program: 'read | write | write', mode: 'one-core' },
  },
  {
    id: 'handoff-orphan-honoured',
    title: 'HANDOFF stops every writer but the head, also when its setter has gone',
    source: 'rwsem bug 10, 6eebd5fb2083',
    bugs: [10],
    edits: [{ file: 'write.ts', find: MAY_TAKE, replace: '  return !hasHandoff(count);\n' }],
    expect: { uncaught: 'every cancel of a head wakes the next in line, which may take: only a thread that a scheduler withholds could hang here' },
  },
  {
    id: 'handoff-claimed-by-non-head',
    title: 'a writer that is not first notes the handoff as its own',
    source: 'rwsem bug 11, b613c7f31476',
    bugs: [11],
    edits: [{ file: 'write.ts', find: 'count = askForHandoff(mem, lock, me, head);', replace: 'count = askForHandoff(mem, lock, me, waiter);' }],
    expect: { property: 'INVARIANT', program: 'read | write | write' },
  },
  {
    id: 'handoff-kept-after-taking',
    title: 'a writer takes the lock from the queue and leaves HANDOFF set',
    source: 'ours (I3)',
    bugs: [],
    edits: [{ file: 'write.ts', find: '      let taken = (count | WRITER) & ~HANDOFF;\n', replace: '      let taken = count | WRITER;\n' }],
    expect: { property: 'INVARIANT', program: 'read | write | write' },
  },
  {
    id: 'handoff-kept-by-transfer',
    title: 'a transfer leaves HANDOFF set',
    source: 'ours (I3)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: '~(HANDOFF | WAKING);', replace: '~WAKING;' }],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'transfer-beside-readers',
    title: 'use the force: with HANDOFF set the lock is transferred if no writer has it, readers or not',
    source: 'rwsem bug 23, 2023 rework 6/6 and 8/8',
    bugs: [23],
    edits: [
      { file: 'wake.ts', find: `    if (isHeld(count)) {\n`, replace: `    if (isWriteLocked(count) || (isHeld(count) && !hasHandoff(count))) {\n` },
    ],
    expect: { property: 'MUTEX', program: 'read | write | write', mode: 'one-core' },
  },
  {
    id: 'transfer-beside-anybody',
    title: 'with HANDOFF set the lock is transferred without looking who is counted',
    source: 'rwsem bug 23, 2023 rework',
    bugs: [23],
    edits: [{ file: 'wake.ts', find: `    if (isHeld(count)) {\n`, replace: `    if (isHeld(count) && !hasHandoff(count)) {\n` }],
    expect: { property: 'MUTEX', program: 'read | write | write', mode: 'one-core' },
  },
  {
    id: 'transfer-in-two-steps',
    title: 'the transfer tests for a free lock in one step and takes it in the next',
    source: 'rwsem bug 23, 2023 rework',
    bugs: [23],
    edits: [
      {
        file: 'wake.ts',
        find: `      const seen = Atomics.compareExchange(mem, lock + COUNT, count, taken);\n`,
        replace: `      Atomics.add(mem, lock + COUNT, (taken - count) | 0);\n      const seen = count;\n`,
      },
    ],
    expect: { property: 'NEGATIVE', program: 'read | write | write', mode: 'grant one-core' },
  },
  {
    id: 'handoff-deadline-not-modular',
    title: 'the deadline is compared by value instead of by difference',
    source: 'ours',
    bugs: [],
    edits: [
      {
        file: 'handoff.ts',
        find: '  return ((clockMs() - relaxedLoad(mem, waiter + HANDOFF_AT_MS)) | 0) >= 0;\n',
        replace: '  return clockMs() >= relaxedLoad(mem, waiter + HANDOFF_AT_MS);\n',
      },
    ],
    expect: { uncaught: 'to the checker "the deadline has passed" is a free choice; it has no clock that could wrap around' },
  },
  {
    id: 'timed-read-impolite',
    title: 'a timed read adds before it looks, so that a loop of them is always in the way of the handoff',
    source: 'ours, found in 10 of 35 looping programs of a prototype',
    bugs: [],
    edits: [
      {
        file: 'read.ts',
        find: '  return hasHandoff(Atomics.load(mem, lock + COUNT)) ? NOT_ARRIVED : arriveReader(mem, lock);\n',
        replace: '  return arriveReader(mem, lock);\n',
      },
    ],
    expect: { property: 'STARVE', program: 'write | timedRead* | timedRead*', mode: 'handoff:now fair' },
  },
  {
    id: 'readers-stream-past-writer',
    title: 'readers keep joining readers although a writer is queued',
    source: 'rwsem bug 15, reader stealing',
    bugs: [15],
    edits: [{ file: 'steal.ts', find: '  if (!isAlone && isReaderOwned(Atomics.load(mem, lock + layout.OWNER))) return false;\n', replace: '' }],
    expect: { uncaught: 'handoff ends the stream, so nobody starves; without handoff readers that steal one after the other starve the writer in the unchanged lock too. What grows is how many pass it before its deadline' },
  },
];
