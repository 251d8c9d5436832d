/**
 * The count word before 5.2, as D1's "before": one signed sum. Every thread that holds the lock or is in the
 * act of trying adds an active unit; while somebody queues a waiting bias is added; a writer adds both. A
 * writer enters by fetch-add, so that it has disturbed the word before it knows that it failed.
 *
 * Written from that description. Queue, waiters, wait lock and spinner queue are those of the shipped core.
 * Only lowered, never run as it is: by the simulator, and by the checker, in which no two functions have the same name.
 */
import {
  AGENT_TAG, BLOCKING_WAITER, COUNT, GRANT, GRANTED, HEAD, IDLE, NEXT, OWNER, SLEEP_READER, SLEEP_WRITER, WAITER_TAG, WAITING,
  WAKE_COUNT, WAKE_LIST, WAKE_READER, WAKE_WRITER, WLOCK, WOKEN, WRITE_WAITER, OPT_FAIL, OPT_LOCK, RLOCK,
} from '../../../../rwsem/dist/core/layout.js';
import { pause, spinClockUs } from '../../../../rwsem/dist/core/env.js';
import { countEvent } from '../../../../rwsem/dist/core/events.js';
import { relaxedLoad, relaxedStore } from '../../../../rwsem/dist/core/memory.js';
import { isOwnerRunning, recordReader, recordWriter } from '../../../../rwsem/dist/core/owner.js';
import { parkUntilSignalled } from '../../../../rwsem/dist/core/park.js';
import { append, isOnlyWaiter, isWriteWaiter, prepareWaiter, unlink } from '../../../../rwsem/dist/core/queue.js';
import { enterSpinQueue, leaveSpinQueue } from '../../../../rwsem/dist/core/spin-queue.js';
import { unlockAndWake } from '../../../../rwsem/dist/core/wake.js';
import { lockWaitLock, unlockWaitLock } from '../../../../rwsem/dist/core/wait-lock.js';

const ACTIVE_MASK = 0xffff;
const WAITING_BIAS = -65536;
const WRITE_BIAS = -65535; // WAITING_BIAS and one active unit
/** Whoever calls found the lock free, or holds it for reading. */
const WAKE_ANY = 0;
const WAKE_READ_OWNED = 1;
/** As in the shipped lock. */
const SPIN_LIMIT_US = 50;
const SPIN_LIMIT_TURNS = SPIN_LIMIT_US * 500;

/** Needs the wait lock. */
function signalBiased(mem: Int32Array, me: number, waiter: number, word: number): void {
  if (Atomics.exchange(mem, waiter + GRANT, word) !== WAITING) return;
  const listed = relaxedLoad(mem, me + WAKE_COUNT);
  relaxedStore(mem, me + WAKE_LIST + listed, waiter);
  relaxedStore(mem, me + WAKE_COUNT, (listed + 1) | 0);
}

/** Needs the wait lock. Counts one reader before it grants, which keeps writers out or finds one in. */
function claimForReader(mem: Int32Array, lock: number): boolean {
  for (;;) {
    if (Atomics.add(mem, lock + COUNT, 1) >= WAITING_BIAS) return true;
    // A writer, which will wake when it leaves; unless it has left already.
    const count = (Atomics.sub(mem, lock + COUNT, 1) - 1) | 0;
    if ((count & ACTIVE_MASK) !== 0) return false;
  }
}

/** Needs the wait lock. */
function wakeBiased(mem: Int32Array, lock: number, me: number, kind: number): void {
  const head = relaxedLoad(mem, lock + HEAD);
  if (head === 0) return;
  if (isWriteWaiter(mem, head)) {
    if (kind === WAKE_ANY) {
      countEvent(mem, me, WAKE_WRITER);
      signalBiased(mem, me, head, WOKEN);
    }
    return;
  }
  let claimed = 0;
  if (kind !== WAKE_READ_OWNED) {
    if (!claimForReader(mem, lock)) return;
    claimed = 1;
  }
  let readers = 0;
  let waiter = head;
  while (waiter !== 0 && !isWriteWaiter(mem, waiter)) {
    readers = (readers + 1) | 0;
    waiter = relaxedLoad(mem, waiter + NEXT);
  }
  let delta = (readers - claimed) | 0;
  if (waiter === 0) delta = (delta - WAITING_BIAS) | 0;
  Atomics.add(mem, lock + COUNT, delta);
  for (let i = 0; i < readers; i = (i + 1) | 0) {
    const first = relaxedLoad(mem, lock + HEAD);
    unlink(mem, lock, first);
    countEvent(mem, me, WAKE_READER);
    signalBiased(mem, me, first, GRANTED);
  }
}

export function wakeAfterBiasedRelease(mem: Int32Array, lock: number, me: number): void {
  lockWaitLock(mem, lock, me);
  wakeBiased(mem, lock, me, WAKE_ANY);
  unlockAndWake(mem, lock, me);
}

function readSlowBiased(mem: Int32Array, lock: number, me: number): void {
  const waiter = me + BLOCKING_WAITER;
  prepareWaiter(mem, lock, waiter, 0, false);
  lockWaitLock(mem, lock, me);
  const isFirst = relaxedLoad(mem, lock + HEAD) === 0;
  append(mem, lock, waiter);
  const delta = isFirst ? WAITING_BIAS - 1 : -1;
  const count = (Atomics.add(mem, lock + COUNT, delta) + delta) | 0;
  if (count === WAITING_BIAS || (count > WAITING_BIAS && isFirst)) wakeBiased(mem, lock, me, WAKE_ANY);
  unlockAndWake(mem, lock, me);
  parkUntilSignalled(mem, me, waiter, SLEEP_READER, false, 0);
  countEvent(mem, me, RLOCK);
}

