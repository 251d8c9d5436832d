/**
 * The simulated machine: runs lowered threads on processors, one memory operation after another. An
 * operation takes effect when it is complete. The same program, model and seed give the same run.
 */
import type { Host, Lowered, Registers, Step } from '../lowering/lower.ts';
import * as op from '../lowering/operations.ts';
import { Caches, LINE_SHIFT } from './caches.ts';
import { Accounts, BLOCKED, ENDED, READY, RUNNING, SLEEPING, SPINNING, SWITCHING, type Timeline } from './clock.ts';
import { EventQueue } from './event-queue.ts';
import type { FigureName, MachineModel } from './model.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { Spinning } from './spinning.ts';

/** What a thread does in a section: compute, or sleep. */
export interface Duration {
  ns: number;
  asleep: boolean;
}

export interface Workload {
  nextOperation(thread: number, now: number): number;
  entered(thread: number, kind: number, now: number): void;
  leaving(thread: number, kind: number, now: number): void;
  hold(kind: number): Duration;
  think(): Duration;
  /** Where a thread's record says that it sleeps: the word, or -1. */
  parkedWord(thread: number): number;
}

export interface Start {
  lowered: Lowered;
  model: MachineModel;
  mem: Int32Array;
  /** Arguments of the entry, for each thread. */
  threads: number[][];
  workload: Workload;
  random: Random;
  timeline?: Timeline | null;
  /** Simulates every turn of every spin loop. */
  turnByTurn?: boolean;
}

/** What a thread's event means. */
const COMPLETE = 0;
const ARRIVE = 1;
const BEGIN = 2;
const TIMEOUT = 3;
const AWAKE = 4;
const STACK_FRAMES = 24;
/** Simulated time starts here, so that clocks in words are not 0. */
const EPOCH_MS = 1000;

export class Machine implements Host {
  now = 0;
  /** Memory operations. */
  accesses = 0;
  readonly accounts: Accounts;
  readonly mem: Int32Array;
  readonly random: Random;
  readonly threads: number;
  readonly scheduler: Scheduler;
  readonly caches: Caches;
  readonly #registers: Registers;
  readonly #steps: Step[];
  readonly #model: MachineModel;
  readonly #workload: Workload;
  readonly #queue: EventQueue;
  readonly #spinning: Spinning;
  readonly #meaning: Uint8Array;
  readonly #core: Int32Array;
  readonly #mustYield: Uint8Array;
  readonly #atBoundary: Uint8Array;
  readonly #remainingNs: Float64Array;
  readonly #sleepers = new Map<number, number[]>();
  readonly #ns: Record<FigureName, number>;
  readonly #isKernel: boolean;
  readonly #turnByTurn: boolean;
  /** Of all operations, for comparing runs. */
  #hash = 0x811c9dc5 | 0;

