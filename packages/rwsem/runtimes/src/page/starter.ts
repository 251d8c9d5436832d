/**
 * Starts threads, always on the page's main thread: Firefox stops for ever inside of `new Worker()` in a worker
 * that has terminated some workers of its own. A worker that runs a suite asks for its threads over a port.
 */

/** By this name a thread knows that its first message is the port to the thread that wanted it. */
export const THREAD = 'rwsem-thread';

type Request = { id: number } & ({ url: string; port: MessagePort } | { terminate: true });
type News = { id: number } & ({ error: string } | { terminated: true });

export interface Starter {
  /** `port` goes to the new thread. */
  start(url: string, port: MessagePort, onError: (message: string) => void): { terminate(): Promise<void> };
}

const onMainThread: Starter = {
  start(url, port, onError) {
    const worker = new Worker(url, { type: 'module', name: THREAD });
    worker.addEventListener('error', (event) => onError(event.message || `${url} did not load`));
    worker.postMessage(null, [port]);
    return { terminate: async () => worker.terminate() };
  },
};

let starter = onMainThread;
export const threadStarter = (): Starter => starter;

/** On the main thread: starts what is asked for at the other end of the port. */
export function startThreadsFor(port: MessagePort): void {
  const threads = new Map<number, { terminate(): Promise<void> }>();
  const tell = (news: News): void => port.postMessage(news);
  port.onmessage = async ({ data }: MessageEvent<Request>) => {
    const { id } = data;
    if ('url' in data) return void threads.set(id, onMainThread.start(data.url, data.port, (error) => tell({ id, error })));
    await threads.get(id)?.terminate();
    threads.delete(id);
    tell({ id, terminated: true });
  };
}

/** In a worker: from here on the other end of the port starts this thread's threads. */
export function startThreadsOver(port: MessagePort): void {
  const open = new Map<number, { onError(message: string): void; onTerminated(): void }>();
  let lastId = 0;
  port.onmessage = ({ data }: MessageEvent<News>) => {
    const thread = open.get(data.id);
    if ('error' in data) return thread?.onError(data.error);
    open.delete(data.id);
    thread?.onTerminated();
  };
  const ask = (request: Request, moved: Transferable[] = []): void => port.postMessage(request, moved);
  starter = {
    start(url, moved, onError) {
      const id = ++lastId;
      const terminated = new Promise<void>((onTerminated) => open.set(id, { onError, onTerminated }));
      ask({ id, url, port: moved }, [moved]);
      return { terminate: () => (ask({ id, terminate: true }), terminated) };
    },
  };
}