/** A writer outside the queue: from the idle word, or past those that wait. */
function tryUnqueued(mem: Int32Array, lock: number, me: number, count: number): boolean {
  if (count !== 0 && count !== WAITING_BIAS) return false;
  if (Atomics.compareExchange(mem, lock + COUNT, count, (count + WRITE_BIAS) | 0) !== count) return false;
  recordWriter(mem, lock, relaxedLoad(mem, me + AGENT_TAG));
  return true;
}

function watchBiased(mem: Int32Array, lock: number, me: number): boolean {
  const start = spinClockUs();
  for (let turns = 0; turns < SPIN_LIMIT_TURNS; turns = (turns + 1) | 0) {
    pause();
    const owner = Atomics.load(mem, lock + OWNER);
    if (tryUnqueued(mem, lock, me, Atomics.load(mem, lock + COUNT))) return true;
    if (owner !== 0 && !isOwnerRunning(mem, owner)) return false;
    if (((spinClockUs() - start) | 0) > SPIN_LIMIT_US) return false;
  }
  return false;
}

function spinBiased(mem: Int32Array, lock: number, me: number): boolean {
  const owner = Atomics.load(mem, lock + OWNER);
  if (owner !== 0 && !isOwnerRunning(mem, owner)) return false;
  let isTaken = false;
  if (enterSpinQueue(mem, lock, me, SPIN_LIMIT_US, SPIN_LIMIT_TURNS)) {
    isTaken = watchBiased(mem, lock, me);
    leaveSpinQueue(mem, lock, me);
  }
  countEvent(mem, me, isTaken ? OPT_LOCK : OPT_FAIL);
  return isTaken;
}

/** Needs the wait lock. */
function tryQueued(mem: Int32Array, lock: number, waiter: number): boolean {
  if (Atomics.load(mem, lock + COUNT) !== WAITING_BIAS) return false;
  const taken = isOnlyWaiter(mem, lock, waiter) ? WRITE_BIAS : (WRITE_BIAS + WAITING_BIAS) | 0;
  if (Atomics.compareExchange(mem, lock + COUNT, WAITING_BIAS, taken) !== WAITING_BIAS) return false;
  unlink(mem, lock, waiter);
  recordWriter(mem, lock, relaxedLoad(mem, waiter + WAITER_TAG));
  return true;
}

function writeSlowBiased(mem: Int32Array, lock: number, me: number): void {
  Atomics.sub(mem, lock + COUNT, WRITE_BIAS);
  if (spinBiased(mem, lock, me)) return;
  const waiter = me + BLOCKING_WAITER;
  prepareWaiter(mem, lock, waiter, WRITE_WAITER, false);
  lockWaitLock(mem, lock, me);
  const isFirst = relaxedLoad(mem, lock + HEAD) === 0;
  append(mem, lock, waiter);
  if (isFirst) Atomics.add(mem, lock + COUNT, WAITING_BIAS);
  else if (Atomics.load(mem, lock + COUNT) > WAITING_BIAS) {
    // Only readers are active: those in front of the queue may join them.
    wakeBiased(mem, lock, me, WAKE_ANY);
    unlockAndWake(mem, lock, me);
    lockWaitLock(mem, lock, me);
  }
  for (;;) {
    // The wait lock keeps wakers out: a release that this look does not see signals after it.
    Atomics.store(mem, waiter + GRANT, WAITING);
    if (tryQueued(mem, lock, waiter)) break;
    unlockWaitLock(mem, lock);
    parkUntilSignalled(mem, me, waiter, SLEEP_WRITER, false, 0);
    lockWaitLock(mem, lock, me);
  }
  Atomics.store(mem, waiter + GRANT, IDLE);
  countEvent(mem, me, WLOCK);
  unlockWaitLock(mem, lock);
}

export function enterReaderBiased(mem: Int32Array, lock: number, me: number, tag: number, asReader: number): void {
  if (((Atomics.add(mem, lock + COUNT, 1) + 1) | 0) < 0) readSlowBiased(mem, lock, me);
  else if (relaxedLoad(mem, lock + OWNER) !== asReader) recordReader(mem, lock, tag);
}

/** Must it wake? */
export function releaseReadBiased(mem: Int32Array, lock: number): boolean {
  const count = (Atomics.sub(mem, lock + COUNT, 1) - 1) | 0;
  return count < 0 && (count & ACTIVE_MASK) === 0;
}

export function enterWriterBiased(mem: Int32Array, lock: number, me: number, tag: number): void {
  if (((Atomics.add(mem, lock + COUNT, WRITE_BIAS) + WRITE_BIAS) | 0) === WRITE_BIAS) recordWriter(mem, lock, tag);
  else writeSlowBiased(mem, lock, me);
}

/** Must it wake? */
export function releaseWriteBiased(mem: Int32Array, lock: number): boolean {
  return ((Atomics.sub(mem, lock + COUNT, WRITE_BIAS) - WRITE_BIAS) | 0) < 0;
}
