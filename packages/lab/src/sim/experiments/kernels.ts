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

export const BEFORE_2023: SimulatedLock = { ...KERNEL_CADENCE, edits: [NEVER_TRANSFERS] };
export const BEFORE_5_6: SimulatedLock = { ...KERNEL_CADENCE, edits: [NEVER_TRANSFERS, SLEEPS_AFTER_HANDOFF] };
