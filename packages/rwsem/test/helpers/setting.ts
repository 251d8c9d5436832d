/** Scenes with one policy on one kind of runtime, and what is looked for in them. */
import { LockSpace, type Policy, type RwSemState } from 'rwsem';
import { type Player, scene, seen } from './cast.ts';
import { assertFree } from './free.ts';

export const LIMIT = { timeout: 60_000 };

export interface Setting {
  policy: Partial<Policy>;
  make(more?: { waiters?: number; locks?: number }): LockSpace;
  scene(space: LockSpace, players: number, acts: (...players: Player[]) => Promise<void>): Promise<void>;
}

export function settingOf(policy: Partial<Policy>, withoutWaitAsync = false): Setting {
  return {
    policy,
    make: (more = {}) => LockSpace.create({ ...more, agents: 8, policy }),
    scene: (space, players, acts) => scene(space, players, acts, withoutWaitAsync),
  };
}

export const queue = (space: LockSpace): RwSemState['waiters'] => space.rwsem(0).inspect().waiters;
export const queueLength = (space: LockSpace, length: number): Promise<void> =>
  seen(() => queue(space).length === length, space, `${length} waiters`);

export function assertIdle(space: LockSpace): void {
  assertFree(space.rwsem(0));
}