  constructor({ lowered, model, mem, threads, workload, random, timeline = null, turnByTurn = false }: Start) {
    const count = threads.length;
    this.mem = mem;
    this.random = random;
    this.threads = count;
    this.#model = model;
    this.#isKernel = model.world === 'kernel';
    this.#turnByTurn = turnByTurn;
    this.#workload = workload;
    this.#ns = Object.fromEntries(Object.entries(model.figures).map(([name, { value }]) => [name, value])) as Record<FigureName, number>;
    this.scheduler = new Scheduler(model, count);
    this.#queue = new EventQueue(count + this.scheduler.processors);
    this.caches = new Caches(model, mem.length, count, this.#queue, random);
    this.accounts = new Accounts(count, timeline);
    const stackWords = STACK_FRAMES * lowered.frameWords;
    const words = () => new Int32Array(count);
    this.#registers = { S: new Int32Array(count * stackWords), FP: words(), FN: words(), OP: new Uint8Array(count), ADR: words(), A0: words(), A1: words(), RES: words() };
    const { steps, spinLoops } = lowered.bind(this.#registers, this);
    this.#steps = steps;
    const has = (thread: number, line: number) => this.caches.hits(this.#core[thread]!, line, false, this.now);
    this.#spinning = new Spinning(spinLoops, this.#registers, count, (mem.length >> LINE_SHIFT) + 1, has);
    this.#meaning = new Uint8Array(count);
    this.#core = words();
    this.#mustYield = new Uint8Array(this.scheduler.processors);
    this.#atBoundary = new Uint8Array(count);
    this.#remainingNs = new Float64Array(count).fill(-1);
    threads.forEach((parameters, thread) => this.#begin(thread, lowered.entry, thread * stackWords, parameters));
  }

  #begin(thread: number, entry: number, frame: number, parameters: number[]): void {
    const { S, FP, FN } = this.#registers;
    S[frame + 2] = -1;
    parameters.forEach((value, i) => (S[frame + 3 + i] = value));
    FP[thread] = frame;
    FN[thread] = entry;
    const processor = this.scheduler.processorOf[thread]!;
    if (this.scheduler.current[processor]! < 0) this.#dispatch(thread, processor, this.random.next() * 1000);
    else {
      this.scheduler.enqueue(thread, processor);
      this.#watchSlice(processor);
    }
  }

  /** The same for equal runs. */
  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }

  run(untilNs: number): void {
    const queue = this.#queue;
    for (let time = queue.nextTime; time <= untilNs; time = queue.nextTime) {
      this.now = time;
      const event = queue.pop();
      if (event < this.threads) this.#resume(event, untilNs);
      else this.#tick(event - this.threads);
    }
    this.now = untilNs;
  }

  #resume(thread: number, untilNs: number): void {
    switch (this.#meaning[thread]) {
      case ARRIVE:
        if (this.caches.arrive(thread, this.now)) this.#wakeWatchers(this.#registers.ADR[thread]! >> LINE_SHIFT, thread);
        this.#complete(thread);
        break;
      case BEGIN:
        this.accounts.enter(thread, RUNNING, this.now);
        if (this.#remainingNs[thread]! >= 0) {
          const left = this.#remainingNs[thread]!;
          this.#remainingNs[thread] = -1;
          return this.#after(thread, left);
        }
        break;
      case TIMEOUT: {
        const sleepers = this.#sleepers.get(this.#registers.ADR[thread]!)!;
        sleepers.splice(sleepers.indexOf(thread), 1);
        this.#registers.RES[thread] = 2;
        return this.#wake(thread, 0);
      }
      case AWAKE:
        return this.#wake(thread, 0);
      default:
        if (this.#spinning.isParked(thread)) {
          this.#spinning.resume(thread, this.now);
          this.accounts.enter(thread, RUNNING, this.now);
        } else this.#complete(thread);
    }
    if (this.accounts.stateOf(thread) === RUNNING) this.#advance(thread, untilNs);
  }

  /** Runs the thread until it has to wait for its next operation. */
  #advance(thread: number, untilNs: number): void {
    const { FN, OP } = this.#registers;
    for (;;) {
      if (this.#mustYield[this.scheduler.processorOf[thread]!] !== 0 && this.#mayYield(thread)) return this.#yield(thread);
      while (this.#steps[FN[thread]!]!(thread) === 0) {
        if (FN[thread]! < 0) return this.#end(thread);
      }
      const costNs = this.#issue(thread, OP[thread]!);
      if (costNs < 0) return;
      const end = this.now + costNs;
      if (end > untilNs || end >= this.#queue.nextTime) return this.#after(thread, costNs);
      this.now = end;
      this.#complete(thread);
      if (this.accounts.stateOf(thread) !== RUNNING) return;
    }
  }

  #after(thread: number, costNs: number): void {
    this.#meaning[thread] = COMPLETE;
    this.#queue.set(thread, this.now + costNs);
  }

  /** How long the operation takes, or -1: its event is, or will be, scheduled. */
  #issue(thread: number, operation: number): number {
    const ns = this.#ns;
    this.#atBoundary[thread] = 0;
    if (operation <= op.LAST_ACCESS || operation === op.WAIT) return this.#access(thread, operation);
    switch (operation) {
      case op.PAUSE:
        return ns.pauseNs;
      case op.CLOCK_MS:
      case op.CLOCK_US:
        return ns.clockNs;
      case op.SPIN:
        this.accounts.enter(thread, SPINNING, this.now);
        this.#after(thread, this.#parkNs);
        return -1;
      case op.NOTIFY: {
        this.#spinning.didMore(thread);
        const sleepers = this.#sleepers.get(this.#registers.ADR[thread]!)?.length ?? 0;
        return this.#vary(sleepers === 0 ? ns.notifyNs : ns.wakeNs * Math.min(sleepers, this.#registers.A0[thread]!));
      }
      default: {
        this.#spinning.didMore(thread);
        const isHold = operation === op.HOLD;
        const duration = isHold ? this.#workload.hold(this.#registers.ADR[thread]!) : this.#workload.think();
        if (!isHold) this.#atBoundary[thread] = 1;
        const own = isHold ? 0 : ns.loopNs;
        if (!duration.asleep) return this.#vary(duration.ns) + own;
        this.#sleep(thread, SLEEPING);
        this.#meaning[thread] = AWAKE;
        this.#queue.set(thread, this.now + this.#vary(duration.ns) + this.random.next() * ns.timerSlackNs);
        return -1;
      }
    }
  }

