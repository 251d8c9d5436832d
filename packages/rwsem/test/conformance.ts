/** What `RwSem` promises, as tests that run against any memory and any policy. */
import { describe } from 'node:test';
import { bodies } from './conformance/bodies.ts';
import { deadlock } from './conformance/deadlock.ts';
import { holds } from './conformance/holds.ts';
import { misuse } from './conformance/misuse.ts';
import { model } from './conformance/model.ts';
import { options } from './conformance/options.ts';
import { queue } from './conformance/queue.ts';
import { sharing } from './conformance/sharing.ts';
import { threads } from './conformance/threads.ts';
import type { MakeLock } from './helpers/agents.ts';

/** For each part, on the busiest of machines. */
const LIMIT = { timeout: 15_000 };

export function conformance(name: string, makeLock: MakeLock): void {
  describe(name, () => {
    describe('holding', LIMIT, () => {
      holds(makeLock);
      bodies(makeLock);
      misuse(makeLock);
    });
    describe('deadlock', LIMIT, () => deadlock(makeLock));
    describe('options', LIMIT, () => options(makeLock));
    describe('queue', LIMIT, () => queue(makeLock));
    describe('sharing', LIMIT, () => sharing(makeLock));
    describe('threads', LIMIT, () => threads(makeLock));
    describe('model', LIMIT, () => model(makeLock));
  });
}
