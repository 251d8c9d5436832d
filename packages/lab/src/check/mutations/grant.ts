/** Granting readers: the count first, then the grant word, then the notification (I7). */

import type { Mutation } from './mutation.ts';

const ADMIT = `  Atomics.add(mem, lock + COUNT, delta);
  countEvents(mem, me, WAKE_READER, granted);
`;
const PUBLISH = `    relaxedStore(mem, waiter + NEXT, 0);
    signal(mem, me, waiter, GRANTED);
    waiter = next;
  }
`;
const STORE_GRANT = `  const before = Atomics.exchange(mem, waiter + GRANT, word);
  if (before !== WAITING) return;
`;

export const GRANT_MUTATIONS: readonly Mutation[] = [
  {
    id: 'grant-before-count',
    title: 'readers are told that they hold the lock before they are counted',
    source: 'rwsem bug 1, 70800c3c0cc5',
    bugs: [1],
    edits: [
      { file: 'wake.ts', find: ADMIT, replace: '  countEvents(mem, me, WAKE_READER, granted);\n' },
      { file: 'wake.ts', find: PUBLISH, replace: `${PUBLISH}  Atomics.add(mem, lock + COUNT, delta);\n` },
    ],
    expect: { property: 'NEGATIVE', program: 'write | read | read' },
  },
  {
    id: 'notify-before-grant',
    title: 'a sleeper is notified before its grant word is stored',
    source: 'rwsem bug 2, e158488be27b',
    bugs: [2],
    edits: [
      {
        file: 'wake.ts',
        find: STORE_GRANT,
        replace: `  Atomics.notify(mem, waiter + GRANT);
  const before = Atomics.exchange(mem, waiter + GRANT, word);
  if (before !== WAITING || asyncBit === 0) return;
`,
      },
    ],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'grant-without-notify',
    title: 'a granted sleeper is not notified',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'wake.ts', find: `    else Atomics.notify(mem, waiter + GRANT); //`, replace: '    //' }],
    expect: { property: 'LOST', program: 'read | write' },
  },
  {
    id: 'notify-from-any-signal',
    title: 'a waiter that has been signalled already is listed a second time',
    source: 'ours (I13)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: `  if (before !== WAITING) return;\n`, replace: '' }],
    expect: { property: 'INVARIANT', or: 'LOST', program: 'read read | asyncWrite | write' },
  },
  {
    id: 'no-pre-grant',
    title: 'no reader is counted before the queue is walked: a writer may steal meanwhile',
    source: 'rwsem bug 24, fe6e674c6187',
    bugs: [24],
    edits: [{ file: 'wake.ts', find: `  if (kind !== WAKE_READ_OWNED) {\n    const before`, replace: `  if (kind < 0) {\n    const before` }],
    expect: { property: 'MUTEX', program: 'read | write | write' },
  },
  {
    id: 'pre-grant-kept',
    title: 'the reader counted in advance is not taken back after a writer was found',
    source: 'rwsem bug 24, fe6e674c6187',
    bugs: [24],
    edits: [{ file: 'wake.ts', find: `        Atomics.sub(mem, lock + COUNT, READER);\n      }\n      return;`, replace: '      }\n      return;' }],
    expect: { property: 'INVARIANT', or: 'STUCK', program: 'timedRead | write | write' },
  },
  {
    id: 'pre-grant-kept-with-handoff',
    title: 'the same where handoff is asked for: HANDOFF is added without taking the reader back',
    source: 'rwsem bug 24, fe6e674c6187',
    bugs: [24],
    edits: [{ file: 'wake.ts', find: 'HANDOFF - READER);', replace: 'HANDOFF);' }],
    expect: { property: 'INVARIANT', or: 'STUCK', program: 'read | write | write' },
  },
  {
    id: 'pre-grant-counted-twice',
    title: 'all granted readers are added on top of the one counted in advance',
    source: 'rwsem bug 24, fe6e674c6187',
    bugs: [24],
    edits: [{ file: 'wake.ts', find: '(granted * READER - counted) | 0;', replace: '(granted * READER) | 0;' }],
    expect: { property: 'INVARIANT', or: 'STUCK', program: 'read | write' },
  },
  {
    id: 'one-reader-counted',
    title: 'a batch of readers is counted as one',
    source: 'rwsem bug 24, fe6e674c6187',
    bugs: [24],
    edits: [{ file: 'wake.ts', find: '(granted * READER - counted) | 0;', replace: '(READER - counted) | 0;' }],
    expect: { property: 'NEGATIVE', program: 'read | read | write' },
  },
  {
    id: 'grant-keeps-waiters-bit',
    title: 'granting the last of the queue leaves WAITERS set',
    source: 'ours (I2)',
    bugs: [],
    edits: [{ file: 'wake.ts', find: `  if (relaxedLoad(mem, lock + HEAD) === 0) delta = (delta - WAITERS) | 0;\n`, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | write' },
  },
  {
    id: 'grant-keeps-handoff-bit',
    title: 'granting readers leaves HANDOFF set',
    source: 'ours (I3)',
    bugs: [],
    edits: [
      { file: 'wake.ts', find: `  if (hasHandoff(Atomics.load(mem, lock + COUNT))) delta = (delta - HANDOFF) | 0;\n`, replace: '' },
    ],
    expect: { property: 'INVARIANT', program: 'read | write | write' },
  },
  {
    id: 'grant-clears-handoff-unseen',
    title: 'granting readers subtracts HANDOFF without looking whether it is set',
    source: 'rwsem bug 7, d257cc8cb8d5: arithmetic instead of a mask',
    bugs: [7],
    edits: [
      {
        file: 'wake.ts',
        find: `  if (hasHandoff(Atomics.load(mem, lock + COUNT))) delta = (delta - HANDOFF) | 0;\n`,
        replace: `  delta = (delta - HANDOFF) | 0;\n`,
      },
    ],
    expect: { property: 'INVARIANT', or: 'NEGATIVE', program: 'read | write' },
  },
  {
    id: 'grant-believed-without-looking',
    title: 'a sleeper takes any wake-up for its grant',
    source: 'mutex bug 30, e274795ea7b7: a grant inferred, not collected',
    bugs: [30],
    edits: [
      {
        file: 'park.ts',
        find: `      sleep(mem, me, waiter, sleepEvent, false, 0);\n`,
        replace: `      sleep(mem, me, waiter, sleepEvent, false, 0);\n      return true;\n`,
      },
    ],
    expect: { property: 'INVARIANT', or: 'MUTEX', program: 'read | write', mode: 'spurious' },
  },
  {
    id: 'grant-inferred-from-owner',
    title: 'a writer that finds its own tag in the owner word takes that for a grant',
    source: 'mutex bug 30, e274795ea7b7',
    bugs: [30],
    edits: [
      { file: 'write.ts', find: `  HEAD,\n  IDLE,\n`, replace: `  HEAD,\n  IDLE,\n  OWNER,\n` },
      {
        file: 'write.ts',
        find: `  let taken = word === GRANTED;\n`,
        replace: `  let taken = word === GRANTED || relaxedLoad(mem, lock + OWNER) === relaxedLoad(mem, waiter + WAITER_TAG);\n`,
      },
    ],
    expect: { property: 'INVARIANT', or: 'NEGATIVE', program: 'write write | read', mode: 'owner' },
  },
  {
    id: 'grant-stops-at-writer',
    title: 'readers are granted only up to the first queued writer',
    source: 'percpu-rwsem rule 36, the other way round',
    bugs: [36],
    edits: [{ file: 'wake.ts', find: `      granted = (granted + 1) | 0;\n    }\n`, replace: `      granted = (granted + 1) | 0;\n    } else break;\n` }],
    expect: { uncaught: 'a different rule, not a mistake: readers behind the writer wait for one more phase, and every property still holds' },
  },
];
