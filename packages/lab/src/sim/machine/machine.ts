/**
 * The simulated machine: runs lowered threads on processors, one memory operation after another. An
 * operation takes effect when it is complete. The same program, model and seed give the same run.
 */
import type { Host, Lowered, Registers, Step } from '../lowering/lower.ts';
import * as op from '../lowering/operations.ts';
import type { Random } from '../../random.ts';
import { Caches, LINE_SHIFT } from './caches.ts';
import { Accounts, RUNNING, SPINNING, type Clock, type Timeline } from './clock.ts';
import { ARRIVE, AWAKE, BEGIN, COMPLETE, TIMEOUT } from './events.ts';
import { EventQueue } from './event-queue.ts';
import type { FigureName, MachineModel } from './model.ts';
import { Processors } from './processors.ts';
import { Scheduler } from './scheduler.ts';
import { Spinning } from './spinning.ts';
import type { Workload } from './workload.ts';

export interface Start {
  lowered: Lowered;
  model: MachineModel;
  mem: Int32Array;
  /** The agent records of the threads. */
  agents: number[];
  workload: Workload;
  random: Random;
  timeline?: Timeline | null;
  /** Simulates every turn of every spin loop. */
  turnByTurn?: boolean;
}

/** Simulated time starts here, so that clocks in words are not 0. */
const EPOCH_MS = 1000;

export class Machine implements Host {
  /** Memory operations. */
  accesses = 0;
  readonly accounts: Accounts;
  readonly mem: Int32Array;
  readonly threads: number;
  readonly caches: Caches;
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #processors: Processors;
  readonly #registers: Registers;
  readonly #steps: Step[];
  readonly #workload: Workload;
  readonly #clock: Clock = new Float64Array(1);
  /** How long the operation takes that is being issued: a cell, as a result would be boxed. */
  readonly #costNs = new Float64Array(1);
  readonly #queue: EventQueue;
  readonly #spinning: Spinning;
  readonly #lateNs: Float64Array;
  readonly #meaning: Uint8Array;
  readonly #ns: Record<FigureName, number>;
  readonly #turnByTurn: boolean;
  /** Of all operations, for comparing runs. */
  #hash = 0x811c9dc5 | 0;

