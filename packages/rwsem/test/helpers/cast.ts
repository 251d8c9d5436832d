/**
 * Threads that act out a scene. A step is a function that is sent to a thread as source text, so it may use
 * its parameters and nothing else of the test; it may block, since the thread that directs does not.
 */
import { Worker } from 'node:worker_threads';
import type { LockSpace, LockSpaceHandle, ReadGuard, RwSem, WriteGuard } from 'rwsem';

/** What a step gets to work with. It lives as long as the scene. */
export interface Stage {
  space: LockSpace;
  /** Lock 0 of the space. */
  lock: RwSem;
  /** Shared by all threads of the scene. */
  words: Int32Array;
  /** For what the next step of the same thread needs. */
  kept: Record<string, ReadGuard | WriteGuard>;
  promises: Record<string, Promise<ReadGuard | WriteGuard>>;
  /** Blocks without turning the event loop. */
  spinUntil(condition: () => boolean, what: string): void;
  /** The code or name of the error, or `'granted'`. */
  outcome(attempt: () => unknown): string;
}

export type Step<A, T> = (stage: Stage, argument: A) => T | PromiseLike<T>;

export interface CastData {
  library: string;
  patienceMs: number;
  /** As on a runtime that has no `Atomics.waitAsync`. */
  withoutWaitAsync: boolean;
}

export type CastRequest = { id: number } & ({ begin: LockSpaceHandle; words: Int32Array } | { step: string; argument: unknown } | { end: true });

export interface CastReply {
  id: number;
  value?: unknown;
  error?: { name: string; message: string; code: string | undefined };
}

type WithoutId<R> = R extends unknown ? Omit<R, 'id'> : never;

const PATIENCE_MS = 20_000;

export class Player {
  words: Int32Array = new Int32Array(0);
  /** Its agent id in the space. */
  agent = 0;
  readonly #worker: Worker;
  readonly #open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #look = (): string => '';
  #id = 0;

  constructor(withoutWaitAsync: boolean) {
    const workerData: CastData = { library: import.meta.resolve('rwsem'), patienceMs: PATIENCE_MS / 2, withoutWaitAsync };
    this.#worker = new Worker(new URL('../workers/cast.js', import.meta.url), { workerData });
    this.#worker.on('message', ({ id, value, error }: CastReply) => {
      const open = this.#open.get(id);
      this.#open.delete(id);
      if (error) open?.reject(Object.assign(new Error(error.message), error));
      else open?.resolve(value as never);
    });
    this.#worker.on('error', (error) => {
      for (const open of this.#open.values()) open.reject(error as Error);
      this.#open.clear();
    });
  }

  async begin(space: LockSpace, words: Int32Array): Promise<void> {
    this.words = words;
    this.#look = () => JSON.stringify(space.rwsem(0).inspect());
    this.agent = await this.#ask<number>({ begin: space.handle, words }, 'attaching');
  }

  /** Settles with what the step gives; fails, with the state of the lock, if that takes too long. */
  run<A, T>(step: Step<A, T>, argument?: A): Promise<T> {
    return this.#ask<T>({ step: String(step), argument }, String(step));
  }

  /** Detaches: fails if the thread holds or awaits anything. */
  async finish(): Promise<void> {
    await this.#ask({ end: true }, 'detaching');
  }

  end(): Promise<number> {
    return this.#worker.terminate();
  }

  #ask<T>(request: WithoutId<CastRequest>, what: string): Promise<T> {
    const id = ++this.#id;
    return new Promise<T>((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#open.delete(id);
        reject(new Error(`took more than ${PATIENCE_MS} ms: ${what}\n${this.#look()}`));
      }, PATIENCE_MS);
      const inTime = <V>(settle: (value: V) => void) => {
        return (value: V): void => {
          clearTimeout(limit);
          settle(value);
        };
      };
      this.#open.set(id, { resolve: inTime(resolve), reject: inTime(reject) });
      this.#worker.postMessage({ id, ...request });
    });
  }
}

/** Threads between two scenes. */
const resting: Record<'with' | 'without', Player[]> = { with: [], without: [] };

/** Plays a scene in the space. However it ends, no thread is left in it. */
export async function scene(
  space: LockSpace,
  players: number,
  play: (...players: Player[]) => Promise<void>,
  withoutWaitAsync = false,
): Promise<void> {
  const rest = resting[withoutWaitAsync ? 'without' : 'with'];
  const words = new Int32Array(new SharedArrayBuffer(64));
  const cast = Array.from({ length: players }, () => rest.pop() ?? new Player(withoutWaitAsync));
  try {
    for (const player of cast) await player.begin(space, words);
    await play(...cast);
    await Promise.all(cast.map((player) => player.finish()));
    rest.push(...cast);
  } catch (error) {
    await Promise.all(cast.map((player) => player.end()));
    throw error;
  }
}

/** To be called after the last scene. */
export async function dismiss(): Promise<void> {
  await Promise.all([...resting.with, ...resting.without].map((player) => player.end()));
}

/** Polls from the thread that directs. */
export async function seen(condition: () => boolean, space: LockSpace, what: string): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > PATIENCE_MS) throw new Error(`never seen: ${what}\n${JSON.stringify(space.rwsem(0).inspect())}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
