/**
 * The async acquisitions of one thread in one space. They run the steps of the core one at a time,
 * in the same queue as everybody else:
 *
 *   start ──▶ queued in shared memory ──signal──▶ granted, or try again ──▶ settled
 *        └──▶ queued inside the thread, while all waiter records are taken
 *
 * A waiter that has been signalled comes back through the ready stack, exactly once per signal, and
 * its record is not given back before that (I13). Promises settle later, in microtasks; what may run code of
 * the user's synchronously is only a signal that takes on or gives up its listener.
 */

import {
  ACQUIRED,
  ASYNC_WAITER,
  CANCELLED,
  QUEUED,
  READY,
  READY_NEXT,
  RLOCK,
  WRITE_WAITER,
} from '../core/layout.ts';
import { cancelWaiter } from '../core/cancel.ts';
import { countEvent } from '../core/events.ts';
import { prepareWaiter } from '../core/queue.ts';
import { enqueueRead } from '../core/read.ts';
import { takeReady } from '../core/ready.ts';
import { attemptWrite, enqueueWrite } from '../core/write.ts';
import type { AgentRecord } from '../agent.ts';
import { TooManyReadersError } from '../errors.ts';
import type { RwSem } from '../rwsem.ts';
import type { Acquisition } from './acquisition.ts';
import { ThreadQueue } from './thread-queue.ts';
import { Doorbell } from './doorbell.ts';
import { WaiterPool } from './waiter-pool.ts';

export class AsyncAgent {
  readonly #mem: Int32Array;
  readonly #agent: AgentRecord;
  readonly #pool: WaiterPool;
  readonly #doorbell: Doorbell;
  /** By waiter record: queued, or cancelled with a signal still to arrive. */
  readonly #queued = new Map<number, Acquisition>();
  /** Those that queue inside the thread, per lock, first come first. */
  readonly #overflow = new Map<RwSem, ThreadQueue>();
  #unsettled = 0;
  #isScheduled = false;
  #isDetached = false;
  readonly #run = (): void => {
    this.#isScheduled = false;
    // After detach the record, and its ready stack, may be another thread's.
    if (!this.#isDetached) this.#collect();
  };

  constructor(mem: Int32Array, agent: AgentRecord) {
    this.#mem = mem;
    this.#agent = agent;
    this.#pool = new WaiterPool(mem, agent);
    this.#doorbell = new Doorbell(mem, agent, this.#run);
  }

