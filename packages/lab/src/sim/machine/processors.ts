/**
 * Threads on their way to and from processors: who sleeps on which word, who is woken, and who has to give
 * way. Operations and caches are the machine's.
 */
import type { Registers } from '../lowering/lower.ts';
import * as op from '../lowering/operations.ts';
import type { Random } from '../../random.ts';
import { Accounts, BLOCKED, ENDED, READY, RUNNING, SLEEPING, SWITCHING, type Clock } from './clock.ts';
import { AWAKE, BEGIN, COMPLETE, TIMEOUT } from './events.ts';
import type { EventQueue } from './event-queue.ts';
import { Lists } from './lists.ts';
import type { FigureName, MachineModel } from './model.ts';
import { Scheduler } from './scheduler.ts';
import type { Spinning } from './spinning.ts';
import type { Workload } from './workload.ts';

export interface Parts {
  model: MachineModel;
  ns: Record<FigureName, number>;
  mem: Int32Array;
  threads: number;
  registers: Registers;
  clock: Clock;
  queue: EventQueue;
  meaning: Uint8Array;
  accounts: Accounts;
  scheduler: Scheduler;
  spinning: Spinning;
  workload: Workload;
  random: Random;
}

export class Processors {
  /** Of each thread. */
  readonly core: Int32Array;
  /** What is left of a section that was interrupted, or -1. */
  readonly remainingNs: Float64Array;
  /** The thread is between two operations: a kernel thread gives way only here. */
  readonly atBoundary: Uint8Array;
  readonly #mustYield: Uint8Array;
  readonly #parts: Parts;
  readonly #isKernel: boolean;
  /** By word. */
  readonly #sleepers: Lists;

  constructor(parts: Parts) {
    const { threads, mem, scheduler, model } = parts;
    this.#parts = parts;
    this.#isKernel = model.world === 'kernel';
    this.core = new Int32Array(threads);
    this.remainingNs = new Float64Array(threads).fill(-1);
    this.atBoundary = new Uint8Array(threads);
    this.#mustYield = new Uint8Array(scheduler.processors);
    this.#sleepers = new Lists(mem.length, threads);
  }

  /** A new thread: on its processor if that is free. */
  begin(thread: number): void {
    const { scheduler, random } = this.#parts;
    const processor = scheduler.processorOf[thread]!;
    if (scheduler.current[processor]! < 0) this.#dispatch(thread, processor, random.share() * 1000);
    else {
      scheduler.enqueue(thread, processor);
      this.#watchSlice(processor);
    }
  }

  end(thread: number): void {
    const { scheduler, accounts } = this.#parts;
    const processor = scheduler.processorOf[thread]!;
    accounts.enter(thread, ENDED);
    scheduler.leave(thread);
    this.#fill(processor);
  }

