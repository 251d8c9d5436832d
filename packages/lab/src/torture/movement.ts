/** Who has finished an operation when, seen from outside: what a hang and a starved thread look like. */
import { doneBy, isAtWork } from './activity.ts';

/** A machine that stands still as a whole is no hang: what passes between two looks counts up to here. */
const LONGEST_GAP_MS = 1000;

export class Movement {
  readonly #activity: Int32Array;
  readonly #done: number[];
  /** When each of them last finished one, or was seen to have nothing to do. */
  readonly #movedAt: number[];
  #lookedAt = performance.now();
  /** Milliseconds of looking. */
  #now = 0;
  #anyMovedAt = 0;

  constructor(activity: Int32Array, actors: number) {
    this.#activity = activity;
    this.#done = Array.from({ length: actors }, (_, i) => doneBy(activity, i));
    this.#movedAt = this.#done.map(() => 0);
  }

  /** From now on it counts. */
  restart(): void {
    this.#anyMovedAt = this.#now;
    this.#movedAt.fill(this.#anyMovedAt);
  }

  /** To be called now and then. */
  look(): void {
    const time = performance.now();
    this.#now += Math.min(time - this.#lookedAt, LONGEST_GAP_MS);
    this.#lookedAt = time;
    const now = this.#now;
    this.#done.forEach((before, i) => {
      const done = doneBy(this.#activity, i);
      if (done !== before) this.#anyMovedAt = now;
      if (done !== before || !isAtWork(this.#activity, i)) this.#movedAt[i] = now;
      this.#done[i] = done;
    });
  }

  nobodyForMs(): number {
    return this.#now - this.#anyMovedAt;
  }

  /** Somebody who has been at one operation for so long although others go on. */
  starvedActor(starveMs: number): number | undefined {
    const now = this.#now;
    const othersGoOn = now - this.#anyMovedAt < starveMs / 4;
    const at = this.#movedAt.findIndex((movedAt) => othersGoOn && now - movedAt > starveMs);
    return at < 0 ? undefined : at;
  }
}
