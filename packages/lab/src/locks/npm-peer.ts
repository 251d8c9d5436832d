/**
 * Promise locks of other packages, for one event loop. The module is loaded as `npm-peer.js?peer=NAME`;
 * the packages are those of `peers/npm/package.json`, if they have been installed there.
 */
import type { AsyncLock, AsyncLockModule } from './lock.ts';

type Release = () => void;
/** Makes locks; gets what the package exports. */
type Peer = (exports: never) => () => AsyncLock;

const release = (held: unknown) => (held as Release)();

export const NPM_PEERS: Readonly<Record<string, Peer>> = {
  'async-rwlock': ({ RWLock }: { RWLock: new () => { readLock(): Promise<void>; writeLock(): Promise<void>; unlock(): void } }) => () => {
    const lock = new RWLock();
    return { read: () => lock.readLock(), write: () => lock.writeLock(), release: () => lock.unlock() };
  },
  rwlock: ({ default: Lock }: { default: new () => Record<'readLock' | 'writeLock', (body: (release: Release) => void) => void> }) => () => {
    const lock = new Lock();
    const acquire = (mode: 'readLock' | 'writeLock') => new Promise<Release>((resolve) => lock[mode](resolve));
    return { read: () => acquire('readLock'), write: () => acquire('writeLock'), release };
  },
  '@rocicorp/lock': ({ RWLock }: { RWLock: new () => { read(): Promise<Release>; write(): Promise<Release> } }) => () => {
    const lock = new RWLock();
    return { read: () => lock.read(), write: () => lock.write(), release };
  },
  mortice: ({ default: mortice }: { default: (options: object) => { readLock(): Promise<Release>; writeLock(): Promise<Release> } }) => {
    let made = 0;
    return () => {
      const lock = mortice({ name: `lock ${made++}`, singleProcess: true });
      return { read: () => lock.readLock(), write: () => lock.writeLock(), release };
    };
  },
  // Knows no readers: they exclude one another.
  'async-mutex': ({ Mutex }: { Mutex: new () => { acquire(): Promise<Release> } }) => () => {
    const lock = new Mutex();
    return { read: () => lock.acquire(), write: () => lock.acquire(), release };
  },
};

/** These fail in their first acquisition without it. */
const NEED_WITH_RESOLVERS = new Set(['@rocicorp/lock', 'mortice']);

const name = new URL(import.meta.url).searchParams.get('peer') ?? '';

async function load(): Promise<() => AsyncLock> {
  const peer = NPM_PEERS[name];
  if (peer === undefined) throw new Error(`no peer is called "${name}"`);
  if (NEED_WITH_RESOLVERS.has(name) && !('withResolvers' in Promise)) throw new Error('needs Promise.withResolvers; Node has it from version 22');
  const { load: importFromThere } = (await import(new URL('../../peers/npm/load.js', import.meta.url).href)) as { load(name: string): Promise<never> };
  try {
    return peer(await importFromThere(name));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    throw new Error(isMissing ? 'not installed; "rwsem-lab peers" installs it' : `does not load here: ${String(error)}`);
  }
}

export const { create, attach }: AsyncLockModule<number> = {
  async create({ locks }) {
    await load();
    return { handle: locks };
  },
  async attach(locks) {
    const make = await load();
    return { locks: Array.from({ length: locks }, make) };
  },
};