  #vary(ns: number): number {
    return this.#parts.random.around(ns, this.#parts.ns.latencyNoise);
  }

  // ── Sleeping and waking ─────────────────────────────────────────────────────────────────────

  /** Until the word is notified, or for `timeoutMs` if that is not negative. */
  block(thread: number, at: number, timeoutMs: number): void {
    const { meaning, queue, clock, random, ns } = this.#parts;
    this.#sleepers.append(at, thread);
    this.sleep(thread, BLOCKED);
    if (timeoutMs >= 0) {
      meaning[thread] = TIMEOUT;
      queue.set(thread, clock[0]! + timeoutMs * 1e6 + random.share() * ns.timerSlackNs);
    }
  }

  /** For the given time. */
  doze(thread: number, ns: number): void {
    const { meaning, queue, clock, random, ns: figures } = this.#parts;
    this.sleep(thread, SLEEPING);
    meaning[thread] = AWAKE;
    queue.set(thread, clock[0]! + this.#vary(ns) + random.share() * figures.timerSlackNs);
  }

  sleep(thread: number, state: number): void {
    const { mem, accounts, scheduler } = this.#parts;
    const word = state === SLEEPING ? this.#parkedWord(thread) : -1;
    if (word >= 0) mem[word] = 1;
    accounts.enter(thread, state);
    const processor = scheduler.processorOf[thread]!;
    scheduler.leave(thread);
    this.#fill(processor);
  }

  #parkedWord(thread: number): number {
    return this.#isKernel ? this.#parts.workload.parkedWord(thread) : -1;
  }

  sleepersOf(at: number, most: number): number {
    return this.#sleepers.count(at, most);
  }

  timeOut(thread: number): void {
    const { registers } = this.#parts;
    this.#sleepers.remove(registers.ADR[thread]!, thread);
    registers.RES[thread] = 2;
    this.wake(thread, 0);
  }

  notify(at: number, most: number, processor: number): number {
    const { scheduler, registers, queue, ns } = this.#parts;
    let woken = 0;
    for (let thread = this.#sleepers.first(at); woken < most && thread >= 0; thread = this.#sleepers.first(at)) {
      this.#sleepers.remove(at, thread);
      queue.remove(thread);
      registers.RES[thread] = 0;
      const isFar = scheduler.socketOf(scheduler.processorOf[thread]!) !== scheduler.socketOf(processor);
      this.wake(thread, isFar ? this.#vary(ns.wakeCrossNs) : 0);
      woken++;
    }
    return woken;
  }

  wake(thread: number, delayNs: number): void {
    const { mem, accounts, scheduler, ns } = this.#parts;
    const word = accounts.stateOf(thread) === SLEEPING ? this.#parkedWord(thread) : -1;
    if (word >= 0) mem[word] = 0;
    const processor = scheduler.placeFor(thread);
    scheduler.refresh(thread, processor);
    const running = scheduler.current[processor]!;
    if (running < 0) return this.#dispatch(thread, processor, delayNs + this.#vary(ns.idleExitNs));
    accounts.enter(thread, READY);
    scheduler.enqueue(thread, processor);
    if (scheduler.wins(thread, running)) this.#interrupt(processor);
    this.#watchSlice(processor);
  }

  /** The thread gets a free processor, and runs after a switch. */
  #dispatch(thread: number, processor: number, delayNs: number): void {
    const { accounts, scheduler, meaning, queue, clock, ns } = this.#parts;
    scheduler.put(thread, processor);
    this.core[thread] = scheduler.coreOf(processor);
    accounts.enter(thread, SWITCHING);
    meaning[thread] = BEGIN;
    queue.set(thread, clock[0]! + delayNs + this.#vary(ns.contextSwitchNs));
  }

  #fill(processor: number): void {
    this.#mustYield[processor] = 0;
    const next = this.#parts.scheduler.takeNext(processor);
    if (next >= 0) this.#dispatch(next, processor, 0);
  }

  // ── Losing the processor ────────────────────────────────────────────────────────────────────

  #watchSlice(processor: number): void {
    const { queue, threads, clock, ns } = this.#parts;
    const event = threads + processor;
    if (!queue.has(event)) queue.set(event, clock[0]! + ns.tickMs * 1e6);
  }

  tick(processor: number): void {
    const { scheduler } = this.#parts;
    if (!scheduler.isCrowded(processor)) return;
    this.#watchSlice(processor);
    if (scheduler.current[processor]! >= 0 && scheduler.isSliceOver(processor)) this.#interrupt(processor);
  }

  /** Is the thread to give way, and may it, before its next step? */
  mustYield(thread: number): boolean {
    return this.#mustYield[this.#parts.scheduler.processorOf[thread]!] !== 0 && this.#mayYield(thread);
  }

  #mayYield(thread: number): boolean {
    return !this.#isKernel || this.atBoundary[thread] !== 0;
  }

  /** The thread on the processor is to yield: at its next step, or at once if it is in the middle of nothing. */
  #interrupt(processor: number): void {
    const { scheduler, registers, queue, meaning, spinning, accounts, clock } = this.#parts;
    this.#mustYield[processor] = 1;
    const thread = scheduler.current[processor]!;
    const operation = registers.OP[thread]!;
    if (!this.#mayYield(thread) || !queue.has(thread) || meaning[thread] !== COMPLETE) return;
    if (spinning.isParked(thread)) {
      queue.remove(thread);
      spinning.resume(thread);
      accounts.enter(thread, RUNNING);
      this.yield(thread);
    } else if (operation === op.HOLD || operation === op.THINK) {
      this.remainingNs[thread] = Math.max(0, queue.timeOf(thread) - clock[0]!);
      queue.remove(thread);
      this.yield(thread);
    }
  }

  yield(thread: number): void {
    const { scheduler, accounts } = this.#parts;
    const processor = scheduler.processorOf[thread]!;
    this.#mustYield[processor] = 0;
    accounts.enter(thread, READY);
    scheduler.leave(thread);
    const next = scheduler.takeNext(processor);
    scheduler.enqueue(thread, processor);
    if (next >= 0) this.#dispatch(next, processor, 0);
    else this.#fill(processor);
    this.#watchSlice(processor);
  }
}