  constructor({ lowered, model, mem, agents, workload, random, timeline = null, turnByTurn = false }: Start) {
    const count = agents.length;
    this.mem = mem;
    this.threads = count;
    this.#random = random;
    this.#turnByTurn = turnByTurn;
    this.#workload = workload;
    this.#ns = Object.fromEntries(Object.entries(model.figures).map(([name, { value }]) => [name, value])) as Record<FigureName, number>;
    this.#scheduler = new Scheduler(model, count, this.#clock);
    this.#queue = new EventQueue(count + this.#scheduler.processors);
    this.caches = new Caches(model, mem.length, count, this.#queue, this.#clock, random);
    this.accounts = new Accounts(count, this.#clock, timeline);
    const words = () => new Int32Array(count);
    this.#registers = { S: new Int32Array(count * lowered.frameWords), ME: Int32Array.from(agents), FN: words().fill(lowered.entry), OP: new Uint8Array(count), ADR: words(), A0: words(), A1: words(), RES: words() };
    const { steps, spinLoops } = lowered.bind(this.#registers, this);
    this.#steps = steps;
    const has = (thread: number, line: number) => this.caches.hits(this.#processors.core[thread]!, line, false);
    this.#spinning = new Spinning(spinLoops, this.#registers, count, (mem.length >> LINE_SHIFT) + 1, this.#clock, has);
    this.#lateNs = this.#spinning.lateNs;
    this.#meaning = new Uint8Array(count);
    this.#processors = new Processors({
      model, mem, workload, random, threads: count, ns: this.#ns, registers: this.#registers, clock: this.#clock, queue: this.#queue,
      meaning: this.#meaning, accounts: this.accounts, scheduler: this.#scheduler, spinning: this.#spinning,
    });
    for (let thread = 0; thread < count; thread++) this.#processors.begin(thread);
  }

  get now(): number {
    return this.#clock[0]!;
  }

  /** The same for equal runs. */
  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }

  run(untilNs: number): void {
    const queue = this.#queue;
    for (let time = queue.nextTime; time <= untilNs; time = queue.nextTime) {
      this.#clock[0] = time;
      const event = queue.pop();
      if (event >= this.threads) this.#processors.tick(event - this.threads);
      else if (this.#resume(event)) this.#advance(event, untilNs);
    }
    this.#clock[0] = untilNs;
  }

  /** The thread's event has come. Can it go on? */
  #resume(thread: number): boolean {
    switch (this.#meaning[thread]) {
      case ARRIVE:
        if (this.caches.arrive(thread)) this.#wakeWatchers(this.#registers.ADR[thread]! >> LINE_SHIFT, thread);
        this.#complete(thread);
        break;
      case BEGIN: {
        this.accounts.enter(thread, RUNNING);
        const leftNs = this.#processors.remainingNs[thread]!;
        if (leftNs < 0) break;
        this.#processors.remainingNs[thread] = -1;
        this.#completeIn(thread, leftNs);
        return false;
      }
      case TIMEOUT:
        this.#processors.timeOut(thread);
        return false;
      case AWAKE:
        this.#processors.wake(thread, 0);
        return false;
      default:
        if (this.#spinning.isParked(thread)) {
          this.#spinning.resume(thread);
          this.accounts.enter(thread, RUNNING);
        } else this.#complete(thread);
    }
    return this.accounts.stateOf(thread) === RUNNING;
  }

  /** Runs the thread until it has to wait for its next operation. */
  #advance(thread: number, untilNs: number): void {
    const { FN, OP } = this.#registers;
    const clock = this.#clock;
    for (;;) {
      if (this.#processors.mustYield(thread)) return this.#processors.yield(thread);
      while (this.#steps[FN[thread]!]!(thread) === 0) {
        if (FN[thread]! < 0) return this.#processors.end(thread);
      }
      if (!this.#issue(thread, OP[thread]!)) return;
      const costNs = this.#lateNs[thread] === 0 ? this.#costNs[0]! : this.#shortened(thread);
      const end = clock[0]! + costNs;
      if (end > untilNs || end >= this.#queue.nextTime) return this.#completeIn(thread, costNs);
      clock[0] = end;
      this.#complete(thread);
      if (this.accounts.stateOf(thread) !== RUNNING) return;
    }
  }

  /** Of the turn that goes on in its middle no other can be told. */
  #shortened(thread: number): number {
    this.#spinning.didMore(thread);
    const lateNs = this.#lateNs[thread]!;
    const costNs = this.#costNs[0]!;
    this.#lateNs[thread] = Math.max(0, lateNs - costNs);
    return Math.max(0, costNs - lateNs);
  }

  #completeIn(thread: number, ns: number): void {
    this.#meaning[thread] = COMPLETE;
    this.#queue.set(thread, this.#clock[0]! + ns);
  }

  /** True: it takes `#costNs`. False: its event is, or will be, scheduled. */
  #issue(thread: number, operation: number): boolean {
    const ns = this.#ns;
    const cost = this.#costNs;
    this.#processors.atBoundary[thread] = 0;
    if (operation <= op.LAST_ACCESS || operation === op.WAIT) return this.#access(thread, operation);
    switch (operation) {
      case op.PAUSE:
        cost[0] = ns.pauseNs;
        return true;
      case op.CLOCK_MS:
      case op.CLOCK_US:
        cost[0] = ns.clockNs;
        return true;
      case op.SPIN:
        this.accounts.enter(thread, SPINNING);
        this.#meaning[thread] = COMPLETE;
        this.#queue.set(thread, this.#spinning.untilNs(thread));
        return false;
      case op.NOTIFY: {
        this.#spinning.didMore(thread);
        const sleepers = this.#processors.sleepersOf(this.#registers.ADR[thread]!, this.#registers.A0[thread]!);
        cost[0] = this.#vary(sleepers === 0 ? ns.notifyNs : ns.wakeNs * sleepers);
        return true;
      }
      default: {
        this.#spinning.didMore(thread);
        const isHold = operation === op.HOLD;
        const duration = isHold ? this.#workload.hold(this.#registers.ADR[thread]!) : this.#workload.think();
        if (!isHold) this.#processors.atBoundary[thread] = 1;
        if (duration.asleep) {
          this.#processors.doze(thread, duration.ns);
          return false;
        }
        cost[0] = this.#vary(duration.ns + (isHold ? 0 : ns.loopNs));
        return true;
      }
    }
  }

