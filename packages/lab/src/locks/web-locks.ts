/** `navigator.locks`: browsers, Deno, and Node from 24. Locks by name, for all threads of the process. */
import type { AsyncLock, AsyncLockModule } from './lock.ts';

interface Handle {
  name: string;
  locks: number;
}

interface WebLocks {
  request(name: string, options: { mode: 'shared' | 'exclusive' }, body: () => Promise<void>): Promise<void>;
}
type Release = () => void;

const webLocks = () => (globalThis as { navigator?: { locks?: WebLocks } }).navigator?.locks;

export const { create, attach }: AsyncLockModule<Handle> = {
  create({ locks }) {
    if (webLocks() === undefined) throw new Error('this runtime has no navigator.locks; Node has it from version 24');
    return { handle: { name: `rwsem-lab ${crypto.randomUUID()}`, locks } };
  },
  attach: ({ name, locks }) => ({ locks: Array.from({ length: locks }, (_, index) => one(webLocks()!, `${name} ${index}`) as AsyncLock) }),
};

function one(all: WebLocks, name: string): AsyncLock<Release> {
  const acquire = (mode: 'shared' | 'exclusive') =>
    new Promise<Release>((resolve, reject) => {
      all.request(name, { mode }, () => new Promise<void>((release) => resolve(release))).catch(reject);
    });
  return { read: () => acquire('shared'), write: () => acquire('exclusive'), release: (release) => release() };
}
