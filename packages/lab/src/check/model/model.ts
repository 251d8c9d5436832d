/** The core and the operations, compiled for one mode: all that the engines need to run programs. */
import { fileURLToPath } from 'node:url';
import { CheckArgumentError } from '../check-error.ts';
import { lowerRoutine } from '../../lower/lower.ts';
import { CoreLibrary } from '../../lower/module.ts';
import { readBuilt, type SourceFile } from '../../lower/source.ts';
import { tidy } from '../../lower/tidy.ts';
import { DataOrder } from './data-order.ts';
import { Delays } from './delays.ts';
import { Emitter, type Step } from './emit.ts';
import type { Choice, Stop } from './stop.ts';
import { Invariants } from './invariants.ts';
import { AT_OPERATION, INSIDE, Layout, LOCK_AT, PC, SLEEP } from './layout.ts';
import type { Mode } from './mode.ts';
import { narrowCounters } from './narrow.ts';
import { isUrgent, type Operation, type Program, urgentThreads } from './program.ts';
import { readsAhead, releases } from './reach.ts';
import { Runtime, type Failure } from './runtime.ts';
import { ModelWorld, overridesFor } from './world.ts';

const OPERATIONS_FILE = 'operations.js';

function readOperations(): SourceFile {
  const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  return { ...readBuilt(here('.'), OPERATIONS_FILE, here('../../../src/check/model/')), seesAll: true };
}

/** What a step returns that decides to do nothing more; any other negative number: the operation is over. */
export const STOPS = -2;

/** Stops that one step goes through at most: more than any that ends. */
export const MOST_CHAINED = 64;

function keyOf(alternatives: readonly Operation[], mayStop: boolean): string {
  return alternatives.map(({ routine, args }) => `${routine} ${args.join(' ')}`).join('/') + (mayStop ? '...' : '');
}

export class Model {
  readonly mode: Mode;
  readonly runtime: Runtime;
  readonly layout: Layout;
  readonly invariants: Invariants;
  readonly emitter: Emitter;
  readonly stops: readonly Stop[];
  readonly choices: readonly Choice[];
  readonly blockWords: number;
  readonly #steps: readonly Step[];
  readonly #chains: Uint8Array;
  readonly #needsFree: Uint8Array;
  readonly #timed: Uint8Array;
  /** By stop: who has a time limit must not be asleep there for ever, or, with the limit passed, at all. */
  readonly mayNotSleep: Uint8Array;
  readonly #lingers: Uint8Array;
  /** By stop: it waits until all plain stores of its thread have taken effect. */
  readonly #releases: Uint8Array;
  readonly #waitLock: number;
  readonly #hasBeenInAt: number;
  readonly #entries = new Map<string, number>();
  readonly scrubbed: readonly { slot: number; value: number }[];

