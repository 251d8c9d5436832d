/** What `RwSem` promises, as tests that run against any memory and any policy. */
import { describe } from 'node:test';
import type { MakeLock } from './helpers/conformance-agents.ts';
import { deadlock } from './helpers/conformance-deadlock.ts';
import { holds } from './helpers/conformance-holds.ts';
import { model } from './helpers/conformance-model.ts';
import { options } from './helpers/conformance-options.ts';
import { queue } from './helpers/conformance-queue.ts';
import { sharing } from './helpers/conformance-sharing.ts';
import { threads } from './helpers/conformance-threads.ts';

/** For each part, on the busiest of machines. */
const LIMIT = { timeout: 15_000 };

export function conformance(name: string, makeLock: MakeLock): void {
  describe(name, () => {
    describe('holding', LIMIT, () => holds(makeLock));
    describe('deadlock', LIMIT, () => deadlock(makeLock));
    describe('options', LIMIT, () => options(makeLock));
    describe('queue', LIMIT, () => queue(makeLock));
    describe('sharing', LIMIT, () => sharing(makeLock));
    describe('threads', LIMIT, () => threads(makeLock));
    describe('model', LIMIT, () => model(makeLock));
  });
}