  #access(thread: number, operation: number): number {
    this.accesses++;
    const { ADR } = this.#registers;
    const line = ADR[thread]! >> LINE_SHIFT;
    const isLoad = operation === op.LOAD || operation === op.RELAXED_LOAD || operation === op.WAIT;
    const costNs = this.#ownCost(operation);
    if (this.caches.hits(this.#core[thread]!, line, !isLoad, this.now)) {
      if (!isLoad) this.#spinning.didMore(thread);
      else if (operation !== op.WAIT) {
        // The value of now: by the time the load is complete the line may be gone.
        this.#spinning.sawLine(thread, line);
        this.#registers.RES[thread] = this.mem[ADR[thread]!]!;
        this.#registers.OP[thread] = op.LOADED;
      }
      return costNs;
    }
    this.#spinning.didMore(thread);
    this.#meaning[thread] = ARRIVE;
    this.caches.fetch(thread, this.#core[thread]!, line, !isLoad, costNs, this.now);
    return -1;
  }

  #ownCost(operation: number): number {
    const ns = this.#ns;
    if (operation === op.LOAD || operation === op.RELAXED_LOAD) return ns.loadNs;
    if (operation === op.RELAXED_STORE) return ns.storeNs;
    if (operation === op.WAIT) return this.#vary(ns.sleepNs);
    // A store that must be seen before later loads is an exchange on the machines modelled.
    return ns.atomicNs;
  }

  #complete(thread: number): void {
    const { OP, ADR, A0, A1, RES } = this.#registers;
    const { mem } = this;
    const operation = OP[thread]!;
    const at = ADR[thread]!;
    this.#hash = (Math.imul(this.#hash ^ operation ^ (thread << 5) ^ (at << 13), 0x01000193) + this.now) | 0;
    if (operation === op.LOADED) return;
    if (operation <= op.LAST_ACCESS) {
      const before = mem[at]!;
      RES[thread] = before;
      switch (operation) {
        case op.LOAD:
        case op.RELAXED_LOAD:
          return;
        case op.STORE:
        case op.RELAXED_STORE:
        case op.EXCHANGE:
          mem[at] = A0[thread]!;
          break;
        case op.ADD:
          mem[at] = before + A0[thread]!;
          break;
        case op.SUB:
          mem[at] = before - A0[thread]!;
          break;
        case op.AND:
          mem[at] = before & A0[thread]!;
          break;
        case op.OR:
          mem[at] = before | A0[thread]!;
          break;
        case op.COMPARE_EXCHANGE:
          if (before === A0[thread]!) mem[at] = A1[thread]!;
          break;
      }
      // Second hardware threads see writes of their core at once.
      if (this.#spinning.watched[at >> LINE_SHIFT] !== 0) this.#wakeWatchers(at >> LINE_SHIFT, thread);
      return;
    }
    switch (operation) {
      case op.WAIT:
        if (mem[at] !== A0[thread]!) RES[thread] = 1;
        else this.#block(thread, at, A1[thread]!);
        return;
      case op.NOTIFY:
        RES[thread] = this.#notify(at, A0[thread]!, this.scheduler.processorOf[thread]!);
        return;
      case op.CLOCK_MS:
        RES[thread] = EPOCH_MS + Math.floor(this.now / 1e6);
        return;
      case op.CLOCK_US:
        RES[thread] = this.#nowUs();
    }
  }

