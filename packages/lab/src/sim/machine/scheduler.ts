/**
 * Which thread runs where: one queue for each processor, the thread that has run least goes first; idle
 * processors take over threads from busy ones. Pure bookkeeping.
 */
import type { Clock } from './clock.ts';
import type { MachineModel } from './model.ts';

export class Scheduler {
  readonly processors: number;
  readonly #cores: number;
  readonly #coresPerSocket: number;
  readonly #latencyNs: number;
  readonly #minimumNs: number;
  readonly #granularityNs: number;
  /** The thread on a processor, or -1. */
  readonly current: Int32Array;
  /** Where a thread runs, or ran last. */
  readonly processorOf: Int32Array;
  readonly #ready: number[][];
  /** Processor time a thread has had, for comparison only. */
  readonly #used: Float64Array;
  readonly #sliceFrom: Float64Array;
  readonly #clock: Clock;
  /** Threads in all queues, and processors with neither a thread nor a queue. */
  #waiting = 0;
  #idle: number;

  constructor(model: MachineModel, threads: number, clock: Clock) {
    const { latencyMs, minimumMs, wakeupGranularityMs } = model.figures;
    this.#cores = model.sockets * model.coresPerSocket;
    this.#coresPerSocket = model.coresPerSocket;
    this.processors = this.#cores * model.threadsPerCore;
    this.#latencyNs = latencyMs.value * 1e6;
    this.#minimumNs = minimumMs.value * 1e6;
    this.#granularityNs = wakeupGranularityMs.value * 1e6;
    this.#clock = clock;
    this.#idle = this.processors;
    this.current = new Int32Array(this.processors).fill(-1);
    this.processorOf = Int32Array.from({ length: threads }, (_, thread) => thread % this.processors);
    this.#ready = Array.from({ length: this.processors }, () => []);
    this.#used = new Float64Array(threads);
    this.#sliceFrom = new Float64Array(threads);
  }

  /** Second hardware threads come after all first ones. */
  coreOf(processor: number): number {
    return processor % this.#cores;
  }

  socketOf(processor: number): number {
    return ((processor % this.#cores) / this.#coresPerSocket) | 0;
  }

  isCrowded(processor: number): boolean {
    return this.#ready[processor]!.length > 0;
  }

  put(thread: number, processor: number): void {
    if (this.#isIdle(processor)) this.#idle--;
    this.current[processor] = thread;
    this.processorOf[thread] = processor;
    this.#sliceFrom[thread] = this.#clock[0]!;
  }

  /** Takes the thread off its processor. */
  leave(thread: number): void {
    const processor = this.processorOf[thread]!;
    this.#used[thread] = this.#usedNow(thread);
    this.current[processor] = -1;
    if (this.#isIdle(processor)) this.#idle++;
  }

  enqueue(thread: number, processor: number): void {
    if (this.#isIdle(processor)) this.#idle--;
    this.processorOf[thread] = processor;
    this.#ready[processor]!.push(thread);
    this.#waiting++;
  }

  /** A thread that has slept is not owed all that time. */
  refresh(thread: number, processor: number): void {
    let least = Infinity;
    const running = this.current[processor]!;
    if (running >= 0) least = this.#used[running]!;
    for (const other of this.#ready[processor]!) least = Math.min(least, this.#used[other]!);
    if (least < Infinity) this.#used[thread] = Math.max(this.#used[thread]!, least - this.#latencyNs / 2);
  }

  /** For a thread that wakes: where it ran, an idle processor near it, any idle one; or where it ran. */
  placeFor(thread: number): number {
    const last = this.processorOf[thread]!;
    if (this.#idle === 0 || this.#isIdle(last)) return last;
    let far = -1;
    for (let step = 1; step < this.processors; step++) {
      const processor = (last + step) % this.processors;
      if (!this.#isIdle(processor)) continue;
      if (this.socketOf(processor) === this.socketOf(last)) return processor;
      if (far < 0) far = processor;
    }
    return far < 0 ? last : far;
  }

  #isIdle(processor: number): boolean {
    return this.current[processor]! < 0 && this.#ready[processor]!.length === 0;
  }

  /** The next for a free processor, from another queue if its own is empty; or -1. */
  takeNext(processor: number): number {
    if (this.#waiting === 0) return -1;
    let from = processor;
    if (this.#ready[processor]!.length === 0) {
      for (let other = 0; other < this.processors; other++) if (this.#ready[other]!.length > this.#ready[from]!.length) from = other;
    }
    const queue = this.#ready[from]!;
    let best = 0;
    for (let i = 1; i < queue.length; i++) if (this.#used[queue[i]!]! < this.#used[queue[best]!]!) best = i;
    const thread = queue[best]!;
    for (let i = best + 1; i < queue.length; i++) queue[i - 1] = queue[i]!;
    queue.pop();
    this.#waiting--;
    if (this.#isIdle(from)) this.#idle++;
    return thread;
  }

  /** Should a thread that woke replace the one that runs? */
  wins(thread: number, running: number): boolean {
    return this.#usedNow(running) - this.#used[thread]! > this.#granularityNs;
  }

  #usedNow(running: number): number {
    return this.#used[running]! + this.#clock[0]! - this.#sliceFrom[running]!;
  }

  isSliceOver(processor: number): boolean {
    const waiting = this.#ready[processor]!.length;
    if (waiting === 0) return false;
    const slice = Math.max(this.#minimumNs, this.#latencyNs / (waiting + 1));
    return this.#clock[0]! - this.#sliceFrom[this.current[processor]!]! >= slice;
  }
}