  #access(thread: number, operation: number): boolean {
    this.accesses++;
    const { ADR } = this.#registers;
    const line = ADR[thread]! >> LINE_SHIFT;
    const isLoad = operation === op.LOAD || operation === op.RELAXED_LOAD || operation === op.WAIT;
    const core = this.#processors.core[thread]!;
    this.#costNs[0] = this.#ownCost(operation);
    if (this.caches.hits(core, line, !isLoad)) {
      if (!isLoad) this.#spinning.didMore(thread);
      else if (operation !== op.WAIT) {
        // The value of now: by the time the load is complete the line may be gone.
        this.#spinning.sawLine(thread, line);
        this.#registers.RES[thread] = this.mem[ADR[thread]!]!;
        this.#registers.OP[thread] = op.LOADED;
      }
      return true;
    }
    this.#spinning.didMore(thread);
    this.#lateNs[thread] = 0;
    this.#meaning[thread] = ARRIVE;
    this.caches.fetch(thread, core, line, !isLoad, this.#costNs[0]);
    return false;
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
    this.#hash = (Math.imul(this.#hash ^ operation ^ (thread << 5) ^ (at << 13), 0x01000193) + this.#clock[0]!) | 0;
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
      this.#wakeWatchers(at >> LINE_SHIFT, thread);
      return;
    }
    switch (operation) {
      case op.WAIT:
        if (mem[at] !== A0[thread]!) RES[thread] = 1;
        else this.#processors.block(thread, at, A1[thread]!);
        return;
      case op.NOTIFY:
        RES[thread] = this.#processors.notify(at, A0[thread]!, this.#scheduler.processorOf[thread]!);
        return;
      case op.CLOCK_MS:
        RES[thread] = EPOCH_MS + Math.floor(this.#clock[0]! / 1e6);
        return;
      case op.CLOCK_US:
        RES[thread] = this.#nowUs();
    }
  }

  #nowUs(): number {
    return (EPOCH_MS * 1000 + this.#clock[0]! / 1000) | 0;
  }

  #vary(ns: number): number {
    return this.#random.around(ns, this.#ns.latencyNoise);
  }

  // ── For the lowered program ─────────────────────────────────────────────────────────────────

  beginSpin(thread: number, level: number): void {
    this.#spinning.begin(thread, level);
  }

  spin(thread: number, loop: number, frame: number): boolean {
    return !this.#turnByTurn && this.#spinning.atHead(thread, loop, frame, this.#nowUs());
  }

  #wakeWatchers(line: number, except: number): void {
    if (this.#spinning.isWatched(line)) this.#spinning.wakeWatchers(line, except, this.#queue);
  }

  nextOperation(thread: number): number {
    return this.#workload.nextOperation(thread, this.#clock[0]!);
  }

  entered(thread: number, kind: number): void {
    this.#workload.entered(thread, kind, this.#clock[0]!);
  }

  leaving(thread: number, kind: number): void {
    this.#workload.leaving(thread, kind, this.#clock[0]!);
  }
}
