/** What the suites use of `node:worker_threads`, over Web Workers. */

type Listener = (value: never) => void;

/** By this name a thread knows that its first message is its `workerData`. */
const THREAD = 'rwsem-thread';

/** Values that come before the first listener wait for it, as in Node. */
class Emitter {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #early = new Map<string, unknown[]>();

  on(event: string, listener: Listener): this {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    const early = this.#early.get(event) ?? [];
    this.#early.delete(event);
    for (const value of early) this.emit(event, value);
    return this;
  }

  once(event: string, listener: Listener): this {
    const once: Listener = (value) => {
      this.#listeners.get(event)?.delete(once);
      listener(value);
    };
    return this.on(event, once);
  }

  emit(event: string, value: unknown): void {
    const listeners = [...(this.#listeners.get(event) ?? [])];
    if (listeners.length === 0) this.#early.set(event, [...(this.#early.get(event) ?? []), value]);
    for (const listener of listeners) listener(value as never);
  }
}

export class Worker extends Emitter {
  readonly #worker: globalThis.Worker;

  constructor(url: URL, { workerData }: { workerData?: unknown } = {}) {
    super();
    this.#worker = new globalThis.Worker(url, { type: 'module', name: THREAD });
    this.#worker.addEventListener('message', (event) => this.emit('message', event.data));
    this.#worker.addEventListener('error', (event) => this.emit('error', new Error(event.message || `${url.href} did not load`)));
    this.#worker.postMessage(workerData);
  }

  postMessage(message: unknown): void {
    this.#worker.postMessage(message);
  }

  terminate(): Promise<number> {
    this.#worker.terminate();
    return Promise.resolve(1);
  }
}

class ParentPort extends Emitter {
  postMessage(message: unknown): void {
    (globalThis as unknown as { postMessage(message: unknown): void }).postMessage(message);
  }

  close(): void {
    globalThis.close();
  }
}

async function enter(): Promise<{ port: ParentPort | null; data: unknown }> {
  if ((globalThis as unknown as { name: string }).name !== THREAD) return { port: null, data: null };
  const port = new ParentPort();
  const data = await new Promise((resolve) => {
    let isFirst = true;
    globalThis.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (!isFirst) return port.emit('message', event.data);
      isFirst = false;
      resolve(event.data);
    });
  });
  return { port, data };
}

const { port: parentPort, data: workerData } = await enter();
export { parentPort, workerData };
