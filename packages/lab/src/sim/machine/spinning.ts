/**
 * Many turns of a spin loop at once (see `lowering/spin-loops.ts`). A thread that has gone round once doing
 * nothing but loads that hit, pauses and readings of the clock, and whose locals are as they were but for
 * the counters, will go on like that until somebody takes one of its lines, or a bound comes near.
 */
import type { Registers, SpinLoopCode } from '../lowering/lower.ts';
import type { Clock } from './clock.ts';
import type { EventQueue } from './event-queue.ts';
import { Lists } from './lists.ts';

const LEVELS = 2;
const MOST_LINES = 4;
const MOST_LOCALS = 48;

export class Spinning {
  readonly #loops: SpinLoopCode[];
  readonly #registers: Registers;
  readonly #clock: Clock;
  /** For each line; a thread watches it by one of its `MOST_LINES` nodes. */
  readonly #watchers: Lists;
  readonly #has: (thread: number, line: number) => boolean;
  // For each thread and level: the turn that is going on.
  readonly #loop: Int32Array;
  readonly #frame: Int32Array;
  readonly #since: Float64Array;
  readonly #isClean: Uint8Array;
  readonly #lines: Int32Array;
  /** When in the turn each of these lines is looked at first. */
  readonly #lookNs: Float64Array;
  readonly #lineCount: Uint8Array;
  readonly #locals: Int32Array;
  readonly #differences = new Int32Array(256);
  // For each thread: the turns that are left out.
  readonly #level: Int8Array;
  readonly #turns: Float64Array;
  readonly #turnNs: Float64Array;
  readonly #from: Float64Array;
  readonly #grows: Int32Array;
  /** For each thread that goes on in the middle of a turn: what its next operations need not take, since so much of the turn is over. The machine uses it up. */
  readonly lateNs: Float64Array;

  /** `has`: does the thread's core have the line? */
  constructor(loops: SpinLoopCode[], registers: Registers, threads: number, lines: number, clock: Clock, has: (thread: number, line: number) => boolean) {
    this.#loops = loops;
    this.#clock = clock;
    this.#has = has;
    this.#registers = registers;
    this.#watchers = new Lists(lines, threads * MOST_LINES);
    const entries = threads * LEVELS;
    this.#loop = new Int32Array(entries).fill(-1);
    this.#frame = new Int32Array(entries);
    this.#since = new Float64Array(entries);
    this.#isClean = new Uint8Array(entries);
    this.#lines = new Int32Array(entries * MOST_LINES);
    this.#lookNs = new Float64Array(entries * MOST_LINES);
    this.#lineCount = new Uint8Array(entries);
    this.#locals = new Int32Array(entries * MOST_LOCALS);
    this.#level = new Int8Array(threads).fill(-1);
    this.#turns = new Float64Array(threads);
    this.#turnNs = new Float64Array(threads);
    this.#from = new Float64Array(threads);
    this.#grows = new Int32Array(threads * MOST_LOCALS);
    this.lateNs = new Float64Array(threads);
  }

  isParked(thread: number): boolean {
    return this.#level[thread]! >= 0;
  }

  /** On the way into a loop: what the thread did before is not a turn. */
  begin(thread: number, level: number): void {
    this.#loop[thread * LEVELS + level] = -1;
  }

  /** At the head of a loop: are there turns that can be left out? Until when, `untilNs` says. */
  atHead(thread: number, loop: number, frame: number, nowUs: number): boolean {
    const now = this.#clock[0]!;
    const code = this.#loops[loop]!;
    const entry = thread * LEVELS + code.level;
    const { S } = this.#registers;
    if (code.steady.length + code.counters.length > MOST_LOCALS) return false;
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
      if (grown < 0) isAlike = false;
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
    if (!isAlike || turnNs <= 0) return false;
    const turns = code.turnsAlike(frame, this.#differences, nowUs, turnNs);
    if (!(turns >= 2)) return false;
    for (let i = 0; i < lineCount; i++) if (!this.#has(thread, this.#lines[entry * MOST_LINES + i]!)) return false;
    this.#level[thread] = code.level;
    this.#turns[thread] = turns;
    this.#turnNs[thread] = turnNs;
    this.#from[thread] = now;
    for (let i = 0; i < lineCount; i++) this.#watchers.append(this.#lines[entry * MOST_LINES + i]!, thread * MOST_LINES + i);
    this.#lineCount[entry] = lineCount;
    return true;
  }

  /** When the turns are over that a parked thread leaves out. */
  untilNs(thread: number): number {
    return this.#from[thread]! + this.#turns[thread]! * this.#turnNs[thread]!;
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
        this.#lookNs[at + count] = this.#clock[0]! - this.#since[entry]!;
        this.#lineCount[entry] = count + 1;
      }
    }
  }

  /** The thread has done something else than look. */
  didMore(thread: number): void {
    this.#isClean[thread * LEVELS] = 0;
    this.#isClean[thread * LEVELS + 1] = 0;
  }

  isWatched(line: number): boolean {
    return this.#watchers.first(line) >= 0;
  }

  /** Somebody else than `except` has taken the line: whoever watches it notices at its next look. */
  wakeWatchers(line: number, except: number, queue: EventQueue): void {
    for (let node = this.#watchers.first(line); node >= 0; node = this.#watchers.next(node)) {
      const thread = (node / MOST_LINES) | 0;
      // One that has been woken for another line at this moment stays so.
      if (thread !== except && queue.timeOf(thread) > this.#clock[0]!) queue.set(thread, this.#goesOnAt(thread, node % MOST_LINES));
    }
  }

  /** In the middle of a turn that has not come to its look at the line yet; otherwise at the next head. */
  #goesOnAt(thread: number, line: number): number {
    const now = this.#clock[0]!;
    const turnNs = this.#turnNs[thread]!;
    const over = (now - this.#from[thread]!) / turnNs;
    const turns = Math.floor(over);
    const lateNs = (over - turns) * turnNs;
    const entry = thread * LEVELS + this.#level[thread]!;
    const isAhead = turns < this.#turns[thread]! && lateNs <= this.#lookNs[entry * MOST_LINES + line]!;
    this.lateNs[thread] = isAhead ? lateNs : 0;
    return isAhead ? now : this.#from[thread]! + Math.min(this.#turns[thread]!, Math.ceil(over)) * turnNs;
  }

  /** Ends the leaving out; counters are what they would be by now. */
  resume(thread: number): void {
    const level = this.#level[thread]!;
    const entry = thread * LEVELS + level;
    this.#level[thread] = -1;
    const { counters } = this.#loops[this.#loop[entry]!]!;
    const turns = Math.min(this.#turns[thread]!, Math.round((this.#clock[0]! - this.lateNs[thread]! - this.#from[thread]!) / this.#turnNs[thread]!));
    const { S } = this.#registers;
    for (let i = 0; i < counters.length; i++) {
      const at = this.#frame[entry]! + counters[i]!;
      S[at] = S[at]! + turns * this.#grows[thread * MOST_LOCALS + i]!;
    }
    for (let i = 0; i < this.#lineCount[entry]!; i++) {
      this.#watchers.remove(this.#lines[entry * MOST_LINES + i]!, thread * MOST_LINES + i);
    }
    this.#loop[entry] = -1;
    this.#lineCount[entry] = 0;
  }
}
