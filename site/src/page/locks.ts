/** The locks that run in a browser. Their modules are the lab's, bundled beside this one. */
import type { Competitor } from '../../../packages/lab/dist/bench/competitor.js';
import { threadCompetitor } from '../../../packages/lab/dist/bench/thread-competitor.js';
import type { World } from '../../../packages/lab/dist/locks/lock.js';

interface BrowserLock {
  about: string;
  module: string;
  world: World;
  chosen: boolean;
  /** Null if it runs in this browser. */
  whyAbsent(): string | null;
}

const everywhere = () => null;
const withoutWaitAsync = () =>
  'waitAsync' in Atomics ? null : 'the benchmark of awaited locks needs Atomics.waitAsync (Chrome 90, Safari 16.4, Firefox 145)';

export const LOCKS: Readonly<Record<string, BrowserLock>> = {
  rwsem: { about: 'workers block', module: 'rwsem', world: 'threads', chosen: true, whyAbsent: everywhere },
  'rwsem-async': { about: 'event loops of workers await', module: 'rwsem-async', world: 'awaiting', chosen: true, whyAbsent: withoutWaitAsync },
  'navigator.locks': {
    about: "the browser's own, which can only be awaited",
    module: 'web-locks',
    world: 'awaiting',
    chosen: true,
    whyAbsent: () => ('locks' in navigator ? withoutWaitAsync() : 'this browser has no navigator.locks'),
  },
  'futex-mutex': { about: 'a textbook mutex: readers exclude one another', module: 'futex-mutex', world: 'threads', chosen: false, whyAbsent: everywhere },
  'broken-nothing': { about: 'locks nothing: has to be found out', module: 'broken-nothing', world: 'threads', chosen: false, whyAbsent: everywhere },
};

export function openLock(name: string): Competitor {
  const { module, world } = LOCKS[name]!;
  return threadCompetitor(name, new URL(`./locks/${module}.js`, import.meta.url).href, {}, world);
}
