/**
 * What the async forms of one thread must do, in two degrees. `RuleBook` knows the promises of the
 * interface and nothing else; `ModelLock` predicts every step of a lock that only this thread uses,
 * with no time limits for handoff and enough waiter records.
 */

export type Mode = 'read' | 'write';

export interface Ticket {
  readonly mode: Mode;
}

/** A lock with a queue: who is granted follows from the order of events alone. */
export class ModelLock<T extends Ticket> {
  #readers = 0;
  #isWritten = false;
  readonly queue: T[] = [];
  /** The first writer has been told to try, and does in the next microtask. */
  #woken: T | null = null;
  readonly #onGrant: (ticket: T) => void;

  constructor(onGrant: (ticket: T) => void) {
    this.#onGrant = onGrant;
  }

  get mode(): 'free' | Mode {
    return this.#isWritten ? 'write' : this.#readers > 0 ? 'read' : 'free';
  }

  get readers(): number {
    return this.#readers;
  }

  /** Without waiting: past nobody, and only an idle lock for writing. */
  tryAcquire(ticket: T): boolean {
    if (this.queue.length > 0 || this.#isWritten || (ticket.mode === 'write' && this.#readers > 0)) return false;
    this.#grant(ticket);
    return true;
  }

  acquire(ticket: T): void {
    if (!this.tryAcquire(ticket)) this.queue.push(ticket);
  }

  release(mode: Mode): void {
    if (mode === 'write') this.#isWritten = false;
    else this.#readers--;
    this.#wake();
  }

  downgrade(): void {
    this.#isWritten = false;
    this.#readers++;
    if (this.queue[0]?.mode === 'read') this.#grantReaders();
  }

  /** False if it was not in the queue (any more): then nothing happens. */
  cancel(ticket: T): boolean {
    const at = this.queue.indexOf(ticket);
    if (at < 0) return false;
    this.queue.splice(at, 1);
    if (this.#woken === ticket) this.#woken = null;
    if (at === 0) this.#wake();
    return true;
  }

  /** Microtasks have run. */
  turn(): void {
    const woken = this.#woken;
    if (!woken) return;
    this.#woken = null;
    this.queue.shift();
    this.#grant(woken);
  }

  /** After anything that may have made the lock free, or another waiter the first. */
  #wake(): void {
    const first = this.queue[0];
    if (!first || this.#isWritten) return;
    if (first.mode === 'read') this.#grantReaders();
    else if (this.#readers === 0) this.#woken = first;
  }

  /** All readers of the queue, past the writers between them. */
  #grantReaders(): void {
    const readers = this.queue.filter((ticket) => ticket.mode === 'read');
    const writers = this.queue.filter((ticket) => ticket.mode === 'write');
    this.queue.splice(0, Infinity, ...writers);
    for (const reader of readers) this.#grant(reader);
  }

  #grant(ticket: T): void {
    if (ticket.mode === 'write') this.#isWritten = true;
    else this.#readers++;
    this.#onGrant(ticket);
  }
}
