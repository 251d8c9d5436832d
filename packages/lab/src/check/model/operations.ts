/**
 * The operations of a model's threads, as the public classes and the event loop run them on the core:
 * `rwsem.ts` and `async/async-agent.ts` without promises, errors and bookkeeping of holds. Each acquires,
 * is inside, and releases.
 *
 * This file is never run. It is lowered together with the core, so it keeps to the same subset; what is
 * declared here the core defines, or the model.
 */

declare const ACQUIRED: number, CANCELLED: number, CANCELLED_SIGNALLED: number, NOT_ARRIVED: number, QUEUED: number, TOO_MANY_READERS: number, WOULD_DEADLOCK: number;
declare const AGENT_TAG: number, BELL: number, HELD: number, READY: number, READY_NEXT: number;
declare const ASYNC_WAITER: number, WRITE_WAITER: number, WRITER: number;
declare const SPIN_LIMIT_TURNS: number, SPIN_LIMIT_US: number;

declare function relaxedLoad(mem: Int32Array, at: number): number;
declare function relaxedStore(mem: Int32Array, at: number, value: number): void;
declare function readerTag(tag: number): number;
declare function asyncTag(tag: number): number;
declare function readerIsIn(count: number): boolean;
declare function recordReader(mem: Int32Array, lock: number, tag: number): void;
declare function enterReader(mem: Int32Array, lock: number, asReader: number): number;
declare function arriveReader(mem: Int32Array, lock: number): number;
declare function arriveReaderPolitely(mem: Int32Array, lock: number): number;
declare function arriveWriter(mem: Int32Array, lock: number, tag: number): number;
declare function enterWriter(mem: Int32Array, lock: number, tag: number, free: number): number;
declare function releaseRead(mem: Int32Array, lock: number): boolean;
declare function releaseWrite(mem: Int32Array, lock: number): boolean;
declare function wakeAfterRead(mem: Int32Array, lock: number, me: number): void;
declare function wakeAfterWrite(mem: Int32Array, lock: number, me: number): void;
declare function withdrawReader(mem: Int32Array, lock: number, me: number): void;
declare function downgradeWrite(mem: Int32Array, lock: number, me: number, tag: number): void;
declare function tryRead(mem: Int32Array, lock: number, tag: number): number;
declare function stealRead(mem: Int32Array, lock: number, me: number, count: number): boolean;
declare function stealWrite(mem: Int32Array, lock: number, me: number, count: number): boolean;
declare function countWriteSteal(mem: Int32Array, me: number, count: number): void;
declare function prepareWaiter(mem: Int32Array, lock: number, waiter: number, kind: number, urgent: boolean): void;
declare function enqueueRead(mem: Int32Array, lock: number, me: number, waiter: number, probe: boolean, nested: boolean, peer: number): number;
declare function enqueueWrite(mem: Int32Array, lock: number, me: number, waiter: number): number;
declare function attemptWrite(mem: Int32Array, lock: number, me: number, waiter: number): number;
declare function cancelWaiter(mem: Int32Array, lock: number, me: number, waiter: number): number;
declare function enterSpinQueue(mem: Int32Array, lock: number, me: number, limitUs: number, limitTurns: number): boolean;
declare function maySpin(mem: Int32Array, lock: number, me: number): boolean;
declare function leaveSpinQueue(mem: Int32Array, lock: number, me: number): void;
declare function takeReady(mem: Int32Array, me: number): number;
declare function readSlow(mem: Int32Array, lock: number, me: number, count: number, nested: boolean, peer: number, urgent: boolean, timed: boolean, giveUpAtMs: number): number;
declare function writeSlow(mem: Int32Array, lock: number, me: number, urgent: boolean, timed: boolean, giveUpAtMs: number): number;

// Of the model. The ghosts take effect in the step before or after.
/** This thread holds the lock from here on: READ_HOLD or WRITE_HOLD. */
declare function entered(hold: number): void;
declare function left(hold: number): void;
/** What this async waiter has been granted is the thread's from here on. */
declare function collected(waiter: number): void;
/** The next step that ends the write hold turns it into a read hold. */
declare function downgrading(): void;
/** Who is inside reads the users' data, or reads and writes it. */
declare function usesData(): void;
declare function changesData(): void;
/** A step in which nothing happens: others run meanwhile. */
declare function linger(): void;
/** 0 or 1, anybody's choice. */
declare function choose(): number;
/** The async waiter records of this thread. */
declare function asyncWaiterA(): number;
declare function asyncWaiterB(): number;
/** A signal for a record that was given back (I13). */
declare function strayedSignal(): void;
/** An answer that this operation does not give. */
declare function wrongAnswer(): void;
/** A try has answered this, to the count as it is. */
declare function triedInVain(status: number): void;
/** Right only if a writer is first in the queue. */
declare function wouldDeadlock(): void;
/** Can the limit of readers be reached, can one of time pass? */
declare function mayOverflow(): boolean;
declare function mayTimeOut(): boolean;

