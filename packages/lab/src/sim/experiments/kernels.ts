/** The shipped lock as the kernel was at a time: what came later is taken out, and spinners look at every turn. */
import type { Edit } from '../lowering/lower.ts';
import { KERNEL_CADENCE, type SimulatedLock } from '../simulate.ts';

/** Before the series of 2023 the waker never transferred the lock: even with handoff set it only woke the head. */
const NEVER_TRANSFERS: Edit = {
  module: 'wake',
  find: 'hasHandoff(count) || relaxedLoad(mem, POLICY_WRITER_WAKE) === WAKE_GRANT',
  replace: 'relaxedLoad(mem, POLICY_WRITER_WAKE) === WAKE_GRANT',
};
/** Before 5.6 a writer that had set handoff slept. */
const SLEEPS_AFTER_HANDOFF: Edit = {
  module: 'write',
  find: 'relaxedLoad(mem, waiter + HANDOFF_SET) !== 0 && spinForHandoff(mem, lock, me, waiter)',
  replace: 'false',
};

/** Later in the series of 5.3 writers began to spin on readers, for a limited time. */
const SPINS_ON_WRITERS_ONLY: Edit = {
  module: 'spin',
  find: 'return isReaderOwned(owner) ? !isNonspinnable(owner) : isOwnerRunning(mem, owner);',
  replace: 'return !isReaderOwned(owner) && isOwnerRunning(mem, owner);',
};
/** Later in that series the waker began to take readers from behind queued writers along. */
const WAKES_READERS_IN_FRONT: Edit = {
  module: 'wake',
  find: 'while (waiter !== 0 && granted < batch) {',
  replace: 'while (waiter !== 0 && granted < batch && !isWriteWaiter(mem, waiter)) {',
};

export const BEFORE_2023: SimulatedLock = { ...KERNEL_CADENCE, edits: [NEVER_TRANSFERS] };
/** With handoff, the fourth patch of the series, and nothing that came after it. */
export const EARLY_5_3: SimulatedLock = { ...KERNEL_CADENCE, edits: [NEVER_TRANSFERS, SLEEPS_AFTER_HANDOFF, SPINS_ON_WRITERS_ONLY, WAKES_READERS_IN_FRONT] };