  /** Takes on an acquisition that could not be granted at once. */
  start(acquisition: Acquisition): void {
    const { lock } = acquisition;
    this.#unsettled++;
    lock.pending.add(acquisition);
    try {
      acquisition.listen();
    } catch (error) {
      this.cancel(acquisition, () => error); // unless the signal has aborted it before it threw
    }
    // It may have been aborted by its own listener.
    if (!acquisition.settled && (lock.overflowing > 0 || !this.#enqueue(acquisition))) this.#queueInside(acquisition);
    if (!acquisition.settled) acquisition.startTimer();
    this.#settleDown();
  }

  /** False if there is no record for it. */
  #enqueue(acquisition: Acquisition): boolean {
    const waiter = this.#pool.claim();
    if (waiter === 0) return false;
    acquisition.waiter = waiter;
    const mem = this.#mem;
    const me = this.#agent.at;
    const { at } = acquisition.lock;
    const isWrite = acquisition.mode === 'write';
    prepareWaiter(mem, at, waiter, isWrite ? WRITE_WAITER | ASYNC_WAITER : ASYNC_WAITER, acquisition.options.urgent);
    const status = isWrite ? enqueueWrite(mem, at, me, waiter) : enqueueRead(mem, at, me, waiter, false, false, 0);
    if (status === QUEUED) this.#queued.set(waiter, acquisition);
    else {
      this.#settle(acquisition, status === ACQUIRED ? undefined : () => new TooManyReadersError());
      this.#pool.release(waiter);
    }
    return true;
  }

  /** After a timeout or an abort; too late if the lock has been granted already. */
  cancel(acquisition: Acquisition, reason: () => unknown): void {
    if (acquisition.settled) return;
    const { waiter } = acquisition;
    if (waiter === 0) {
      this.#settle(acquisition, reason);
    } else {
      const status = cancelWaiter(this.#mem, acquisition.lock.at, this.#agent.at, waiter);
      if (status !== ACQUIRED) this.#settle(acquisition, reason);
      if (status === CANCELLED) {
        this.#giveBack(waiter);
        this.#refill();
      }
    }
    this.#settleDown();
  }

  /** To be called after every slow path: it may have signalled waiters of this very thread. */
  lookSoon(): void {
    if (this.#queued.size === 0 || this.#isScheduled || Atomics.load(this.#mem, this.#agent.at + READY) === 0) return;
    this.#isScheduled = true;
    queueMicrotask(this.#run);
  }

  /** Answers all signals that have arrived, then lets in those that queue inside the thread. */
  #collect(): void {
    const mem = this.#mem;
    let waiter = takeReady(mem, this.#agent.at);
    while (waiter !== 0) {
      const next = mem[waiter + READY_NEXT] as number;
      this.#answer(waiter);
      waiter = next;
    }
    this.#refill();
    this.#settleDown();
  }

  #answer(waiter: number): void {
    const acquisition = this.#queued.get(waiter);
    if (!acquisition || acquisition.settled) {
      // Left behind by an earlier incarnation of this agent, or cancelled in the meantime.
      this.#giveBack(waiter);
      return;
    }
    if (acquisition.mode === 'read') countEvent(this.#mem, this.#agent.at, RLOCK);
    else if (attemptWrite(this.#mem, acquisition.lock.at, this.#agent.at, waiter) !== ACQUIRED) return;
    this.#giveBack(waiter);
    this.#settle(acquisition);
  }

  /** No signal for it is on its way any more (I13). */
  #giveBack(waiter: number): void {
    this.#queued.delete(waiter);
    this.#pool.release(waiter);
  }

  #queueInside(acquisition: Acquisition): void {
    const { lock } = acquisition;
    let queue = this.#overflow.get(lock);
    if (!queue) this.#overflow.set(lock, (queue = new ThreadQueue()));
    queue.push(acquisition);
    acquisition.isInside = true;
    lock.overflowing++;
  }

  #unqueueInside(acquisition: Acquisition): void {
    if (!acquisition.isInside) return;
    const { lock } = acquisition;
    const queue = this.#overflow.get(lock) as ThreadQueue;
    queue.remove(acquisition);
    acquisition.isInside = false;
    if (queue.first === null) this.#overflow.delete(lock);
    lock.overflowing--;
  }

  /** Moves acquisitions from inside the thread to the shared queues while there are records, lock by lock in turn. */
  #refill(): void {
    for (let moved = true; moved; ) {
      moved = false;
      for (const queue of this.#overflow.values()) {
        moved = (queue.first !== null && this.#moveUp(queue.first)) || moved;
      }
    }
  }

  #moveUp(acquisition: Acquisition): boolean {
    if (!this.#enqueue(acquisition)) {
      // No record: nobody can tell it when the lock is free, so look.
      try {
        if (!acquisition.lock.tryAcquire(acquisition.mode, true)) return false;
        this.#settle(acquisition);
      } catch (error) {
        this.#settle(acquisition, () => error); // too many readers
      }
    }
    this.#unqueueInside(acquisition);
    return true;
  }

  /**
   * The lock is held; with a reason, it has not been granted. All is in order before the signal is told,
   * whose code may be the user's and may come back here.
   */
  #settle(acquisition: Acquisition, reason?: () => unknown): void {
    this.#unqueueInside(acquisition);
    this.#unsettled--;
    acquisition.lock.pending.delete(acquisition);
    acquisition.settle(reason);
  }

  /** Leaves things so that every later signal is noticed, and the thread lives just as long as needed. */
  #settleDown(): void {
    this.#doorbell.keepAlive(this.#unsettled > 0, this.#overflow.size > 0);
    if (this.#queued.size > 0) this.#doorbell.arm();
    this.lookSoon();
  }

  /** Nothing is pending any more. Takes in what signals of cancelled waiters have arrived. */
  detach(): void {
    this.#collect();
    this.#isDetached = true;
    this.#doorbell.close();
  }
}
