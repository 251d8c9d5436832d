/** What the generated steps work on and call: the state, free choices, sleeping, and the checks of accesses. */
import type { Property } from '../mutations/mutation.ts';
import { threadName } from '../schedule.ts';
import type { DataOrder } from './data-order.ts';
import type { Delays } from './delays.ts';
import { DOWNGRADING, FREELY, GRANTED_READ, GRANTED_WRITE, INSIDE, type Layout, NO_RECORD, QUEUE_WORD, SLEEP, SPIN_WORD } from './layout.ts';

export interface Failure {
  property: Property;
  text: string;
}

const MOST_WORDS = 2048;
/** Where writes go that must not do harm. */
const NOWHERE = MOST_WORDS - 1;
const MOST_CHOICES = 64;
/** More waiters than any program has. */
const MOST_QUEUED = 32;

export class Runtime {
  readonly state = new Int32Array(MOST_WORDS);
  readonly layout: Layout;
  readonly #waitLock: number;
  /** Bits of the count that change under the wait lock only (I4). */
  readonly #queueBits: number;
  readonly #writer: number;
  readonly #handoff: number;
  readonly #waking: number;
  readonly #granted: number;
  readonly #kind: number;
  readonly #waiting: number;
  readonly #next: number;
  /** In a block, of the record of the blocking waiter. */
  readonly #grant: number;
  readonly #handoffSet: number;
  readonly #handoffSetAt: number;
  readonly #head: number;
  /** In the mode `bypass`: the most that anybody has been. */
  mostOvertaken = 0;
  readonly #writeWaiter: number;
  readonly #reader: number;
  readonly #readFailed: number;
  readonly #acquired: number;
  readonly #busy: number;
  readonly #tooManyReaders: number;
  readonly #contended: number;
  failure: Failure | null = null;
  /**
   * What the policy forbids: to ask for handoff; by `writerWake`, to wake a writer or to grant it the lock without handoff;
   * with `spin: 'off'`, to take a lock for writing past its queue.
   */
  policy = { handsOff: true, transfers: false, steals: true };
  /**
   * Bells are counted modulo this: between the look at its bell and the sleep of a thread each of the others
   * rings at most twice, once for a push that has been answered already. Odd, so that it may ring by two.
   */
  bellModulus = 1;
  /** In the mode `delayed`. */
  delays: Delays | null = null;
  data: DataOrder | null = null;
  #threads = 0;
  #blockWords = 0;

  // The free choices of a step: an odometer, over which the step is run again and again.
  readonly #chosen = new Int32Array(MOST_CHOICES);
  readonly #options = new Int32Array(MOST_CHOICES);
  readonly #sites = new Int32Array(MOST_CHOICES);
  #choices = 0;
  #made = 0;

  constructor(layout: Layout, waitLock: number) {
    this.layout = layout;
    this.#waitLock = waitLock;
    const word = (name: string): number => layout.word(name);
    this.#queueBits = word('WAITERS') | word('HANDOFF') | word('WAKING');
    this.#writer = word('WRITER');
    this.#handoff = word('HANDOFF');
    this.#waking = word('WAKING');
    this.#granted = word('GRANTED');
    this.#kind = word('KIND');
    this.#waiting = word('WAITING');
    this.#next = word('NEXT');
    const blocking = (name: string): number => layout.agentSlots.get(word('BLOCKING_WAITER') + word(name)) as number;
    this.#grant = blocking('GRANT');
    this.#handoffSet = blocking('HANDOFF_SET');
    this.#handoffSetAt = word('HANDOFF_SET');
    this.#head = layout.lockSlots.get(word('HEAD')) as number;
    this.#writeWaiter = word('WRITE_WAITER');
    this.#reader = word('READER');
    this.#readFailed = word('READ_FAILED');
    this.#acquired = word('ACQUIRED');
    this.#busy = word('BUSY');
    this.#tooManyReaders = word('TOO_MANY_READERS');
    this.#contended = word('WAIT_LOCK_CONTENDED');
  }

  prepare(threads: number, blockWords: number): void {
    this.mostOvertaken = 0;
    this.bellModulus = 2 * (threads - 1) + 1;
    this.#threads = threads;
    this.#blockWords = blockWords;
    this.layout.place(threads, blockWords);
    this.delays?.prepare(threads, blockWords);
    this.data?.prepare(threads, blockWords);
  }

  /** Before each run of a step. */
  rewind(): void {
    this.#made = 0;
    this.failure = null;
    this.delays?.forgetLog();
  }

