import assert from 'node:assert/strict';
import type { RwSem } from 'rwsem';

/** Free by its own account and by trial, as seen by each of these agents. */
export function assertFree(...agents: RwSem[]): void {
  for (const lock of agents) {
    const { mode, readers, handoff, waiters } = lock.inspect();
    assert.deepEqual({ mode, readers, handoff, waiters }, { mode: 'free', readers: 0, handoff: false, waiters: [] });
    const guard = lock.tryWrite();
    assert(guard, 'a free lock can be taken');
    guard.release();
  }
}
