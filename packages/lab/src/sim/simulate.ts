/** One run of a workload on a simulated machine: what happened, and whether the lock excluded. */
import { Histogram } from '../bench/histogram.ts';
import type { Section } from '../bench/section.ts';
import type { PolicyOptions } from '../locks/lock.ts';
import { Random } from '../random.ts';
import { lowerProgram, type Changes, type Lowered } from './lowering/lower.ts';
import type { Timeline } from './machine/clock.ts';
import { Machine } from './machine/machine.ts';
import type { MachineModel } from './machine/model.ts';
import type { Duration, Workload } from './machine/workload.ts';
import { createSpace, LOCK_AT } from './space.ts';

export const READ = 0;
export const WRITE = 1;

export interface Scenario {
  model: MachineModel;
  /** Percentage of reads, for each thread. */
  readPercents: number[];
  hold: Section;
  /** Of readers, if it differs. */
  readHold?: Section;
  think: Section;
  policy: PolicyOptions;
  /** Simulated time that is measured, after the warm-up. */
  ms: number;
  warmUpMs: number;
  seed: number;
  lock?: SimulatedLock;
  timeline?: Timeline;
  /** Simulates every turn of every spin loop: slow, for comparison. */
  turnByTurn?: boolean;
}

/** A lock under simulation: the file of its measured loop, and how it differs from what is installed. */
export interface SimulatedLock extends Changes {
  program: string;
}

export interface Outcome {
  reads: number[];
  writes: number[];
  readLatency: Histogram;
  writeLatency: Histogram;
  events: Record<string, number>;
  /** Times that somebody was let in beside somebody else who excludes. */
  violations: number;
  /** Nanoseconds by state, for each thread, warm-up included. */
  spent: number[][];
  simulatedNs: number;
  accesses: number;
  transfers: number;
  wallMs: number;
  traceHash: string;
}

export const SHIPPED: SimulatedLock = { program: 'rwsem-loop' };
/**
 * The shipped lock, spinning as the kernel does: a look at every turn. The gaps of the shipped one are made
 * for JavaScript engines, in which a turn takes a few nanoseconds.
 */
export const KERNEL_CADENCE: SimulatedLock = { program: 'rwsem-loop', overrides: { 'spin.FIRST_GAP_TURNS': 1, 'spin.MAX_GAP_TURNS': 1, 'spin.HANDOFF_GAP_TURNS': 1 } };

const loweredLocks = new Map<string, Lowered>();

export function lowerLock(lock: SimulatedLock): Lowered {
  const key = JSON.stringify(lock);
  let lowered = loweredLocks.get(key);
  if (lowered === undefined) {
    lowered = lowerProgram(lock.program, LOCK_AT, lock);
    loweredLocks.set(key, lowered);
  }
  return lowered;
}

export function simulate(scenario: Scenario): Outcome {
  const { model, readPercents, policy, seed } = scenario;
  const random = new Random(seed);
  const space = createSpace(readPercents.length, policy);
  const counter = new Counter(scenario, random, space.parkedWord);
  const machine = new Machine({
    lowered: lowerLock(scenario.lock ?? SHIPPED),
    model,
    mem: space.mem,
    agents: space.agents,
    workload: counter,
    random,
    timeline: scenario.timeline ?? null,
    turnByTurn: scenario.turnByTurn ?? false,
  });
  const startedMs = performance.now();
  machine.run(scenario.warmUpMs * 1e6);
  counter.restart();
  const before = space.events();
  machine.run((scenario.warmUpMs + scenario.ms) * 1e6);
  const wallMs = performance.now() - startedMs;
  const events = Object.fromEntries(Object.entries(space.events()).map(([name, count]) => [name, count - before[name]!]));
  return {
    reads: Array.from(counter.done[READ]!),
    writes: Array.from(counter.done[WRITE]!),
    readLatency: counter.latency[READ]!,
    writeLatency: counter.latency[WRITE]!,
    events,
    violations: counter.violations,
    spent: readPercents.map((_, thread) => machine.accounts.spent(thread)),
    simulatedNs: machine.now,
    accesses: machine.accesses,
    transfers: machine.caches.transfers,
    wallMs,
    traceHash: machine.traceHash,
  };
}

/** Gives out operations, counts and times them, and watches who is inside. */
class Counter implements Workload {
  readonly done: [reads: Float64Array, writes: Float64Array];
  latency: [read: Histogram, write: Histogram] = [new Histogram(), new Histogram()];
  violations = 0;
  readonly parkedWord: (thread: number) => number;
  readonly #random: Random;
  readonly #readPercents: number[];
  readonly #holds: [read: Duration, write: Duration];
  readonly #think: Duration;
  readonly #askedAt: Float64Array;
  readonly #enteredAt: Float64Array;
  readonly #timeline: Timeline | undefined;
  #readers = 0;
  #writers = 0;

  constructor(scenario: Scenario, random: Random, parkedWord: (thread: number) => number) {
    const threads = scenario.readPercents.length;
    this.#random = random;
    this.#readPercents = scenario.readPercents;
    const write = durationOf(scenario.hold);
    this.#holds = [scenario.readHold === undefined ? write : durationOf(scenario.readHold), write];
    this.#think = durationOf(scenario.think);
    this.done = [new Float64Array(threads), new Float64Array(threads)];
    this.#askedAt = new Float64Array(threads);
    this.#enteredAt = new Float64Array(threads);
    this.#timeline = scenario.timeline;
    this.parkedWord = parkedWord;
  }

  restart(): void {
    for (const counts of this.done) counts.fill(0);
    this.latency = [new Histogram(), new Histogram()];
  }

  nextOperation(thread: number, now: number): number {
    this.#askedAt[thread] = now;
    return this.#random.share() * 100 < this.#readPercents[thread]! ? READ : WRITE;
  }

  entered(thread: number, kind: number, now: number): void {
    if (this.#writers > 0 || (kind === WRITE && this.#readers > 0)) this.violations++;
    if (kind === WRITE) this.#writers++;
    else this.#readers++;
    this.latency[kind === WRITE ? WRITE : READ].record(now - this.#askedAt[thread]!);
    this.#enteredAt[thread] = now;
  }

  leaving(thread: number, kind: number, now: number): void {
    if (kind === WRITE) this.#writers--;
    else this.#readers--;
    const counts = this.done[kind === WRITE ? WRITE : READ];
    counts[thread] = counts[thread]! + 1;
    this.#timeline?.held(thread, kind, this.#enteredAt[thread]!, now);
  }

  hold(kind: number): Duration {
    return this.#holds[kind === WRITE ? WRITE : READ];
  }

  think(): Duration {
    return this.#think;
  }
}

/** One spin of the bench is a multiplication and an addition: about 1 ns. */
function durationOf({ kind, amount }: Section): Duration {
  if (kind === 'empty') return { ns: 0, asleep: false };
  return { ns: kind === 'spins' ? amount : amount * 1000, asleep: kind === 'sleep' };
}
