/** How the measuring thread and the workers of one round talk: a few shared words, five messages. */
import type { HistogramData } from './histogram.ts';
import type { World } from '../locks/lock.ts';
import type { Pace } from './workload.ts';

/**
 * The phase word. Workers park on it between the phases, so that all start in the same instant, and
 * look at it before every operation, so that all stop. Only the measuring thread writes it.
 */
export const PHASE = 0;
export const ATTACHING = 0;
export const WARMING = 1;
export const WARM = 2;
export const MEASURING = 3;
export const STOPPED = 4;
export const LEAVING = 5;

/** Each worker's own count of operations, in a cache line of its own: what the live line adds up. */
const WORDS_PER_LINE = 32; // 128 bytes: neighbouring lines are fetched in pairs on x86 and Apple cores
export function progressWord(index: number): number {
  return (index + 1) * WORDS_PER_LINE;
}
export function controlBytes(threads: number): number {
  return progressWord(threads) * Int32Array.BYTES_PER_ELEMENT;
}

export interface WorkerTask {
  lockModule: string;
  handle: unknown;
  control: SharedArrayBuffer;
  /** Of all locks, `WITNESS_BYTES` each. */
  witness: SharedArrayBuffer;
  world: World;
  /** Of the workload, those that this worker is. More than one: tasks of its event loop. */
  agents: Array<{ index: number; readPercent: number }>;
  reading: Pace;
  writing: Pace;
  seed: number;
  sampleEvery: number;
  verify: boolean;
}

export interface AgentCounts {
  reads: number;
  writes: number;
  readLatency: HistogramData;
  writeLatency: HistogramData;
}

export type WorkerMessage =
  | { kind: 'attached' }
  | { kind: 'warm'; writes: number }
  | { kind: 'done'; counts: AgentCounts[]; violations: number }
  | { kind: 'left' }
  | { kind: 'failed'; error: string };

/** Parks until the phase is no longer the given one. */
export function awaitPhaseAfter(control: Int32Array, phase: number): void {
  while (Atomics.load(control, PHASE) === phase) Atomics.wait(control, PHASE, phase);
}

/** The same without parking: whoever awaits locks may still have to let go of one. */
export async function phaseAfter(control: Int32Array, phase: number): Promise<void> {
  while (Atomics.load(control, PHASE) === phase) {
    const waiting = Atomics.waitAsync(control, PHASE, phase);
    if (waiting.async) await waiting.value;
  }
}

export function setPhase(control: Int32Array, phase: number): void {
  Atomics.store(control, PHASE, phase);
  Atomics.notify(control, PHASE);
}
