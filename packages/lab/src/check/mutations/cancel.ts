/** Leaving the queue after a timeout or an abort. */

import type { Mutation } from './mutation.ts';

const SETTLE_EMPTY = `  if (relaxedLoad(mem, lock + HEAD) === 0) Atomics.and(mem, lock + COUNT, ~(WAITERS | HANDOFF));
`;
const WAKE_NEXT = `  else if (wasFirst) wakeQueue(mem, lock, me, WAKE_ANY);
`;
const WAS_FIRST = `  const wasFirst = relaxedLoad(mem, lock + HEAD) === waiter;
  unlink(mem, lock, waiter);
`;
const CLEAR_WAKING = `  if (word === WOKEN) Atomics.and(mem, lock + COUNT, ~WAKING);
`;

export const CANCEL_MUTATIONS: readonly Mutation[] = [
  {
    id: 'cancel-keeps-waiters-bit',
    title: 'the last waiter leaves, and WAITERS stays set',
    source: 'rwsem bug 6, 04cafed7fc19',
    bugs: [6],
    edits: [{ file: 'cancel.ts', find: '~(WAITERS | HANDOFF)', replace: '~HANDOFF' }],
    expect: { property: 'INVARIANT', program: 'read | timedWrite' },
  },
  {
    id: 'cancel-keeps-handoff-bit',
    title: 'the last waiter leaves, and HANDOFF stays set',
    source: 'rwsem bug 7c, d257cc8cb8d5',
    bugs: [7],
    edits: [{ file: 'cancel.ts', find: '~(WAITERS | HANDOFF)', replace: '~WAITERS' }],
    expect: { property: 'INVARIANT', program: 'read | timedWrite' },
  },
  {
    id: 'cancel-subtracts-bits',
    title: 'the last waiter subtracts WAITERS and HANDOFF instead of masking them',
    source: 'rwsem bug 7b, d257cc8cb8d5',
    bugs: [7],
    edits: [{ file: 'cancel.ts', find: 'Atomics.and(mem, lock + COUNT, ~(WAITERS | HANDOFF));', replace: 'Atomics.sub(mem, lock + COUNT, WAITERS + HANDOFF);' }],
    expect: { property: 'NEGATIVE', program: 'read | timedWrite' },
  },
  {
    id: 'cancel-believes-own-flag',
    title: 'the last waiter clears HANDOFF only if it remembers having asked: an orphan stays',
    source: 'rwsem bug 7a, d257cc8cb8d5',
    bugs: [7],
    edits: [
      { file: 'cancel.ts', find: `  HANDOFF,\n  HEAD,\n`, replace: `  HANDOFF,\n  HANDOFF_SET,\n  HEAD,\n` },
      {
        file: 'cancel.ts',
        find: 'Atomics.and(mem, lock + COUNT, ~(WAITERS | HANDOFF));',
        replace: 'Atomics.and(mem, lock + COUNT, relaxedLoad(mem, waiter + HANDOFF_SET) !== 0 ? ~(WAITERS | HANDOFF) : ~WAITERS);',
      },
    ],
    expect: { property: 'INVARIANT', program: 'read | timedWrite | timedWrite' },
  },
  {
    id: 'cancel-does-not-wake-next',
    title: 'a head that leaves does not unblock those behind it',
    source: 'rwsem bug 8, 1ee326196c66; glibc rwlock, bug 40',
    bugs: [8, 40],
    edits: [{ file: 'cancel.ts', find: WAKE_NEXT, replace: '' }],
    expect: { property: 'LOST', program: 'read | timedWrite | write' },
  },
  {
    id: 'cancel-first-after-removal',
    title: '"was it first?" is asked after the removal, when somebody else is',
    source: 'rwsem bug 20, the list change of 2026',
    bugs: [20],
    edits: [
      {
        file: 'cancel.ts',
        find: WAS_FIRST,
        replace: `  unlink(mem, lock, waiter);
  const wasFirst = relaxedLoad(mem, lock + HEAD) === waiter;
`,
      },
    ],
    expect: { property: 'LOST', program: 'read | timedWrite | write' },
  },
  {
    id: 'cancel-inverted-removal',
    title: 'the result of the removal is read the wrong way round',
    source: 'rwsem bug 21, 1ea4b473504b',
    bugs: [21],
    edits: [{ file: 'cancel.ts', find: SETTLE_EMPTY, replace: SETTLE_EMPTY.replace('=== 0', '!== 0') }],
    expect: { property: 'INVARIANT', program: 'read | timedWrite' },
  },
  {
    id: 'cancel-forgets-grant',
    title: 'a cancel does not look again, under the wait lock, whether it has been granted the lock',
    source: 'ours',
    bugs: [],
    edits: [{ file: 'cancel.ts', find: '  if (word === GRANTED) {', replace: '  if (word === IDLE) {' }],
    expect: { property: 'STUCK', program: 'timedRead | write' },
  },
  {
    id: 'cancel-keeps-waking-bit',
    title: 'a head that was told to try leaves, and WAKING stays: no release wakes any more',
    source: 'ours (I11)',
    bugs: [],
    edits: [{ file: 'cancel.ts', find: CLEAR_WAKING, replace: '' }],
    expect: { property: 'INVARIANT', program: 'read | timedWrite' },
  },
  {
    id: 'cancel-clears-waking-after-wake',
    title: 'WAKING is cleared after the next in line has been woken, and with it that wake-up',
    source: 'ours (I11)',
    bugs: [],
    edits: [
      { file: 'cancel.ts', find: CLEAR_WAKING, replace: '' },
      { file: 'cancel.ts', find: WAKE_NEXT, replace: WAKE_NEXT + CLEAR_WAKING },
    ],
    expect: { property: 'LOST', program: 'read | timedWrite | write' },
  },
  {
    id: 'cancel-wakes-readers-only',
    title: 'a head that leaves wakes readers behind it, but no writer: the chance it had is lost',
    source: 'rwsem bug 8, 1ee326196c66',
    bugs: [8],
    edits: [
      { file: 'cancel.ts', find: `import { unlockAndWake, WAKE_ANY, wakeQueue }`, replace: `import { unlockAndWake, WAKE_READERS, wakeQueue }` },
      { file: 'cancel.ts', find: 'wakeQueue(mem, lock, me, WAKE_ANY);', replace: 'wakeQueue(mem, lock, me, WAKE_READERS);' },
    ],
    expect: { property: 'LOST', program: 'read | timedWrite | write' },
  },
  {
    id: 'cancel-does-not-send',
    title: 'a cancel drops the wait lock without sending the notifications it has listed',
    source: 'ours',
    bugs: [],
    edits: [
      { file: 'cancel.ts', find: `import { unlockAndWake, WAKE_ANY, wakeQueue }`, replace: `import { WAKE_ANY, wakeQueue }` },
      { file: 'cancel.ts', find: `  unlockAndWake(mem, lock, me);\n`, replace: `  unlockWaitLock(mem, lock);\n` },
    ],
    expect: { property: 'LOST', program: 'read | timedWrite | write' },
  },
];
