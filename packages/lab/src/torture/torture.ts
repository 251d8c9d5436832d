/**
 * The torture: a lock that is broken on purpose first, which must be found out; then the lock of this
 * project, leg by leg, each with a space, threads, a seed and a policy of its own.
 */
import type { LockEvents } from 'rwsem';
import type { NamedPolicy } from '../locks/policy.ts';
import { runStress, StressFailure, type StressOptions, type StressReport } from './stress.ts';

export interface TortureOptions {
  seconds: number;
  legSeconds: number;
  threads: number;
  seed: number;
  policies: NamedPolicy[];
  longHoldMs: number;
  hangMs: number;
  starveMs: number;
}

export interface Leg {
  policy: string;
  seed: number;
  seconds: number;
  /** Null after a failure. */
  report: Omit<StressReport, 'events'> | null;
  events: LockEvents | null;
  failure: string | null;
}

/**
 * held    nothing was found in the lock, and the broken one was found out
 * FAILED  something was found
 * BLIND   the broken lock was not found out, so that nothing else would mean anything
 */
export type TortureVerdict = 'held' | 'FAILED' | 'BLIND';

export interface TortureResult {
  verdict: TortureVerdict;
  /** What the broken lock was found out by. */
  broken: string | null;
  legs: Leg[];
  interrupted: boolean;
}

export interface TortureObserver {
  moment(leg: { policy: string; seed: number; number: number }, rounds: number, operations: number, elapsedSeconds: number): void;
  brokenDone(failure: string | null): void;
  legDone(leg: Leg): void;
}

/** URLs of the library that must be found out, and of the one that must hold. */
export interface Libraries {
  broken: string;
  sound: string;
}

export const LIBRARIES: Libraries = {
  broken: new URL('./broken-library.js', import.meta.url).href,
  sound: import.meta.resolve('rwsem'),
};

/** At most. */
const BROKEN_SECONDS = 10;
const FAIRNESS_MS = 500;
/** Short rounds find lost wake-ups, long ones the rest. */
const OPERATIONS = [1, 4, 16, 64, 256];

export async function runTorture(
  options: TortureOptions,
  observer: TortureObserver,
  stop: AbortSignal,
  { broken: brokenLibrary, sound }: Libraries = LIBRARIES,
): Promise<TortureResult> {
  const { threads, hangMs, seed } = options;
  const common = { layoutOf: import.meta.resolve('rwsem'), workers: threads, hangMs, operations: OPERATIONS, signal: stop };
  const broken = await failureOf({ ...common, library: brokenLibrary, policy: {}, seed, seconds: Math.min(BROKEN_SECONDS, options.seconds) });
  observer.brokenDone(broken);
  if (broken === null && !stop.aborted) return { verdict: 'BLIND', broken, legs: [], interrupted: false };

  const legs: Leg[] = [];
  const from = performance.now();
  const elapsed = () => (performance.now() - from) / 1000;
  while (!stop.aborted && elapsed() < options.seconds) {
    const number = legs.length;
    const { name, policy } = options.policies[number % options.policies.length] as NamedPolicy;
    // The last one is not worth starting for a moment.
    const left = options.seconds - elapsed();
    const leg = { policy: name, seed: seed + number, seconds: left < 1.5 * options.legSeconds ? left : options.legSeconds };
    const stress: StressOptions = {
      ...common,
      library: sound,
      policy,
      ...{ seed: leg.seed, seconds: leg.seconds, longHoldMs: options.longHoldMs, fairnessMs: FAIRNESS_MS },
      // Without handoff a waiter may be overtaken for ever.
      starveMs: policy.handoffAfterMs === Infinity ? Infinity : options.starveMs,
      onRound: (rounds, operations) => observer.moment({ ...leg, number }, rounds, operations, elapsed()),
    };
    try {
      const { events, ...report } = await runStress(stress);
      legs.push({ ...leg, report, events, failure: null });
    } catch (error) {
      if (!(error instanceof StressFailure)) throw error;
      legs.push({ ...leg, report: null, events: null, failure: error.message });
    }
    const last = legs.at(-1) as Leg;
    observer.legDone(last);
    if (last.failure !== null) return { verdict: 'FAILED', broken, legs, interrupted: false };
  }
  return { verdict: 'held', broken, legs, interrupted: stop.aborted };
}

async function failureOf(options: StressOptions): Promise<string | null> {
  try {
    await runStress(options);
    return null;
  } catch (error) {
    if (!(error instanceof StressFailure)) throw error;
    return error.message;
  }
}