const READ_HOLD = 1;
const WRITE_HOLD = 16;
const NOTHING = 0;
const PENDING = 1;
/** Cancelled, and the signal is still to arrive. */
const SIGNALLED = 2;
const ASYNC_READ = 1;
const URGENT_ASYNC_WRITE = 3;

function leaveRead(mem: Int32Array, lock: number, me: number): void {
  usesData();
  const mustWake = releaseRead(mem, lock);
  left(READ_HOLD);
  if (mustWake) wakeAfterRead(mem, lock, me);
}

function leaveWrite(mem: Int32Array, lock: number, me: number): void {
  changesData();
  const mustWake = releaseWrite(mem, lock);
  left(WRITE_HOLD);
  if (mustWake) wakeAfterWrite(mem, lock, me);
}

function holdRead(mem: Int32Array, lock: number, me: number): void {
  entered(READ_HOLD);
  leaveRead(mem, lock, me);
}

function holdWrite(mem: Int32Array, lock: number, me: number): void {
  entered(WRITE_HOLD);
  leaveWrite(mem, lock, me);
}

/** ACQUIRED, or an error that there can be. */
function gotRead(status: number, mayDeadlock: boolean, timed: boolean): boolean {
  if (status === ACQUIRED) return true;
  if (status === WOULD_DEADLOCK && mayDeadlock) wouldDeadlock();
  else if (!(status === TOO_MANY_READERS && mayOverflow()) && !(status === CANCELLED && timed && mayTimeOut())) wrongAnswer();
  return false;
}

function gotWrite(status: number, timed: boolean): boolean {
  if (status === ACQUIRED) return true;
  if (!(status === CANCELLED && timed && mayTimeOut())) wrongAnswer();
  return false;
}

/** ACQUIRED or QUEUED. */
function isQueued(status: number): boolean {
  if (status !== ACQUIRED && status !== QUEUED) wrongAnswer();
  return status === QUEUED;
}

/** `#readNow`, `#readRest`. */
function acquireRead(mem: Int32Array, lock: number, me: number, nested: boolean, peer: number): boolean {
  const tag = relaxedLoad(mem, me + AGENT_TAG);
  const count = enterReader(mem, lock, readerTag(tag));
  if (count === 0) return true;
  if (readerIsIn(count)) {
    recordReader(mem, lock, tag);
    return true;
  }
  if (stealRead(mem, lock, me, count)) return true;
  return gotRead(readSlow(mem, lock, me, count, nested, peer, false, false, 0), nested || peer !== 0, false);
}

/** `#readWith`. */
function acquireReadWith(mem: Int32Array, lock: number, me: number, nested: boolean, urgent: boolean, timed: boolean): boolean {
  let count = NOT_ARRIVED;
  if (timed) count = arriveReaderPolitely(mem, lock);
  else count = arriveReader(mem, lock);
  if (count !== NOT_ARRIVED) {
    if (readerIsIn(count)) {
      recordReader(mem, lock, relaxedLoad(mem, me + AGENT_TAG));
      return true;
    }
    if (stealRead(mem, lock, me, count)) return true;
  }
  return gotRead(readSlow(mem, lock, me, count, nested, 0, urgent, timed, 0), nested, timed);
}

/** `#writeNow`, `#writeRest`. The word HELD keeps what is `#free` there. */
function acquireWrite(mem: Int32Array, lock: number, me: number): boolean {
  const free = relaxedLoad(mem, me + HELD);
  const count = enterWriter(mem, lock, relaxedLoad(mem, me + AGENT_TAG), free);
  if (count === free) {
    countWriteSteal(mem, me, count);
    return true;
  }
  if (stealWrite(mem, lock, me, count)) {
    relaxedStore(mem, me + HELD, count);
    return true;
  }
  return gotWrite(writeSlow(mem, lock, me, false, false, 0), false);
}

