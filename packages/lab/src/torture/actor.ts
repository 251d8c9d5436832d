/** One thread of the stress: random operations in every form the lock has, with a check in each. */
import { AsyncWork } from './async-work.ts';
import { BlockingWork } from './blocking-work.ts';
import { Kit, type Mix, type Tally } from './kit.ts';

export class Actor {
  readonly #kit: Kit;
  readonly #blocking: BlockingWork;
  readonly #async: AsyncWork;

  constructor(...what: ConstructorParameters<typeof Kit>) {
    this.#kit = new Kit(...what);
    this.#blocking = new BlockingWork(this.#kit);
    this.#async = new AsyncWork(this.#kit);
  }

  get tally(): Tally {
    return this.#kit.tally;
  }

  /** A round with blocking operations and, for the given share, batches of async ones. */
  async workBlocking(mix: Mix, asyncShare: number): Promise<void> {
    for (let done = 0; done < mix.operations && !mix.isOver?.(); done++) {
      if (!this.#kit.random.chance(asyncShare)) this.#blocking.once(mix);
      else if (this.#kit.random.chance(0.2)) await this.#blocking.mixed(mix);
      else await Promise.all(Array.from({ length: 1 + this.#kit.random.below(4) }, () => this.#async.once(mix)));
    }
    this.#kit.activity.begin('nothing', 0);
  }

  /** A round with several tasks on this event loop. */
  async workAsync(mix: Mix, lanes: number): Promise<void> {
    const lane = async (): Promise<void> => {
      for (let done = 0; done < mix.operations; done += lanes) await this.#async.once(mix);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    this.#kit.activity.begin('nothing', 0);
  }
}
