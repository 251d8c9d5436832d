/** Operations that a task awaits, in every form and one inside another. */
import { setImmediate as immediate } from 'node:timers/promises';
import type { AcquireOptions, ReadGuard, RwSem, WriteGuard } from 'rwsem';
import type { Cell } from './cell.ts';
import type { Kit, Mix } from './kit.ts';

interface Wish {
  options: AcquireOptions | undefined;
  abort: { controller: AbortController; reason: symbol; turns: number } | undefined;
}

export class AsyncWork {
  readonly #kit: Kit;

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  async once(mix: Mix, lowest = 0): Promise<void> {
    const i = lowest + this.#kit.random.below(mix.locks - lowest);
    const lock = this.#kit.locks[i] as RwSem;
    const isWrite = this.#kit.random.chance(mix.writes);
    const form = this.#kit.random.below(8);
    if (form === 0) {
      this.#kit.activity.begin('try', i);
      const guard = isWrite ? lock.tryWrite() : lock.tryRead();
      if (guard) await this.#insideAsync(mix, i, guard);
      else {
        this.#kit.tally.misses++;
        await null;
      }
    } else {
      this.#kit.activity.begin(isWrite ? 'writeAsync' : 'readAsync', i);
      const wish = this.#wish();
      try {
        if (form < 5) {
          const acquiring = isWrite ? lock.writeAsync(wish.options) : lock.readAsync(wish.options);
          this.#abortLater(wish);
          await this.#insideAsync(mix, i, await acquiring);
        } else {
          const body = (guard: ReadGuard | WriteGuard): Promise<void> => this.#insideAsync(mix, i, guard, false);
          const running = isWrite ? lock.withWrite(body, wish.options) : lock.withRead(body, wish.options);
          this.#abortLater(wish);
          await running;
        }
      } catch (error) {
        if (wish.abort !== undefined && error === wish.abort.reason) this.#kit.tally.aborts++;
        else if (wish.options?.timeoutMs !== undefined && error instanceof this.#kit.library.TimeoutError) this.#kit.tally.timeouts++;
        else throw error;
      }
    }
    this.#kit.activity.done();
  }

  async #insideAsync(mix: Mix, i: number, guard: ReadGuard | WriteGuard, release = true): Promise<void> {
    const cell = this.#kit.cells[i] as Cell;
    let reader: ReadGuard | undefined;
    if (guard.mode === 'write') {
      const visit = cell.beginWrite();
      await this.#yield();
      await this.#innerAsync(mix, i);
      cell.endWrite(visit);
      (this.#kit.tally.writes[i] as number)++;
      if (this.#kit.random.chance(0.25)) {
        reader = guard.downgrade();
        this.#kit.afterDowngrade(i);
      }
    } else {
      reader = guard;
    }
    if (reader !== undefined) {
      const seen = cell.beginRead();
      await this.#yield();
      if (guard.mode === 'read') await this.#innerAsync(mix, i);
      cell.endRead(seen);
      this.#kit.tally.reads++;
      if (release) reader.release();
    }
    if (release) guard.release();
  }

  async #innerAsync(mix: Mix, i: number): Promise<void> {
    if (i + 1 < mix.locks && this.#kit.random.chance(0.05)) await this.once(mix, i + 1);
  }

  async #yield(): Promise<void> {
    const kind = this.#kit.random.below(8);
    if (kind === 0) await immediate();
    else if (kind < 4) await null;
  }

  #wish(): Wish {
    if (this.#kit.random.chance(0.5)) return { options: undefined, abort: undefined };
    const options: AcquireOptions = {};
    let abort: Wish['abort'];
    if (this.#kit.random.chance(0.4)) options.timeoutMs = this.#kit.random.pick([0, 0.1, 1, 2, 5]);
    if (this.#kit.random.chance(0.2)) options.urgent = true;
    if (this.#kit.random.chance(0.4)) {
      abort = { controller: new AbortController(), reason: Symbol('aborted'), turns: this.#kit.random.below(5) - 1 };
      options.signal = abort.controller.signal;
      if (abort.turns < 0) abort.controller.abort(abort.reason);
    }
    return { options, abort };
  }

  #abortLater({ abort }: Wish): void {
    if (abort === undefined || abort.turns < 0) return;
    const { controller, reason } = abort;
    let { turns } = abort;
    const step = (): void => {
      if (turns === 0) controller.abort(reason);
      else {
        turns--;
        setImmediate(step);
      }
    };
    step();
  }
}