/** `#blockingWrite` with options. */
function acquireWriteWith(mem: Int32Array, lock: number, me: number, urgent: boolean, timed: boolean): boolean {
  const count = arriveWriter(mem, lock, relaxedLoad(mem, me + AGENT_TAG));
  if (count === 0 || stealWrite(mem, lock, me, count)) return true;
  return gotWrite(writeSlow(mem, lock, me, urgent, timed, 0), timed);
}

export function runRead(mem: Int32Array, lock: number, me: number): void {
  if (acquireRead(mem, lock, me, false, 0)) holdRead(mem, lock, me);
}

export function runTimedRead(mem: Int32Array, lock: number, me: number): void {
  if (acquireReadWith(mem, lock, me, false, false, true)) holdRead(mem, lock, me);
}

export function runUrgentRead(mem: Int32Array, lock: number, me: number): void {
  if (acquireReadWith(mem, lock, me, false, true, false)) holdRead(mem, lock, me);
}

export function runTryRead(mem: Int32Array, lock: number, me: number): void {
  const status = tryRead(mem, lock, relaxedLoad(mem, me + AGENT_TAG));
  if (status === ACQUIRED) holdRead(mem, lock, me);
  else triedInVain(status);
}

export function runWrite(mem: Int32Array, lock: number, me: number): void {
  if (acquireWrite(mem, lock, me)) holdWrite(mem, lock, me);
}

export function runTimedWrite(mem: Int32Array, lock: number, me: number): void {
  if (acquireWriteWith(mem, lock, me, false, true)) holdWrite(mem, lock, me);
}

export function runUrgentWrite(mem: Int32Array, lock: number, me: number): void {
  if (acquireWriteWith(mem, lock, me, true, false)) holdWrite(mem, lock, me);
}

/** A write with a time limit of a thread that holds the lock: the limit is all that can end it. */
export function runWriteInWrite(mem: Int32Array, lock: number, me: number): void {
  if (!acquireWrite(mem, lock, me)) return;
  entered(WRITE_HOLD);
  if (acquireWriteWith(mem, lock, me, false, true)) wrongAnswer();
  leaveWrite(mem, lock, me);
}

export function runTryWrite(mem: Int32Array, lock: number, me: number): void {
  if (arriveWriter(mem, lock, relaxedLoad(mem, me + AGENT_TAG)) === 0) holdWrite(mem, lock, me);
}

export function runDowngrade(mem: Int32Array, lock: number, me: number): void {
  if (!acquireWrite(mem, lock, me)) return;
  entered(WRITE_HOLD);
  changesData();
  linger();
  downgrading();
  downgradeWrite(mem, lock, me, relaxedLoad(mem, me + AGENT_TAG));
  leaveRead(mem, lock, me);
}

export function runNestedRead(mem: Int32Array, lock: number, me: number, timed: boolean): void {
  if (!acquireRead(mem, lock, me, false, 0)) return;
  entered(READ_HOLD);
  const isInside = timed ? acquireReadWith(mem, lock, me, true, false, true) : acquireRead(mem, lock, me, true, 0);
  if (isInside) holdRead(mem, lock, me);
  leaveRead(mem, lock, me);
}

/** `#readSlow` before a `DeadlockError`. */
export function runProbe(mem: Int32Array, lock: number, me: number): void {
  const count = arriveReader(mem, lock);
  if (readerIsIn(count)) holdRead(mem, lock, me);
  else withdrawReader(mem, lock, me);
}

/**
 * The spinner queue by itself, in place of the lock: whoever is first takes the lock without looking, so
 * that two who are first at once are two who are inside.
 */
export function runSpinTurn(mem: Int32Array, lock: number, me: number): void {
  if (!maySpin(mem, lock, me)) return;
  if (!enterSpinQueue(mem, lock, me, SPIN_LIMIT_US, SPIN_LIMIT_TURNS)) return;
  Atomics.add(mem, lock, WRITER);
  entered(WRITE_HOLD);
  releaseWrite(mem, lock);
  left(WRITE_HOLD);
  leaveSpinQueue(mem, lock, me);
}