  #nowUs(): number {
    return (EPOCH_MS * 1000 + this.now / 1000) | 0;
  }

  #vary(ns: number): number {
    return this.random.around(ns, this.#ns.latencyNoise);
  }

  // ── Spinning ────────────────────────────────────────────────────────────────────────────────

  #parkNs = 0;

  spin(thread: number, loop: number, frame: number): boolean {
    if (this.#turnByTurn) return false;
    this.#parkNs = this.#spinning.atHead(thread, loop, frame, this.now, this.#nowUs());
    return this.#parkNs > 0;
  }

  #wakeWatchers(line: number, except: number): void {
    if (this.#spinning.watched[line] === 0) return;
    for (const thread of this.#spinning.watchersOf(line)) {
      if (thread !== except) this.#queue.set(thread, this.#spinning.nextHead(thread, this.now));
    }
  }

  // ── Sleeping and waking ─────────────────────────────────────────────────────────────────────

  #block(thread: number, at: number, timeoutMs: number): void {
    let sleepers = this.#sleepers.get(at);
    if (sleepers === undefined) this.#sleepers.set(at, (sleepers = []));
    sleepers.push(thread);
    this.#sleep(thread, BLOCKED);
    if (timeoutMs >= 0) {
      this.#meaning[thread] = TIMEOUT;
      this.#queue.set(thread, this.now + timeoutMs * 1e6 + this.random.next() * this.#ns.timerSlackNs);
    }
  }

  #sleep(thread: number, state: number): void {
    const word = state === SLEEPING && this.#isKernel ? this.#workload.parkedWord(thread) : -1;
    if (word >= 0) this.mem[word] = 1;
    this.accounts.enter(thread, state, this.now);
    const processor = this.scheduler.processorOf[thread]!;
    this.scheduler.leave(thread, this.now);
    this.#fill(processor);
  }

  #notify(at: number, most: number, processor: number): number {
    const sleepers = this.#sleepers.get(at);
    if (sleepers === undefined) return 0;
    let woken = 0;
    while (woken < most && sleepers.length > 0) {
      const thread = sleepers.shift()!;
      this.#queue.remove(thread);
      this.#registers.RES[thread] = 0;
      const isFar = this.scheduler.socketOf(this.scheduler.processorOf[thread]!) !== this.scheduler.socketOf(processor);
      this.#wake(thread, isFar ? this.#vary(this.#ns.wakeCrossNs) : 0);
      woken++;
    }
    return woken;
  }

  #wake(thread: number, delayNs: number): void {
    const { scheduler } = this;
    if (this.accounts.stateOf(thread) === SLEEPING) {
      const word = this.#isKernel ? this.#workload.parkedWord(thread) : -1;
      if (word >= 0) this.mem[word] = 0;
    }
    const processor = scheduler.placeFor(thread);
    scheduler.refresh(thread, processor);
    const running = scheduler.current[processor]!;
    if (running < 0) return this.#dispatch(thread, processor, delayNs + this.#vary(this.#ns.idleExitNs));
    this.accounts.enter(thread, READY, this.now);
    scheduler.enqueue(thread, processor);
    if (scheduler.wins(thread, running, this.now)) this.#interrupt(processor);
    this.#watchSlice(processor);
  }

  /** The thread gets a free processor, and runs after a switch. */
  #dispatch(thread: number, processor: number, delayNs: number): void {
    this.scheduler.put(thread, processor, this.now);
    this.#core[thread] = this.scheduler.coreOf(processor);
    this.accounts.enter(thread, SWITCHING, this.now);
    this.#meaning[thread] = BEGIN;
    this.#queue.set(thread, this.now + delayNs + this.#vary(this.#ns.contextSwitchNs));
  }

  #fill(processor: number): void {
    this.#mustYield[processor] = 0;
    const next = this.scheduler.takeNext(processor);
    if (next >= 0) this.#dispatch(next, processor, 0);
  }

  // ── Losing the processor ────────────────────────────────────────────────────────────────────

  #watchSlice(processor: number): void {
    const event = this.threads + processor;
    if (!this.#queue.has(event)) this.#queue.set(event, this.now + this.#ns.tickMs * 1e6);
  }

  #tick(processor: number): void {
    if (!this.scheduler.isCrowded(processor)) return;
    this.#watchSlice(processor);
    if (this.scheduler.current[processor]! >= 0 && this.scheduler.isSliceOver(processor, this.now)) this.#interrupt(processor);
  }

  #mayYield(thread: number): boolean {
    return !this.#isKernel || this.#atBoundary[thread] !== 0;
  }

  /** The thread on the processor is to yield: at its next step, or at once if it is in the middle of nothing. */
  #interrupt(processor: number): void {
    this.#mustYield[processor] = 1;
    const thread = this.scheduler.current[processor]!;
    const operation = this.#registers.OP[thread]!;
    if (!this.#mayYield(thread) || !this.#queue.has(thread) || this.#meaning[thread] !== COMPLETE) return;
    if (this.#spinning.isParked(thread)) {
      this.#queue.remove(thread);
      this.#spinning.resume(thread, this.now);
      this.accounts.enter(thread, RUNNING, this.now);
      this.#yield(thread);
    } else if (operation === op.HOLD || operation === op.THINK) {
      this.#remainingNs[thread] = Math.max(0, this.#queue.timeOf(thread) - this.now);
      this.#queue.remove(thread);
      this.#yield(thread);
    }
  }

  #yield(thread: number): void {
    const processor = this.scheduler.processorOf[thread]!;
    this.#mustYield[processor] = 0;
    this.accounts.enter(thread, READY, this.now);
    this.scheduler.leave(thread, this.now);
    const next = this.scheduler.takeNext(processor);
    this.scheduler.enqueue(thread, processor);
    if (next >= 0) this.#dispatch(next, processor, 0);
    else this.#fill(processor);
    this.#watchSlice(processor);
  }

  #end(thread: number): void {
    const processor = this.scheduler.processorOf[thread]!;
    this.accounts.enter(thread, ENDED, this.now);
    this.scheduler.leave(thread, this.now);
    this.#fill(processor);
  }

  // ── For the workload ────────────────────────────────────────────────────────────────────────

  nextOperation(thread: number): number {
    return this.#workload.nextOperation(thread, this.now);
  }

  entered(thread: number, kind: number): void {
    this.#workload.entered(thread, kind, this.now);
  }

  leaving(thread: number, kind: number): void {
    this.#workload.leaving(thread, kind, this.now);
  }

  get model(): MachineModel {
    return this.#model;
  }
}
