/**
 * Which thread runs where: one queue for each processor, the thread that has run least goes first; idle
 * processors take over threads from busy ones. Pure bookkeeping, all times come from the machine.
 */
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

  constructor(model: MachineModel, threads: number) {
    const { latencyMs, minimumMs, wakeupGranularityMs } = model.figures;
    this.#cores = model.sockets * model.coresPerSocket;
    this.#coresPerSocket = model.coresPerSocket;
    this.processors = this.#cores * model.threadsPerCore;
    this.#latencyNs = latencyMs.value * 1e6;
    this.#minimumNs = minimumMs.value * 1e6;
    this.#granularityNs = wakeupGranularityMs.value * 1e6;
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

  put(thread: number, processor: number, now: number): void {
    this.current[processor] = thread;
    this.processorOf[thread] = processor;
    this.#sliceFrom[thread] = now;
  }

  /** Takes the thread off its processor. */
  leave(thread: number, now: number): void {
    const processor = this.processorOf[thread]!;
    this.#used[thread] = this.#used[thread]! + now - this.#sliceFrom[thread]!;
    this.current[processor] = -1;
  }

  enqueue(thread: number, processor: number): void {
    this.processorOf[thread] = processor;
    this.#ready[processor]!.push(thread);
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
    if (this.#isIdle(last)) return last;
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
    let queue = this.#ready[processor]!;
    if (queue.length === 0) for (const other of this.#ready) if (other.length > queue.length) queue = other;
    if (queue.length === 0) return -1;
    let best = 0;
    for (let i = 1; i < queue.length; i++) if (this.#used[queue[i]!]! < this.#used[queue[best]!]!) best = i;
    return queue.splice(best, 1)[0]!;
  }

  /** Should a thread that woke replace the one that runs? */
  wins(thread: number, running: number, now: number): boolean {
    return this.#usedNow(running, now) - this.#used[thread]! > this.#granularityNs;
  }

  #usedNow(running: number, now: number): number {
    return this.#used[running]! + now - this.#sliceFrom[running]!;
  }

  isSliceOver(processor: number, now: number): boolean {
    const waiting = this.#ready[processor]!.length;
    if (waiting === 0) return false;
    const slice = Math.max(this.#minimumNs, this.#latencyNs / (waiting + 1));
    return now - this.#sliceFrom[this.current[processor]!]! >= slice;
  }
}