/** `#acquireAsync` and `#enqueue`. True if it is queued; if it was granted at once it is over. */
function startAsync(mem: Int32Array, lock: number, me: number, waiter: number, kind: number): boolean {
  if (kind === NOTHING) return false;
  const tag = asyncTag(relaxedLoad(mem, me + AGENT_TAG));
  if (kind === ASYNC_READ) {
    let status = tryRead(mem, lock, tag);
    if (status !== ACQUIRED) {
      triedInVain(status);
      if (status === TOO_MANY_READERS) return false;
      prepareWaiter(mem, lock, waiter, ASYNC_WAITER, false);
      status = enqueueRead(mem, lock, me, waiter, false, false, 0);
      if (status === QUEUED) return true;
    }
    if (gotRead(status, false, false)) holdRead(mem, lock, me);
    return false;
  }
  if (arriveWriter(mem, lock, tag) !== 0) {
    prepareWaiter(mem, lock, waiter, WRITE_WAITER | ASYNC_WAITER, kind === URGENT_ASYNC_WRITE);
    if (isQueued(enqueueWrite(mem, lock, me, waiter))) return true;
  }
  collected(waiter);
  holdWrite(mem, lock, me);
  return false;
}

/** `#answer`. What is left to do about the record. */
function answer(mem: Int32Array, lock: number, me: number, waiter: number, kind: number, state: number): number {
  if (state === NOTHING) strayedSignal();
  if (state !== PENDING) return NOTHING;
  if (kind !== ASYNC_READ && isQueued(attemptWrite(mem, lock, me, waiter))) return PENDING;
  collected(waiter);
  if (kind === ASYNC_READ) holdRead(mem, lock, me);
  else holdWrite(mem, lock, me);
  return NOTHING;
}

/** `cancel`, if whoever may abort does. */
function maybeAbort(mem: Int32Array, lock: number, me: number, waiter: number, state: number, mayAbort: boolean): number {
  if (!mayAbort || state !== PENDING || choose() === 0) return state;
  const status = cancelWaiter(mem, lock, me, waiter);
  if (status === CANCELLED) return NOTHING;
  if (status === CANCELLED_SIGNALLED) return SIGNALLED;
  if (status !== ACQUIRED) wrongAnswer();
  return PENDING;
}

/** The event loop, until both acquisitions are settled and their records given back. */
function serve(mem: Int32Array, lock: number, me: number, a: number, b: number, firstA: number, firstB: number, mayAbort: boolean): void {
  let stateA = firstA;
  let stateB = firstB;
  while (stateA !== NOTHING || stateB !== NOTHING) {
    const rung = Atomics.load(mem, me + BELL);
    if (Atomics.load(mem, me + READY) === 0) {
      // Asleep until the bell is rung, or an abort.
      if (mayAbort && (stateA === PENDING || stateB === PENDING)) Atomics.wait(mem, me + BELL, rung, 1);
      else Atomics.wait(mem, me + BELL, rung);
      stateA = maybeAbort(mem, lock, me, asyncWaiterA(), stateA, mayAbort);
      stateB = maybeAbort(mem, lock, me, asyncWaiterB(), stateB, mayAbort);
    } else {
      let waiter = takeReady(mem, me);
      while (waiter !== 0) {
        const next = relaxedLoad(mem, waiter + READY_NEXT);
        if (waiter === asyncWaiterA()) stateA = answer(mem, lock, me, asyncWaiterA(), a, stateA);
        else stateB = answer(mem, lock, me, asyncWaiterB(), b, stateB);
        waiter = next;
      }
    }
  }
}

/** Kinds: NOTHING, ASYNC_READ, URGENT_ASYNC_WRITE, or 2 for any other write. */
export function runAsync(mem: Int32Array, lock: number, me: number, a: number, b: number, mayAbort: boolean): void {
  const isPendingA = startAsync(mem, lock, me, asyncWaiterA(), a);
  const isPendingB = startAsync(mem, lock, me, asyncWaiterB(), b);
  serve(mem, lock, me, a, b, isPendingA ? PENDING : NOTHING, isPendingB ? PENDING : NOTHING, mayAbort);
}

/** Awaits a read, and blocks for another meanwhile. */
export function runAsyncInRead(mem: Int32Array, lock: number, me: number): void {
  const isPending = startAsync(mem, lock, me, asyncWaiterA(), ASYNC_READ);
  if (acquireRead(mem, lock, me, false, isPending ? asyncWaiterA() : 0)) holdRead(mem, lock, me);
  serve(mem, lock, me, ASYNC_READ, NOTHING, isPending ? PENDING : NOTHING, NOTHING, false);
}
