/** What must hold in every state: the numbered invariants of DESIGN.md. */
import { holdsOf, INSIDE, type Layout } from './layout.ts';
import type { CoreLibrary } from '../../lower/module.ts';
import type { Mode } from './mode.ts';
import type { Failure, Runtime } from './runtime.ts';

export class Invariants {
  readonly #runtime: Runtime;
  readonly #layout: Layout;
  /** With one reader the count is nearly full: the others are woken by the last that leaves. */
  readonly #isFullWithOne: boolean;
  readonly #word: (name: string) => number;
  readonly #c: Readonly<Record<'WRITER' | 'WAITERS' | 'HANDOFF' | 'WAKING' | 'READER' | 'WAITING' | 'WOKEN' | 'WRITE_WAITER' | 'GRANT' | 'NEXT' | 'PREV' | 'KIND' | 'HANDOFF_SET', number>>;
  readonly #slot: { head: number; tail: number; waitLock: number };

  constructor(library: CoreLibrary, layout: Layout, runtime: Runtime, mode: Mode) {
    this.#isFullWithOne = mode.readers === 3;
    this.#runtime = runtime;
    this.#layout = layout;
    const word = (name: string): number => library.constantNamed(name);
    this.#word = word;
    const names = ['WRITER', 'WAITERS', 'HANDOFF', 'WAKING', 'READER', 'WAITING', 'WOKEN', 'WRITE_WAITER', 'GRANT', 'NEXT', 'PREV', 'KIND', 'HANDOFF_SET'] as const;
    this.#c = Object.fromEntries(names.map((name) => [name, word(name)])) as never;
    const slot = (name: string): number => layout.lockSlots.get(word(name)) as number;
    this.#slot = { head: slot('HEAD'), tail: slot('TAIL'), waitLock: slot('WAIT_LOCK') };
  }

  /** Those inside, or granted and still asleep. */
  #holders(threads: number, blockWords: number): { readers: number; writers: number } {
    const { state } = this.#runtime;
    let readers = 0;
    let writers = 0;
    for (let thread = 0; thread < threads; thread++) {
      const { reads, writes } = holdsOf(state[this.#layout.lockWords + thread * blockWords + INSIDE] as number);
      readers += reads;
      writers += writes;
    }
    return { readers, writers };
  }

  /** After a step: who is inside, and is it counted? */
  exclusion(threads: number, blockWords: number): Failure | null {
    const count = this.#runtime.state[0] as number;
    const { readers, writers } = this.#holders(threads, blockWords);
    if (writers > 1 || (writers === 1 && readers > 0)) return { property: 'MUTEX', text: `I1: ${writers} writers and ${readers} readers are inside, or granted and still asleep` };
    if (count < 0 ? readers > 1 : Math.floor(count / this.#c.READER) < readers) return { property: 'NEGATIVE', text: `${readers} readers are inside, and the count has fewer` };
    if (writers > 0 && (count & this.#c.WRITER) === 0) return { property: 'NEGATIVE', text: 'a writer is inside, and the count has none' };
    return null;
  }

  /** The queue, while nobody has the wait lock. */
  queue(): Failure | null {
    const { state } = this.#runtime;
    if (state[this.#slot.waitLock] !== 0) return null;
    const count = state[0] as number;
    const head = state[this.#slot.head] as number;
    const c = this.#c;
    if (((count & c.WAITERS) !== 0) !== (head !== 0)) return invariant(`I2: WAITERS is ${count & c.WAITERS ? 'set' : 'clear'}, and the queue is ${head ? 'not empty' : 'empty'}`);
    if ((count & c.HANDOFF) !== 0 && head === 0) return invariant('I3: HANDOFF is set, and nobody is queued');
    let previous = 0;
    let length = 0;
    for (let waiter = head; waiter !== 0; waiter = this.#field(waiter, c.NEXT)) {
      if (++length > 16 || this.#place(waiter) < 0) return invariant('the queue runs in a circle, or out of the records');
      if (this.#field(waiter, c.PREV) !== previous) return invariant('the queue is not the same backwards');
      const grant = this.#field(waiter, c.GRANT);
      if (grant !== c.WAITING && !(grant === c.WOKEN && waiter === head && (this.#field(waiter, c.KIND) & c.WRITE_WAITER) !== 0)) {
        return invariant(`a waiter is queued, and its grant word is ${grant}`);
      }
      if (waiter !== head && this.#field(waiter, c.HANDOFF_SET) !== 0) return invariant('I11: a waiter that is not first has HANDOFF_SET');
      previous = waiter;
    }
    if (state[this.#slot.tail] !== previous) return invariant('TAIL is not the last of the queue');
    const isWoken = head !== 0 && this.#field(head, c.GRANT) === c.WOKEN;
    if (((count & c.WAKING) !== 0) !== isWoken) return invariant(`I11: WAKING is ${count & c.WAKING ? 'set' : 'clear'}, and the first waiter has ${isWoken ? '' : 'not '}been told to try`);
    return null;
  }

  /** Nobody is on its way to anywhere: what is as it should be stays so, and what is not too. */
  quiet(threads: number, blockWords: number): Failure | null {
    const { state } = this.#runtime;
    const c = this.#c;
    const count = state[0] as number;
    const head = state[this.#slot.head] as number;
    const { readers, writers } = this.#holders(threads, blockWords);
    const counted = Math.floor(count / c.READER);
    const isWriteLocked = (count & c.WRITER) !== 0;
    if (counted !== readers || isWriteLocked !== writers > 0) {
      return invariant(`I6: nobody is under way, ${readers} readers and ${writers} writers are inside, and the count has ${counted} and ${Number(isWriteLocked)}`);
    }
    if (head === 0) return null;
    if (counted === 0 && !isWriteLocked) return { property: 'LOST', text: 'I8: nobody is under way, the lock is free, and somebody sleeps in its queue' };
    const isReader = (this.#field(head, c.KIND) & c.WRITE_WAITER) === 0;
    if (isReader && !isWriteLocked && (count & c.HANDOFF) === 0 && !this.#isFullWithOne) return invariant('nobody is under way, the lock is read-held without handoff, and a reader sleeps first in its queue');
    return null;
  }

  /** Everybody is done: is everything idle (I12)? */
  idle(threads: number): Failure | null {
    const { state } = this.#runtime;
    const { idleSlots, names, slots } = this.#layout;
    for (const slot of idleSlots) {
      if (state[slot] !== 0) return { property: 'STUCK', text: `I12: everybody is done, and ${names[slot]} is ${state[slot]}` };
    }
    for (let thread = 0; thread < threads; thread++) {
      for (const name of ['WAKE_COUNT', 'READY']) {
        const slot = slots[this.#layout.agentAt(thread) + this.#word(name)] as number;
        if (slot >= 0 && state[slot] !== 0) return { property: 'STUCK', text: `I12: everybody is done, and ${name} of thread ${thread} is ${state[slot]}` };
      }
    }
    return null;
  }

  #place(waiter: number): number {
    return this.#layout.slots[waiter + this.#c.GRANT] ?? -1;
  }

  #field(waiter: number, field: number): number {
    return this.#runtime.state[this.#layout.slots[waiter + field] as number] ?? 0;
  }
}

function invariant(text: string): Failure {
  return { property: 'INVARIANT', text };
}
