/** Checks of what callers pass in: at once, with an error that says what to do, before anything else. */

import {
  NEVER_MS,
  SPIN_ANY_OWNER,
  SPIN_KNOWN_OWNER,
  SPIN_OFF,
  WAKE_GRANT,
  WAKE_STEAL,
} from './core/layout.ts';

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
  /** May ask for handoff at its first failed attempt instead of after `policy.handoffAfterMs`. */
  urgent?: boolean;
}

export interface Capacities {
  locks: number;
  agents: number;
  waiters: number;
}

const LIMITS = {
  locks: { min: 1, max: 1 << 24, fallback: 1 },
  agents: { min: 1, max: 4095, fallback: 64 },
  waiters: { min: 1, max: 1 << 16, fallback: 1024 },
} as const;

export const DEFAULT_POLICY: Readonly<Policy> = Object.freeze({
  handoffAfterMs: 4,
  writerWake: 'steal',
  spin: 'known-owner',
  readerSteal: true,
});

/**
 * Differences between two readings of a 32-bit millisecond clock are good for 24.8 days, and so are
 * the timers of the runtimes. Longer is for ever.
 */
export const LONGEST_MS = 0x7ffffff0;

export function checkCapacities(options: LockSpaceOptions): Capacities {
  return {
    locks: checkCapacity('locks', options.locks),
    agents: checkCapacity('agents', options.agents),
    waiters: checkCapacity('waiters', options.waiters),
  };
}

function checkCapacity(name: keyof typeof LIMITS, value: unknown): number {
  const { min, max, fallback } = LIMITS[name];
  if (value === undefined) return fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${show(value)}`);
  }
  return value;
}

export function checkOptionsObject(options: unknown, what: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${what} must be an object, not ${show(options)}`);
  }
}

export function checkPolicy(partial: Partial<Policy> | undefined): Policy {
  if (partial === undefined) return { ...DEFAULT_POLICY };
  checkOptionsObject(partial, 'policy');
  const {
    handoffAfterMs = DEFAULT_POLICY.handoffAfterMs,
    writerWake = DEFAULT_POLICY.writerWake,
    spin = DEFAULT_POLICY.spin,
    readerSteal = DEFAULT_POLICY.readerSteal,
  } = partial;
  const isDuration = typeof handoffAfterMs === 'number' && handoffAfterMs >= 0;
  if (!isDuration || (handoffAfterMs > LONGEST_MS && handoffAfterMs !== Infinity)) {
    throw new RangeError(
      `policy.handoffAfterMs must be a number of milliseconds from 0 to ${LONGEST_MS}, or Infinity, not ${show(handoffAfterMs)}`,
    );
  }
  if (!Object.hasOwn(WRITER_WAKE_CODES, writerWake)) {
    throw new RangeError(`policy.writerWake must be 'steal' or 'grant', not ${show(writerWake)}`);
  }
  if (!Object.hasOwn(SPIN_CODES, spin)) {
    throw new RangeError(`policy.spin must be 'off', 'known-owner' or 'any-owner', not ${show(spin)}`);
  }
  if (typeof readerSteal !== 'boolean') {
    throw new TypeError(`policy.readerSteal must be true or false, not ${show(readerSteal)}`);
  }
  return { handoffAfterMs: Math.ceil(handoffAfterMs), writerWake, spin, readerSteal };
}

const WRITER_WAKE_CODES = { steal: WAKE_STEAL, grant: WAKE_GRANT } as const;
const SPIN_CODES = { off: SPIN_OFF, 'known-owner': SPIN_KNOWN_OWNER, 'any-owner': SPIN_ANY_OWNER } as const;

/** The policy as the four words of the space header, in their order there. */
export function encodePolicy(policy: Policy): [number, number, number, number] {
  return [
    policy.handoffAfterMs === Infinity ? NEVER_MS : policy.handoffAfterMs,
    WRITER_WAKE_CODES[policy.writerWake],
    SPIN_CODES[policy.spin],
    policy.readerSteal ? 1 : 0,
  ];
}

/** `undefined` if the words are not a policy. */
export function decodePolicy(words: readonly number[]): Policy | undefined {
  const [handoffAfterMs = -2, writerWake, spin, readerSteal] = words;
  const wakeName = nameOf(WRITER_WAKE_CODES, writerWake);
  const spinName = nameOf(SPIN_CODES, spin);
  if (handoffAfterMs < NEVER_MS || !wakeName || !spinName || (readerSteal !== 0 && readerSteal !== 1)) return undefined;
  return {
    handoffAfterMs: handoffAfterMs === NEVER_MS ? Infinity : handoffAfterMs,
    writerWake: wakeName,
    spin: spinName,
    readerSteal: readerSteal === 1,
  };
}

function nameOf<K extends string>(codes: Record<K, number>, code: number | undefined): K | undefined {
  return (Object.keys(codes) as K[]).find((name) => codes[name] === code);
}

/** Acquire options, each property read once. */
export interface CheckedAcquire {
  timeoutMs: number;
  signal: AbortSignal | undefined;
  urgent: boolean;
}

const NO_OPTIONS: CheckedAcquire = Object.freeze({ timeoutMs: Infinity, signal: undefined, urgent: false });

export function checkAcquire(options: AcquireOptions | undefined): CheckedAcquire {
  if (options === undefined) return NO_OPTIONS;
  checkOptionsObject(options, 'options');
  const { timeoutMs = Infinity, signal, urgent = false } = options;
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 0)) {
    throw new RangeError(`timeoutMs must be a finite number of milliseconds >= 0, or Infinity, not ${show(timeoutMs)}`);
  }
  if (signal !== undefined && !isAbortSignal(signal)) {
    throw new TypeError(`signal must be an AbortSignal, not ${show(signal)}`);
  }
  if (typeof urgent !== 'boolean') throw new TypeError(`urgent must be true or false, not ${show(urgent)}`);
  return { timeoutMs, signal, urgent };
}

/** By its methods: a signal may come from another realm or from a polyfill. */
function isAbortSignal(signal: unknown): boolean {
  return (
    typeof signal === 'object' &&
    signal !== null &&
    typeof (signal as AbortSignal).addEventListener === 'function' &&
    typeof (signal as AbortSignal).removeEventListener === 'function' &&
    'aborted' in signal
  );
}

function show(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
}
