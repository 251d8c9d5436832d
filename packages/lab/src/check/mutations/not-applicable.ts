/** Bugs of the catalogue without a counterpart here, so that nobody looks for them. */

import type { NotApplicable } from './mutation.ts';

export const NOT_APPLICABLE: readonly NotApplicable[] = [
  {
    bug: 22,
    title: 'series v5 of 5.2/5.3, "wake almost all readers": a missed wake-up',
    reason: 'the interleaving was never published; of its class are grant-before-count, no-pre-grant and take-clears-waiters-bit',
  },
  {
    bug: 28,
    title: 'rwsem_is_locked races with the release',
    reason: 'queries lie outside the core (inspect.ts): one atomic read of the count, for people and never for decisions',
  },
  {
    bug: 39,
    title: "copies of BRAVO clear another reader's slot, or scan the slots in the wrong order",
    reason: 'readers are counted in one word; there are no reader slots. The table of held locks in an agent record is reserved, and nothing writes it',
  },
  {
    bug: 42,
    title: 'the last reader clears the writer-spinner bit, and readers slip in',
    reason: 'no bit of the count stands for a spinner; the one for a woken writer is covered by the mutations of WAKING',
  },
];
