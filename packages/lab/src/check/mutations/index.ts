/** All mutations, by theme. */

import type { Mutation } from './mutation.ts';
import { ASYNC_MUTATIONS } from './async.ts';
import { CANCEL_MUTATIONS } from './cancel.ts';
import { GRANT_MUTATIONS } from './grant.ts';
import { HANDOFF_MUTATIONS } from './handoff.ts';
import { OVERFLOW_MUTATIONS } from './overflow.ts';
import { QUEUE_MUTATIONS } from './queue.ts';
import { RELAXED_MUTATIONS } from './relaxed.ts';
import { SIGNAL_MUTATIONS } from './signal.ts';
import { SPIN_MUTATIONS } from './spin.ts';
import { WAKE_MUTATIONS } from './wake.ts';

export { NOT_APPLICABLE } from './not-applicable.ts';
export { applyMutation, type Edit, type Expectation, type Mutation, type NotApplicable, type Property } from './mutation.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...GRANT_MUTATIONS,
  ...CANCEL_MUTATIONS,
  ...HANDOFF_MUTATIONS,
  ...WAKE_MUTATIONS,
  ...SIGNAL_MUTATIONS,
  ...QUEUE_MUTATIONS,
  ...SPIN_MUTATIONS,
  ...ASYNC_MUTATIONS,
  ...OVERFLOW_MUTATIONS,
  ...RELAXED_MUTATIONS,
];
