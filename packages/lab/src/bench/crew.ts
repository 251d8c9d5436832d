/**
 * The workers of one round: starts them, waits for all of them, notices when some never answer. Not the crew
 * of the checker and the simulator, whose threads work off a list: these are all there at once, and meet.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { WorkerMessage, WorkerTask } from './protocol.ts';

/** Why a round has no result. */
export class CrewError extends Error {
  override readonly name = 'CrewError';
  readonly verdict: 'HUNG' | 'FAILED';
  constructor(verdict: 'HUNG' | 'FAILED', message: string) {
    super(message);
    this.verdict = verdict;
  }
}

const LEAVING_MS = 2000;

type Message<Kind> = Extract<WorkerMessage, { kind: Kind }>;

export class Crew {
  /** Rejects when a worker fails; never resolves. */
  readonly failure: Promise<never>;
  readonly #workers: Worker[];
  readonly #received: Array<Map<WorkerMessage['kind'], WorkerMessage>>;
  #arrived: () => void = () => {};

  constructor(tasks: WorkerTask[]) {
    let fail: (error: CrewError) => void = () => {};
    this.failure = new Promise<never>((_, reject) => (fail = reject));
    this.failure.catch(() => {}); // may come when nobody is waiting
    this.#received = tasks.map(() => new Map());
    this.#workers = tasks.map((workerData, index) => {
      const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData });
      worker.on('message', (message: WorkerMessage) => {
        if (message.kind === 'failed') fail(new CrewError('FAILED', `thread ${index}: ${message.error}`));
        this.#received[index]!.set(message.kind, message);
        this.#arrived();
      });
      worker.on('error', (error) => fail(new CrewError('FAILED', `thread ${index}: ${error.message}`)));
      return worker;
    });
  }

  /** Resolves when every worker has sent the message; those that stay away hang. */
  async all<Kind extends WorkerMessage['kind']>(kind: Kind, withinMs: number): Promise<Array<Message<Kind>>> {
    const missing = () => this.#received.flatMap((messages, index) => (messages.has(kind) ? [] : [index]));
    const everyone = new Promise<void>((resolve) => {
      this.#arrived = () => missing().length === 0 && resolve();
      this.#arrived();
    });
    const timer = new AbortController();
    const tooLate = sleep(withinMs, undefined, { signal: timer.signal }).then(() => {
      throw new CrewError('HUNG', `${missing().length} of ${this.#workers.length} threads did not come back within ${withinMs} ms`);
    });
    tooLate.catch(() => {}); // an abort when all is well
    try {
      await Promise.race([everyone, tooLate, this.failure]);
    } finally {
      timer.abort();
    }
    return this.#received.map((messages) => messages.get(kind) as Message<Kind>);
  }

  /** Until all have let go of their locks; one that does not is ended by `terminate`. */
  async gone(): Promise<void> {
    await this.all('left', LEAVING_MS).catch(() => {});
  }

  async terminate(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
