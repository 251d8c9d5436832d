/** Checks of what callers pass in: at once, with an error that says what to do, before anything else. */

/** How the lock decides. Belongs to a space and is the same in all threads. */
export interface Policy {
  /**
   * Milliseconds in the queue after which a waiter stops others from overtaking it. Whole
   * milliseconds (rounded up), 0: at the first failed attempt, `Infinity`: never. Default 4.
   */
  handoffAfterMs: number;
  /** Whether a woken writer takes the lock itself (`'steal'`, default) or is given it by the waker. */
  writerWake: 'steal' | 'grant';
  /** Whether a blocking writer spins before it sleeps. Default `'known-owner'`. */
  spin: 'off' | 'known-owner' | 'any-owner';
  /** Whether a blocking reader may join a lock that no writer holds although waiters are queued. Default true. */
  readerSteal: boolean;
}

export interface LockSpaceOptions {
  /** How many locks the space holds, 1 to 16,777,216. Default 1. */
  locks?: number;
  /** How many threads may be attached at once, 1 to 4,095. Default 64. */
  agents?: number;
  /**
   * How many async acquisitions may be queued in shared memory at once, 1 to 65,536. Default 1024.
   * Further ones queue inside their thread.
   */
  waiters?: number;
  policy?: Partial<Policy>;
}

export interface AcquireOptions {
  /** Milliseconds to wait at most; for waiting only, never a lease. 0 fails at once if the lock is not free. */
  timeoutMs?: number;
  /** Gives up waiting; the acquisition fails with `signal.reason`. Blocking forms look at it once, before they wait. */
  signal?: AbortSignal;
  /** Overtaking ends for it, and for those before it in the queue, without waiting `policy.handoffAfterMs`. */
  urgent?: boolean;
}

/**
 * Differences between two readings of a 32-bit millisecond clock are good for 24.8 days, and so are
 * the timers of the runtimes. Longer is for ever.
 */
export const LONGEST_MS = 0x7ffffff0;

/** What these may be, in the order of their codes in the space header (`layout.ts`: WAKE_…, SPIN_…). */
export const WRITER_WAKES = ['steal', 'grant'] as const;
export const SPINS = ['off', 'known-owner', 'any-owner'] as const;

export function checkOptions(options: LockSpaceOptions): Required<LockSpaceOptions> & { policy: Policy } {
  checkObject('options', options);
  const { locks = 1, agents = 64, waiters = 1024, policy = {} } = options;
  checkWhole('locks', locks, 1, 1 << 24);
  checkWhole('agents', agents, 1, 4095);
  checkWhole('waiters', waiters, 1, 1 << 16);
  checkObject('policy', policy);
  const { handoffAfterMs = 4, writerWake = 'steal', spin = 'known-owner', readerSteal = true } = policy;
  checkDuration('policy.handoffAfterMs', handoffAfterMs);
  checkOneOf('policy.writerWake', WRITER_WAKES, writerWake);
  checkOneOf('policy.spin', SPINS, spin);
  checkBoolean('policy.readerSteal', readerSteal);
  const wholeMs = handoffAfterMs > LONGEST_MS ? Infinity : Math.ceil(handoffAfterMs);
  return { locks, agents, waiters, policy: { handoffAfterMs: wholeMs, writerWake, spin, readerSteal } };
}

/** Acquire options, each property read once. */
export interface CheckedAcquire {
  timeoutMs: number;
  signal: AbortSignal | undefined;
  urgent: boolean;
}

export function checkAcquire(options: AcquireOptions = {}): CheckedAcquire {
  checkObject('options', options);
  const { timeoutMs = Infinity, signal, urgent = false } = options;
  checkDuration('timeoutMs', timeoutMs);
  check(signal === undefined || isAbortSignal(signal), 'signal', 'an AbortSignal', signal, TypeError);
  checkBoolean('urgent', urgent);
  return { timeoutMs, signal, urgent };
}

/** By its methods: a signal may come from another realm or from a polyfill. */
function isAbortSignal(signal: AbortSignal): boolean {
  return typeof signal?.addEventListener === 'function' && typeof signal.removeEventListener === 'function' && 'aborted' in signal;
}

/** All errors about arguments are of this one form. */
export function check(
  isRight: boolean,
  name: string,
  expected: string,
  value: unknown,
  Refusal: RangeErrorConstructor | TypeErrorConstructor = RangeError,
): void {
  if (!isRight) throw new Refusal(`${name} must be ${expected}, not ${show(value)}`);
}

export function checkObject(name: string, value: unknown): void {
  check(isObject(value), name, 'an object', value, TypeError);
}

export function checkWhole(name: string, value: unknown, min: number, max: number): void {
  check(isWhole(value, min, max), name, `a whole number from ${min} to ${max}`, value);
}

function checkDuration(name: string, value: unknown): void {
  check(typeof value === 'number' && value >= 0, name, 'a number of milliseconds >= 0, or Infinity', value);
}

function checkOneOf(name: string, choices: readonly unknown[], value: unknown): void {
  check(choices.includes(value), name, choices.map(show).join(' or '), value);
}

function checkBoolean(name: string, value: unknown): void {
  check(typeof value === 'boolean', name, 'true or false', value, TypeError);
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function show(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
}
