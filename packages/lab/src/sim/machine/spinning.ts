/**
 * Many turns of a spin loop at once (see `lowering/spin-loops.ts`). A thread that has gone round once doing
 * nothing but loads that hit, pauses and readings of the clock, and whose locals are as they were but for
 * the counters, will go on like that until somebody takes one of its lines, or a bound comes near.
 */
import type { Registers, SpinLoopCode } from '../lowering/lower.ts';

const LEVELS = 2;
const MOST_LINES = 4;
const MOST_LOCALS = 48;

export class Spinning {
  readonly #loops: SpinLoopCode[];
  readonly #registers: Registers;
  readonly #watchers: Map<number, number[]> = new Map();
  readonly #has: (thread: number, line: number) => boolean;
  /** Threads that watch a line; most lines have none. */
  readonly watched: Uint8Array;
  // For each thread and level: the turn that is going on.
  readonly #loop: Int32Array;
  readonly #frame: Int32Array;
  readonly #since: Float64Array;
  readonly #isClean: Uint8Array;
  readonly #lines: Int32Array;
  readonly #lineCount: Uint8Array;
  readonly #locals: Int32Array;
  readonly #differences = new Int32Array(256);
  // For each thread: the turns that are left out.
  readonly #level: Int8Array;
  readonly #turns: Float64Array;
  readonly #turnNs: Float64Array;
  readonly #from: Float64Array;
  readonly #grows: Int32Array;

  /** `has`: does the thread's core have the line? */
  constructor(loops: SpinLoopCode[], registers: Registers, threads: number, lines: number, has: (thread: number, line: number) => boolean) {
    this.#loops = loops;
    this.#has = has;
    this.#registers = registers;
    this.watched = new Uint8Array(lines);
    const entries = threads * LEVELS;
    this.#loop = new Int32Array(entries).fill(-1);
    this.#frame = new Int32Array(entries);
    this.#since = new Float64Array(entries);
    this.#isClean = new Uint8Array(entries);
    this.#lines = new Int32Array(entries * MOST_LINES);
    this.#lineCount = new Uint8Array(entries);
    this.#locals = new Int32Array(entries * MOST_LOCALS);
    this.#level = new Int8Array(threads).fill(-1);
    this.#turns = new Float64Array(threads);
    this.#turnNs = new Float64Array(threads);
    this.#from = new Float64Array(threads);
    this.#grows = new Int32Array(threads * MOST_LOCALS);
  }

  isParked(thread: number): boolean {
    return this.#level[thread]! >= 0;
  }

  /** At the head of a loop: how long the turns take that can be left out, or 0. */
  atHead(thread: number, loop: number, frame: number, now: number, nowUs: number): number {
    const code = this.#loops[loop]!;
    const entry = thread * LEVELS + code.level;
    const { S } = this.#registers;
    if (code.steady.length + code.counters.length > MOST_LOCALS) return 0;
    let isAlike = this.#loop[entry] === loop && this.#frame[entry] === frame && this.#isClean[entry] !== 0;
    const at = entry * MOST_LOCALS;
    const { steady, counters } = code;
    for (let i = 0; i < steady.length; i++) {
      const value = S[frame + steady[i]!]!;
      if (this.#locals[at + i] !== value) isAlike = false;
      this.#locals[at + i] = value;
    }
    for (let i = 0; i < counters.length; i++) {
      const value = S[frame + counters[i]!]!;
      const place = at + steady.length + i;
      const grown = value - this.#locals[place]!;
      this.#differences[counters[i]!] = grown;
      this.#grows[thread * MOST_LOCALS + i] = grown;
      this.#locals[place] = value;
    }
    const turnNs = now - this.#since[entry]!;
    this.#loop[entry] = loop;
    this.#frame[entry] = frame;
    this.#since[entry] = now;
    const lineCount = this.#lineCount[entry]!;
    this.#isClean[entry] = 1;
    this.#lineCount[entry] = 0;
    if (!isAlike || turnNs <= 0) return 0;
    const turns = code.turnsAlike(frame, this.#differences, nowUs, turnNs);
    if (!(turns >= 2)) return 0;
    for (let i = 0; i < lineCount; i++) if (!this.#has(thread, this.#lines[entry * MOST_LINES + i]!)) return 0;
    this.#level[thread] = code.level;
    this.#turns[thread] = turns;
    this.#turnNs[thread] = turnNs;
    this.#from[thread] = now;
    for (let i = 0; i < lineCount; i++) this.#watch(thread, this.#lines[entry * MOST_LINES + i]!);
    this.#lineCount[entry] = lineCount;
    return turns * turnNs;
  }

  /** The thread has read a line that it had. */
  sawLine(thread: number, line: number): void {
    for (let entry = thread * LEVELS; entry < (thread + 1) * LEVELS; entry++) {
      if (this.#isClean[entry] === 0) continue;
      const count = this.#lineCount[entry]!;
      const at = entry * MOST_LINES;
      let i = 0;
      while (i < count && this.#lines[at + i] !== line) i++;
      if (i < count) continue;
      if (count === MOST_LINES) this.#isClean[entry] = 0;
      else {
        this.#lines[at + count] = line;
        this.#lineCount[entry] = count + 1;
      }
    }
  }

  /** The thread has done something else than look. */
  didMore(thread: number): void {
    this.#isClean[thread * LEVELS] = 0;
    this.#isClean[thread * LEVELS + 1] = 0;
  }

  #watch(thread: number, line: number): void {
    let threads = this.#watchers.get(line);
    if (threads === undefined) this.#watchers.set(line, (threads = []));
    threads.push(thread);
    this.watched[line] = 1;
  }

  watchersOf(line: number): readonly number[] {
    return this.#watchers.get(line) ?? [];
  }

  /** When a parked thread is at the head of its loop the next time. */
  nextHead(thread: number, now: number): number {
    const turns = Math.min(this.#turns[thread]!, Math.ceil((now - this.#from[thread]!) / this.#turnNs[thread]!));
    return this.#from[thread]! + turns * this.#turnNs[thread]!;
  }

  /** Ends the leaving out; counters are what they would be by now. */
  resume(thread: number, now: number): void {
    const level = this.#level[thread]!;
    const entry = thread * LEVELS + level;
    this.#level[thread] = -1;
    const { counters } = this.#loops[this.#loop[entry]!]!;
    const turns = Math.min(this.#turns[thread]!, Math.round((now - this.#from[thread]!) / this.#turnNs[thread]!));
    const { S } = this.#registers;
    for (let i = 0; i < counters.length; i++) {
      const at = this.#frame[entry]! + counters[i]!;
      S[at] = S[at]! + turns * this.#grows[thread * MOST_LOCALS + i]!;
    }
    for (let i = 0; i < this.#lineCount[entry]!; i++) {
      const line = this.#lines[entry * MOST_LINES + i]!;
      const threads = this.#watchers.get(line)!;
      threads.splice(threads.indexOf(thread), 1);
      if (threads.length === 0) this.watched[line] = 0;
    }
    this.#loop[entry] = -1;
    this.#lineCount[entry] = 0;
  }
}
