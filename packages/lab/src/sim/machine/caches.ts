/**
 * Cache coherence: who has which line, and when a transfer is done.
 *
 * A line is owned by one core, or shared. Transfers of a line that change its owner come one after another;
 * reads may overlap. The owner can go on using a line until the message of the next core reaches it, two hops
 * after the transfer starts, and until a while after its atomic operation, whichever is later: the message
 * travels while the owner holds on. Then it answers. Of a line that is asked for reading it keeps a copy.
 */
import type { Random } from '../../random.ts';
import type { Clock } from './clock.ts';
import type { EventQueue } from './event-queue.ts';
import type { MachineModel } from './model.ts';

export const LINE_SHIFT = 4; // words

export class Caches {
  readonly #cores: number;
  readonly #coresPerSocket: number;
  readonly #sockets: number;
  readonly #hopSameNs: number;
  readonly #hopCrossNs: number;
  readonly #snoopNs: number;
  readonly #noise: number;
  readonly #atomicNs: number;
  readonly #random: Random;
  readonly #queue: EventQueue;
  readonly #clock: Clock;
  /** Goes up with every change of owner; a core has the line if it has seen this version. */
  readonly version: Int32Array;
  readonly #seen: Int32Array;
  readonly #seenBySocket: Int32Array;
  /** The only core that has it, or -1. */
  readonly #exclusive: Int32Array;
  readonly #supplier: Int32Array;
  readonly #loseAt: Float64Array;
  readonly #busyUntil: Float64Array;
  readonly #inFlight: Int32Array;
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  // Of the one transfer that each thread may be waiting for:
  readonly #nextWaiting: Int32Array;
  readonly #line: Int32Array;
  readonly #core: Int32Array;
  readonly #wantsAll: Uint8Array;
  readonly #costNs: Float64Array;
  transfers = 0;

  constructor(model: MachineModel, words: number, threads: number, queue: EventQueue, clock: Clock, random: Random) {
    const { sockets, coresPerSocket, figures } = model;
    const lines = (words >> LINE_SHIFT) + 1;
    this.#cores = sockets * coresPerSocket;
    this.#coresPerSocket = coresPerSocket;
    this.#sockets = sockets;
    this.#hopSameNs = figures.hopSameNs.value;
    this.#hopCrossNs = figures.hopCrossNs.value;
    this.#snoopNs = figures.snoopNs.value;
    this.#noise = figures.hopNoise.value;
    this.#atomicNs = figures.atomicNs.value;
    this.#random = random;
    this.#queue = queue;
    this.#clock = clock;
    this.version = new Int32Array(lines).fill(1);
    this.#seen = new Int32Array(lines * this.#cores);
    this.#seenBySocket = new Int32Array(lines * sockets);
    this.#exclusive = new Int32Array(lines).fill(-1);
    this.#supplier = new Int32Array(lines).fill(-1);
    this.#loseAt = new Float64Array(lines).fill(Infinity);
    this.#busyUntil = new Float64Array(lines);
    this.#inFlight = new Int32Array(lines);
    this.#first = new Int32Array(lines).fill(-1);
    this.#last = new Int32Array(lines).fill(-1);
    this.#nextWaiting = new Int32Array(threads).fill(-1);
    this.#line = new Int32Array(threads);
    this.#core = new Int32Array(threads);
    this.#wantsAll = new Uint8Array(threads);
    this.#costNs = new Float64Array(threads);
  }

  /** Can this core use the line now? Otherwise the thread has to `fetch` it. */
  hits(core: number, line: number, wantsAll: boolean): boolean {
    if (this.#exclusive[line] === core) return this.#clock[0]! < this.#loseAt[line]! || (!wantsAll && this.#inFlight[line]! > 0);
    return !wantsAll && this.#seen[line * this.#cores + core] === this.version[line];
  }

  /** The thread's event comes when it has the line and has spent `costNs` on it; call `arrive` then. */
  fetch(thread: number, core: number, line: number, wantsAll: boolean, costNs: number): void {
    this.#line[thread] = line;
    this.#core[thread] = core;
    this.#wantsAll[thread] = wantsAll ? 1 : 0;
    this.#costNs[thread] = costNs;
    this.transfers++;
    const mustQueue = this.#inFlight[line]! !== 0 && (wantsAll || this.#inFlight[line]! < 0 || this.#first[line]! >= 0);
    if (!mustQueue) return this.#start(thread);
    this.#nextWaiting[thread] = -1;
    if (this.#first[line]! < 0) this.#first[line] = thread;
    else this.#nextWaiting[this.#last[line]!] = thread;
    this.#last[line] = thread;
  }

  /** `#inFlight`: the number of reads, or -1 for a transfer of ownership. */
  #start(thread: number): void {
    const line = this.#line[thread]!;
    const core = this.#core[thread]!;
    const wantsAll = this.#wantsAll[thread] !== 0;
    const hop = this.#random.around(this.#isFar(line, core, wantsAll) ? this.#hopCrossNs : this.#hopSameNs, this.#noise);
    this.#inFlight[line] = wantsAll ? -1 : this.#inFlight[line]! + 1;
    const answered = Math.max(this.#clock[0]! + 2 * hop, this.#busyUntil[line]!);
    this.#loseAt[line] = Math.min(this.#loseAt[line]!, answered);
    this.#queue.set(thread, answered + hop + this.#snoopNs + this.#costNs[thread]!);
  }

  /** Does a message have to cross sockets: for the data, or to take away a copy? */
  #isFar(line: number, core: number, wantsAll: boolean): boolean {
    const supplier = this.#supplier[line]!;
    if (supplier < 0) return false;
    const socket = (core / this.#coresPerSocket) | 0;
    const version = this.version[line]!;
    if (this.#exclusive[line]! >= 0) return ((supplier / this.#coresPerSocket) | 0) !== socket;
    if (!wantsAll) return this.#seenBySocket[line * this.#sockets + socket] !== version;
    for (let other = 0; other < this.#sockets; other++) {
      if (other !== socket && this.#seenBySocket[line * this.#sockets + other] === version) return true;
    }
    return false;
  }

  /** True if other cores have lost the line. */
  arrive(thread: number): boolean {
    const line = this.#line[thread]!;
    const core = this.#core[thread]!;
    const wantsAll = this.#wantsAll[thread] !== 0;
    this.#loseAt[line] = Infinity;
    if (wantsAll) {
      this.#inFlight[line] = 0;
      this.version[line] = this.version[line]! + 1;
      this.#exclusive[line] = core;
      this.#supplier[line] = core;
      this.#busyUntil[line] = this.#clock[0]! + this.#atomicNs + this.#random.share() * this.#hopSameNs;
    } else {
      this.#inFlight[line] = this.#inFlight[line]! - 1;
      const isNew = this.#supplier[line]! < 0;
      if (isNew) this.#supplier[line] = core;
      this.#exclusive[line] = isNew ? core : -1;
    }
    this.#seen[line * this.#cores + core] = this.version[line]!;
    this.#seenBySocket[line * this.#sockets + ((core / this.#coresPerSocket) | 0)] = this.version[line]!;
    if (this.#inFlight[line] === 0) this.#startWaiting(line);
    return wantsAll;
  }

  #startWaiting(line: number): void {
    let thread = this.#first[line]!;
    if (thread < 0) return;
    const wantsAll = this.#wantsAll[thread] !== 0;
    do {
      this.#start(thread);
      thread = this.#nextWaiting[thread]!;
    } while (!wantsAll && thread >= 0 && this.#wantsAll[thread] === 0);
    this.#first[line] = thread;
  }
}
