/**
 * Deliberately broken: every thread gets locks of its own, which work in every form and exclude nobody
 * else. A torture that does not report it is blind.
 */
import { LockSpace as Sound, type LockSpaceHandle } from 'rwsem';

export * from 'rwsem';

const MOST_LOCKS = 64;

export const LockSpace = {
  create: Sound.create,
  attach: (_: LockSpaceHandle) => Sound.create({ locks: MOST_LOCKS }),
};