  /** After a run: true if there is a combination left; the next run makes it. */
  nextCombination(): boolean {
    while (this.#choices > 0) {
      const last = this.#choices - 1;
      if (++(this.#chosen[last] as number) < (this.#options[last] as number)) return true;
      this.#choices = last;
    }
    return false;
  }

  /** No further combinations of this step. */
  abandon(): void {
    this.#choices = 0;
  }

  /** Makes the combination that comes after so many others of the same step; false if there is none. */
  skipTo(combination: number, run: () => void): boolean {
    this.abandon();
    run();
    for (let at = 0; at < combination; at++) {
      if (!this.nextCombination()) return false;
      run();
    }
    return true;
  }

  /** Those of the last run. Site: which `choose` of the model; -1 if it was none. */
  choicesMade(): { site: number; chosen: number }[] {
    return Array.from({ length: this.#made }, (_, at) => ({ site: this.#sites[at] as number, chosen: this.#chosen[at] as number }));
  }

  /** One of 0 to options - 1. */
  choose(options: number, site = -1): number {
    const at = this.#made++;
    if (at >= MOST_CHOICES) throw new Error('a step with more than 64 free choices: it loops without an access');
    if (at >= this.#choices) {
      this.#chosen[at] = 0;
      this.#options[at] = options;
      this.#sites[at] = site;
      this.#choices = at + 1;
    }
    return this.#chosen[at] as number;
  }

  fail(property: Property, text: string): void {
    this.failure ??= { property, text };
  }

  /** A step that follows a chain of records which bites its own tail, or takes the wait lock for nothing. To stop 0, where a thread stays. */
  neverEnds(): number {
    this.fail('INVARIANT', 'a loop without an atomic operation does not end: a chain of records is a ring, or the wait lock is taken and dropped again and again');
    return 0;
  }

  holdsWaitLock(me: number): boolean {
    return ((this.state[this.#waitLock] as number) & ~this.#contended) === me;
  }

  /** Place of the word at an address that is not known beforehand, for an ordinary access or an atomic one. */
  place(address: number, me: number): number {
    const slot = this.layout.slots[address] ?? NO_RECORD;
    if (slot === NO_RECORD) this.fail('INVARIANT', `word ${address} is outside every record`);
    else if (this.layout.classes[address] !== FREELY) this.#touch(address, me);
    return slot < 0 ? NOWHERE : slot;
  }

  load(address: number, me: number): number {
    const slot = this.place(address, me);
    return slot === NOWHERE ? (this.layout.constants[address] ?? 0) : (this.state[slot] as number);
  }

  #touch(address: number, me: number): void {
    if (this.layout.classes[address] === QUEUE_WORD) return this.needWaitLock(me);
    if (this.layout.classes[address] === SPIN_WORD) return this.fail('INVARIANT', "the spinner queue is entered where nobody may spin: on one core, or with spin: 'off'");
    if (this.layout.owners[address] === me) return;
    this.needWaitLock(me);
    const grant = this.layout.grants[address] as number;
    if (grant >= 0 && this.state[this.layout.slots[grant] as number] === this.#granted) {
      this.fail('INVARIANT', 'I7: a waiter is touched after it has been granted: its thread may have gone on');
    }
  }

  needWaitLock(me: number): void {
    if (!this.holdsWaitLock(me)) this.fail('INVARIANT', 'I4: a word of the queue is touched without the wait lock');
  }

  /** After a write to what may be the grant word of another: who has been granted holds the lock from here on (I1). */
  signalled(address: number, word: number): void {
    const { layout, state } = this;
    if (word !== this.#granted || layout.areGrants[address] !== 1) return;
    const agent = layout.owners[address] as number;
    const block = layout.lockWords + layout.threadOf(agent) * this.#blockWords;
    const isWrite = ((state[layout.slots[address + this.#kind] as number] as number) & this.#writeWaiter) !== 0;
    if (isWrite && !this.policy.handsOff && !this.policy.transfers) this.fail('INVARIANT', "a writer has been granted the lock: without handoff, and with writerWake: 'steal', it is to take it itself");
    (state[block + INSIDE] as number) |= (isWrite ? GRANTED_WRITE : GRANTED_READ) << layout.recordOf(address - agent);
  }

  /**
   * In the mode `bypass`, when somebody goes on inside: who has asked for handoff and waits is overtaken.
   * Each other thread may have been let in before the bit was set, once; whoever comes later may not.
   */
  overtakes(block: number): void {
    const { layout, state } = this;
    const at = layout.overtakenAt;
    state[block + at] = 0;
    if (((state[0] as number) & this.#handoff) === 0) return;
    for (let thread = 0; thread < this.#threads; thread++) {
      const other = layout.lockWords + thread * this.#blockWords;
      if (other === block || (state[other + this.#handoffSet] as number) === 0) continue;
      if (!this.#isQueued(layout.agentAt(thread) + layout.word('BLOCKING_WAITER'))) continue;
      const times = ++(state[other + at] as number);
      this.mostOvertaken = Math.max(this.mostOvertaken, times);
      if (times >= this.#threads) this.fail('BYPASS', `${threadName(thread)} has asked for handoff, and others have got in past it ${times} times`);
    }
  }

  /** A try has ended without the lock: BUSY if something is in its way, TOO_MANY_READERS if another would be one too many. */
  triedInVain(status: number): void {
    const count = this.state[0] as number;
    const isBusy = count >= 0 && (count & this.#readFailed) !== 0;
    const isFull = count < 0 || (!isBusy && ((count + this.#reader) | 0) < 0);
    if (status !== (isFull ? this.#tooManyReaders : isBusy ? this.#busy : this.#acquired)) this.fail('ANSWER', `a try has ended with status ${status}, and the count is ${count}`);
  }

  /** An operation has ended because it would wait behind a queued writer. */
  wouldDeadlock(wasWriterFirst: number): void {
    if (wasWriterFirst === 0) this.fail('ANSWER', 'an operation has ended with WOULD_DEADLOCK, and no writer is first in the queue');
  }

  /** A nested read counts itself, under the wait lock. */
  joins(): void {
    if (this.isWriterFirst() !== 0) this.fail('ANSWER', 'a nested read goes in past a writer that is first in the queue: it is to end with WOULD_DEADLOCK');
  }

  /** 0 or 1. */
  isWriterFirst(): number {
    const { layout, state } = this;
    const head = state[this.#head] as number;
    return Number(head !== 0 && ((state[layout.slots[head + this.#kind] as number] as number) & this.#writeWaiter) !== 0);
  }

  #isQueued(record: number): boolean {
    const { layout, state } = this;
    let waiter = state[this.#head] as number;
    for (let length = 0; waiter !== 0 && waiter !== record && length < MOST_QUEUED; length++) waiter = state[layout.slots[waiter + this.#next] as number] as number;
    return waiter === record;
  }

  /** A queued writer has taken the lock by itself; the queue is still as it was. May it, if it is not first? */
  tookFromQueue(before: number, me: number, block: number): void {
    const { layout, state } = this;
    const head = state[this.#head] as number;
    if (layout.owners[head] === me) return;
    const isBlocking = state[block + this.#grant] === this.#waiting;
    if (!isBlocking) this.fail('INVARIANT', 'an async writer that is not first has taken the lock');
    if (this.policy.transfers) this.fail('INVARIANT', "a queued writer that is not first has taken the lock, with writerWake: 'grant'");
    const hasAsked = state[layout.slots[head + this.#handoffSetAt] as number] !== 0;
    if ((before & this.#handoff) !== 0 && hasAsked) this.fail('INVARIANT', 'I5: a queued writer has got in past the first, which has asked for handoff');
  }

  /** A thread has seen that this record has been granted, if it has, and goes on inside. */
  collected(block: number, record: number): void {
    (this.state[block + INSIDE] as number) &= ~((GRANTED_READ | GRANTED_WRITE) << record);
  }

  /** Where sleepers of an address are: no ordinary access. */
  bell(address: number): number {
    const slot = this.layout.slots[address] ?? NO_RECORD;
    if (slot === NO_RECORD) this.fail('INVARIANT', `notify of word ${address}, outside every record`);
    return slot < 0 ? NOWHERE : slot;
  }

  /** Wakes those that sleep on this word: all, or so many, whichever. Where in the vector they were asleep. */
  notify(slot: number, most: number): number[] {
    const { state } = this;
    const sleepers: number[] = [];
    for (let thread = 0; thread < this.#threads; thread++) {
      const at = this.layout.lockWords + thread * this.#blockWords + SLEEP;
      if (state[at] === slot + 1) sleepers.push(at);
    }
    while (sleepers.length > most) sleepers.splice(this.choose(sleepers.length), 1);
    for (const at of sleepers) state[at] = 0;
    return sleepers;
  }

  /** After every change of the count word. */
  countChanged(before: number, me: number, block: number): void {
    const { state } = this;
    const after = state[0] as number;
    if (((before ^ after) & this.#queueBits) !== 0 && !this.holdsWaitLock(me)) {
      this.fail('INVARIANT', 'I4: WAITERS, HANDOFF or WAKING has changed without the wait lock');
    }
    if ((before & (this.#writer | this.#handoff)) === this.#handoff && (after & this.#writer) !== 0 && !this.holdsWaitLock(me)) {
      this.fail('INVARIANT', 'I5: a writer that is not queued has got in past a handoff');
    }
    const set = after & ~before;
    const wasFree = (before & -this.#reader) === 0; // of one that is held it is another mistake: MUTEX
    if ((set & this.#writer) !== 0 && before !== 0 && wasFree && !this.policy.steals && !this.holdsWaitLock(me)) this.fail('INVARIANT', "a writer that is not queued has taken the lock past the queue: with spin: 'off' nobody steals");
    if ((set & this.#handoff) !== 0 && !this.policy.handsOff) this.fail('INVARIANT', 'HANDOFF is set, which nobody may ask for under this policy');
    if ((set & this.#waking) !== 0 && this.policy.transfers) this.fail('INVARIANT', "a writer has been woken to try: with writerWake: 'grant' it is to be granted the lock");
    if ((before & this.#writer) !== 0 && (after & this.#writer) === 0 && state[block + INSIDE] === DOWNGRADING) state[block + INSIDE] = 1;
  }
}
