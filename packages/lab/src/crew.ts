/** Threads that share a list of tasks: each takes the next when it has finished one. */
import { Worker } from 'node:worker_threads';

/** What a thread posts of the task that it was sent. */
export type FromWorker<R> = { kind: 'progress'; states: number; depth: number } | { kind: 'result'; result: R };

/** Of what is under way. */
export interface Moment<T> {
  task: T;
  states: number;
  depth: number;
}

/** What the threads run, and what a task is called in an error. */
export interface CrewJob<T> {
  script: URL;
  nameOf(task: T): string;
}

export interface CrewObserver<T, R> {
  /** All that is under way, whenever something has moved. */
  moved(moments: readonly Moment<T>[]): void;
  /** True to start nothing more and drop what is under way. */
  finished(task: T, result: R): boolean;
}

export async function runCrew<T, R>(job: CrewJob<T>, tasks: readonly T[], size: number, observer: CrewObserver<T, R>, signal: AbortSignal): Promise<void> {
  const queue = tasks.slice();
  const moments = new Set<Moment<T>>();
  const workers = new Set<Worker>();
  let isOver = signal.aborted;
  const stop = (): void => {
    isOver = true;
    for (const worker of workers) void worker.terminate();
  };
  signal.addEventListener('abort', stop, { once: true });

  const member = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(job.script);
      workers.add(worker);
      let task: T | undefined;
      let moment: Moment<T> | undefined;
      const next = (): void => {
        task = isOver ? undefined : queue.shift();
        if (!task) return void worker.terminate();
        moment = { task, states: 0, depth: 0 };
        moments.add(moment);
        worker.postMessage(task);
      };
      worker.on('message', (message: FromWorker<R>) => {
        if (isOver || !task || !moment) return;
        if (message.kind === 'progress') Object.assign(moment, { states: message.states, depth: message.depth });
        else {
          moments.delete(moment);
          if (observer.finished(task, message.result)) stop();
          else next();
        }
        observer.moved([...moments]);
      });
      worker.on('error', (error) => {
        stop();
        reject(new Error(`${task === undefined ? 'starting' : job.nameOf(task)}: ${error.message}`, { cause: error }));
      });
      worker.on('exit', () => resolve());
      next();
    });
  try {
    await Promise.all(Array.from({ length: Math.min(size, tasks.length) }, member));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
