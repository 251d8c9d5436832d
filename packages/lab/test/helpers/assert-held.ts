import assert from 'node:assert/strict';
import type { Exploration } from '../../dist/check/explore.js';

/** Nothing was found in all of it, and there was something to look at: an engine that explores nothing finds nothing. */
export function assertHeld(found: Exploration, moreStatesThan: number): void {
  assert.deepEqual(found.failure, null, JSON.stringify(found.schedule));
  assert.ok(found.complete);
  assert.ok(found.states > moreStatesThan, `${found.states} states`);
}
