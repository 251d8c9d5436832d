/** What the suites use of `node:worker_threads`, over Web Workers. The first message on a thread's port is its `workerData`. */
import { THREAD, threadStarter } from './starter.ts';

type Listener = (value: never) => void;

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
  readonly #port: MessagePort;
  readonly #thread: { terminate(): Promise<void> };

  constructor(url: URL, { workerData }: { workerData?: unknown } = {}) {
    super();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = (event) => this.emit('message', event.data);
    this.#thread = threadStarter().start(url.href, port2, (message) => this.emit('error', new Error(message)));
    port1.postMessage(workerData);
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  async terminate(): Promise<number> {
    await this.#thread.terminate();
    this.#port.close();
    return 1;
  }
}

class ParentPort extends Emitter {
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  close(): void {
    globalThis.close();
  }
}

async function enter(): Promise<{ port: ParentPort | null; data: unknown }> {
  if ((globalThis as unknown as { name: string }).name !== THREAD) return { port: null, data: null };
  const start = await new Promise<MessageEvent>((resolve) => globalThis.addEventListener('message', resolve, { once: true }));
  const messages = start.ports[0] as MessagePort;
  const port = new ParentPort(messages);
  const data = await new Promise((resolve) => {
    messages.onmessage = (first: MessageEvent<unknown>) => {
      messages.onmessage = (event: MessageEvent<unknown>) => port.emit('message', event.data);
      resolve(first.data);
    };
  });
  return { port, data };
}

const { port: parentPort, data: workerData } = await enter();
export { parentPort, workerData };
