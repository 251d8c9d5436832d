/** A worker thread that takes and releases a lock on request, one guard at a time. */
import { Worker } from 'node:worker_threads';
import type { AcquireOptions, RwSem } from 'rwsem';
import { describeWords, orTellState } from './stuck.ts';

/** Within the time limits of the tests that have one of a minute. */
const STUCK_MS = 50_000;

export type Form = 'read' | 'write' | 'readAsync' | 'writeAsync' | 'tryRead' | 'tryWrite' | 'release' | 'downgrade' | 'detach';

export interface Answer {
  id: number;
  result?: boolean;
  error?: { name: string; code: string };
}

export class RemoteAgent {
  readonly #worker: Worker;
  readonly #open = new Map<number, { form: Form; resolve: (held: boolean) => void; reject: (error: Error) => void }>();
  #id = 0;

  constructor(lock: RwSem) {
    this.#worker = new Worker(new URL('../workers/remote-agent.js', import.meta.url), { workerData: lock.handle });
    this.#worker.on('message', ({ id, result, error }: Answer) => {
      const open = this.#open.get(id);
      this.#open.delete(id);
      if (error) open?.reject(Object.assign(new Error(error.name), error));
      else open?.resolve(result ?? false);
    });
  }

  /** Settles when the worker has done it; true if it then holds the lock. */
  do(form: Form, options?: AcquireOptions): Promise<boolean> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { form, resolve, reject });
      this.#worker.postMessage({ id, form, options });
    });
  }

  /** What it has been asked for, and what it has not answered. */
  describe(): string {
    const open = [...this.#open.values()].map(({ form }) => form).join(', ');
    return `${this.#id} commands, ${open === '' ? 'all answered' : `not answered: ${open}`}`;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Polls, since what it waits for may happen in any thread. Fails with a description of the lock. */
export async function until(condition: () => boolean, lock?: RwSem, limitMs = 10_000): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > limitMs) {
      throw new Error(`gave up waiting for ${String(condition)}; ${lock ? JSON.stringify(lock.inspect()) : ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Runs the body with some remote agents, and ends them however it ends; if it stands still, it fails with where they are. */
export async function withAgents(lock: RwSem, count: number, body: (...agents: RemoteAgent[]) => Promise<void>): Promise<void> {
  const agents = Array.from({ length: count }, () => new RemoteAgent(lock));
  const look = (): string => [describeWords(lock), ...agents.map((agent) => agent.describe())].join('\n');
  try {
    await orTellState(STUCK_MS, look, body(...agents));
  } finally {
    await Promise.all(agents.map((agent) => agent.end()));
  }
}