  /** Compiles what these programs need. */
  constructor(sources: readonly SourceFile[], mode: Mode, programs: readonly Program[]) {
    this.mode = mode;
    const library = new CoreLibrary([...sources, readOperations()], overridesFor(mode));
    const usesAsync = programs.some((program) => program.usesAsync);
    this.layout = new Layout(library, mode, usesAsync, programs.some(({ mayDeadlock }) => mayDeadlock));
    const world = new ModelWorld(library, this.layout, mode);
    const emitter = new Emitter(this.layout, mode);
    for (const { threads } of programs) {
      for (const { operations } of threads) {
        for (const { routine, args } of operations.flat()) {
          const key = keyOf([{ routine, args }], false);
          if (this.#entries.has(key)) continue;
          const lowered = tidy(lowerRoutine(library, world, routine, LOCK_AT, args));
          this.#entries.set(key, emitter.add(mode.bounded ? narrowCounters(lowered) : lowered));
        }
      }
    }
    for (const { threads } of programs) {
      for (const { operations, repeats } of threads) {
        operations.forEach((alternatives, index) => this.#addChoice(emitter, alternatives, repeats === 'at will' && index === operations.length - 1));
      }
    }
    this.emitter = emitter;
    this.stops = emitter.stops;
    this.choices = emitter.choices;
    this.blockWords = this.layout.frameAt + emitter.frameWords;
    this.#waitLock = this.layout.lockSlots.get(library.constantNamed('WAIT_LOCK')) as number;
    this.#hasBeenInAt = this.layout.hasBeenInAt;
    this.runtime = new Runtime(this.layout, this.#waitLock);
    if (mode.delayed) {
      this.runtime.delays = new Delays(this.runtime, this.layout, readsAhead(this.stops, this.layout));
      this.runtime.data = new DataOrder(this.runtime, this.layout);
    }
    this.invariants = new Invariants(library, this.layout, this.runtime, mode);
    this.#chains = Uint8Array.from(this.stops, ({ chains }) => Number(chains));
    this.#needsFree = Uint8Array.from(this.stops, ({ needsFreeWaitLock }) => Number(needsFreeWaitLock));
    this.#lingers = Uint8Array.from(this.stops, ({ lingers }) => Number(lingers));
    this.#releases = Uint8Array.from(this.stops, ({ access, chains }) => Number(!chains && access !== 'done' && releases(access)));
    this.#timed = Uint8Array.from(this.stops, ({ timed }) => Number(timed));
    this.mayNotSleep = Uint8Array.from(this.stops, ({ routine: { name }, timed }) => Number(name.includes('Timed') && (!timed || mode.handoff === 'due')));
    this.#steps = compile(emitter.sources, this.runtime);
    this.scrubbed = this.layout.leftovers();
  }

  /** The engines work on this program from now on. */
  load(program: Program): LoadedProgram {
    const { threads } = program;
    if (this.mode.alone && threads.length > 1) throw new CheckArgumentError('the mode alone is for programs of one thread');
    this.runtime.prepare(threads.length, this.blockWords);
    const anyUrgent = threads.some(({ operations }) => operations.flat().some(isUrgent));
    this.runtime.policy = { handsOff: anyUrgent || (this.mode.handoff !== 'off' && this.mode.handoff !== 'not-yet'), transfers: this.mode.grant, steals: this.mode.spin || this.mode.oneCore };
    const entries = threads.map(({ operations, repeats }) =>
      operations.map((alternatives, index) => this.#entries.get(keyOf(alternatives, repeats === 'at will' && index === operations.length - 1)) as number),
    );
    return new LoadedProgram(this, program, entries);
  }

  /** Where a thread decides what to do next; the first step of the operation follows at once. */
  #addChoice(emitter: Emitter, alternatives: readonly Operation[], mayStop: boolean): void {
    const key = keyOf(alternatives, mayStop);
    if (this.#entries.has(key)) return;
    const entries = alternatives.map((operation) => this.#entries.get(keyOf([operation], false)) as number);
    this.#entries.set(key, emitter.addDecision(mayStop ? [...entries, STOPS] : entries));
  }

  block(thread: number): number {
    return this.layout.lockWords + thread * this.blockWords;
  }

  /** May this thread make a step in the present state? */
  isEnabled(thread: number): boolean {
    const { state } = this.runtime;
    const block = this.block(thread);
    const pc = state[block + PC] as number;
    if (this.#pending(block) > 0) return true;
    if (pc === 0) return false;
    if (state[block + SLEEP] !== 0) return this.#timed[pc] === 1 || this.mode.spurious;
    return this.#needsFree[pc] === 0 || state[this.#waitLock] === 0;
  }

  /** Nobody is on its way to anywhere: each thread is done, asleep, or inside and in no hurry. */
  isQuiet(threads: number): boolean {
    const { state } = this.runtime;
    for (let thread = 0; thread < threads; thread++) {
      const block = this.block(thread);
      const pc = state[block + PC] as number;
      if (this.#pending(block) > 0) return false;
      const sleepsOn = (state[block + SLEEP] as number) - 1;
      if (sleepsOn >= 0 ? sleepsOn === this.#waitLock : pc !== 0 && (this.#lingers[pc] === 0 || state[block + INSIDE] === 0)) return false;
    }
    return true;
  }

  /** This thread sleeps, and nothing that must happen in the end would make it go on. */
  sleepsSoundly(thread: number): boolean {
    const { state } = this.runtime;
    const block = this.block(thread);
    return state[block + SLEEP] !== 0 && this.#timed[state[block + PC] as number] === 0;
  }

  /** Plain stores of a thread that have not taken effect. */
  #pending(block: number): number {
    return this.runtime.delays?.pending(block) ?? 0;
  }

  /** One step, from the present state to the next. True if it ends an operation, or decides to make none. `passed`: the stops it went through, for traces only. */
  step(thread: number, loaded: LoadedProgram, passed?: number[]): boolean {
    this.runtime.rewind();
    const { delays } = this.runtime;
    if (delays === null) return this.#stepOn(thread, loaded, passed);
    const block = this.block(thread);
    const me = this.layout.agentAt(thread);
    const late = delays.pending(block);
    if (late > 0) {
      const pc = this.runtime.state[block + PC] as number;
      const mayGoOn = Number(pc !== 0 && this.#releases[pc] === 0);
      const which = this.runtime.choose(mayGoOn + late) - mayGoOn;
      if (which >= 0) {
        delays.perform(block, me, which);
        return false;
      }
    }
    const finishes = this.#stepOn(thread, loaded, passed);
    if (finishes) delays.acquired(block);
    else delays.forget(block, me);
    return finishes;
  }

  #stepOn(thread: number, loaded: LoadedProgram, passed?: number[]): boolean {
    const { state } = this.runtime;
    const block = this.block(thread);
    const me = this.layout.agentAt(thread);
    state[block + SLEEP] = 0;
    for (let chains = true, turns = 0; chains; turns++) {
      if (turns > MOST_CHAINED) {
        this.runtime.neverEnds();
        return false;
      }
      const pc = state[block + PC] as number;
      chains = this.#chains[pc] === 1;
      passed?.push(pc);
      const next = (this.#steps[pc] as Step)(block, me);
      if (next < 0) {
        if (next === STOPS) loaded.stopThread(thread, block);
        else {
          if (this.#hasBeenInAt >= 0 && state[block + this.#hasBeenInAt] === 0) this.runtime.fail('REFUSED', 'nobody else is there, and an operation has ended without the lock');
          loaded.finishOperation(thread, block);
        }
        return true;
      }
      state[block + PC] = next;
      if (this.mode.noPark && state[block + SLEEP] === this.#waitLock + 1) this.runtime.fail('INVARIANT', 'a thread that may not block parks on the wait lock');
      if (state[block + SLEEP] !== 0 && this.mayNotSleep[next] === 1 && state[block + SLEEP] !== this.#waitLock + 1) {
        this.runtime.fail('LOST', this.#timed[next] === 1 ? 'its time is up, and it goes to sleep' : 'it has a time limit, and goes to sleep without one');
      }
      if (chains && this.#releases[next] === 1 && this.#pending(block) > 0) break;
      if (chains && (state[block + SLEEP] !== 0 || (this.#needsFree[next] === 1 && state[this.#waitLock] !== 0))) break;
    }
    return false;
  }

  /** A bit for each thread that has done everything. */
  doneThreads(threads: number): number {
    let done = 0;
    for (let thread = 0; thread < threads; thread++) if (this.runtime.state[this.block(thread) + PC] === 0) done |= 1 << thread;
    return done;
  }

  /** Between two operations of a thread: nothing must be left that tells how it got there. */
  scrub(block: number): void {
    for (const { slot, value } of this.scrubbed) this.runtime.state[block + slot] = value;
  }
}

export class LoadedProgram {
  readonly model: Model;
  readonly program: Program;
  readonly threads: number;
  readonly words: number;
  /** By thread and operation: the stop it starts at. */
  readonly entries: readonly (readonly number[])[];
  /** In the mode `fair`: threads that must not starve. Without handoff only who is urgent is promised anything, if anybody is. */
  readonly promised: readonly number[];

  constructor(model: Model, program: Program, entries: readonly (readonly number[])[]) {
    this.model = model;
    this.program = program;
    this.entries = entries;
    this.threads = program.threads.length;
    this.words = model.layout.lockWords + this.threads * model.blockWords;
    const urgent = model.mode.handoff === 'off' ? urgentThreads(program) : [];
    this.promised = urgent.length > 0 ? urgent : [...program.threads.keys()];
  }

  /** Puts the first state in place. */
  start(): void {
    const { state } = this.model.runtime;
    state.fill(0);
    this.entries.forEach((entries, thread) => {
      this.model.scrub(this.model.block(thread));
      state[this.model.block(thread) + PC] = entries[0] as number;
    });
  }

  finishOperation(thread: number, block: number): void {
    const { state } = this.model.runtime;
    const entries = this.entries[thread] as readonly number[];
    let next = (state[block + AT_OPERATION] as number) + 1;
    if (next === entries.length && this.program.threads[thread]?.repeats !== 'not') next--;
    if (next === entries.length) this.stopThread(thread, block);
    else {
      this.model.scrub(block);
      state[block + PC] = entries[next] as number;
      state[block + AT_OPERATION] = next;
    }
  }

  /** It does nothing more. */
  stopThread(thread: number, block: number): void {
    this.model.scrub(block);
    const { state } = this.model.runtime;
    state[block + PC] = 0;
    state[block + AT_OPERATION] = this.entries[thread]?.length as number;
  }

  /** What is wrong in the present state, after a step; not about steps to come. */
  judge(): Failure | null {
    const { runtime, invariants, blockWords } = this.model;
    return runtime.failure ?? invariants.exclusion(this.threads, blockWords) ?? invariants.queue() ?? (this.model.isQuiet(this.threads) ? invariants.quiet(this.threads, blockWords) : null);
  }

  /** Nobody can make a step. */
  judgeEnd(): Failure | null {
    const { state } = this.model.runtime;
    const waiting: number[] = [];
    let asleep = 0;
    for (let thread = 0; thread < this.threads; thread++) {
      const block = this.model.block(thread);
      if (state[block + PC] === 0) continue;
      waiting.push(thread);
      if (state[block + SLEEP] !== 0) asleep++;
    }
    if (waiting.length === 0) return this.model.invariants.idle(this.threads);
    const names = waiting.map((thread) => String.fromCharCode(65 + thread)).join(', ');
    return asleep > 0
      ? { property: 'LOST', text: `nobody can go on: ${names} wait${waiting.length > 1 ? '' : 's'}, and nobody is left to wake ${waiting.length > 1 ? 'them' : 'it'}` }
      : { property: 'STUCK', text: `nobody can go on: ${names} wait${waiting.length > 1 ? '' : 's'} for the wait lock, which nobody gives back` };
  }
}

function compile(sources: readonly string[], runtime: Runtime): Step[] {
  const functions = sources.map((source, index) => `function s${index}(b, me) {\n${source}\n}`);
  const make = new Function('R', `'use strict'; const S = R.state;\n${functions.join('\n')}\nreturn [${sources.map((_, index) => `s${index}`).join(',')}];`);
  return make(runtime) as Step[];
}
