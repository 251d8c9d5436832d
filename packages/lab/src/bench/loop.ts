/**
 * The loop that is measured: acquire - critical section - release - think.
 *
 * One acquisition in `sampleEvery` is timed, since reading the clock twice costs more than an
 * uncontended acquisition. The others run in a loop that does nothing else but look at the stop
 * flag. Every worker has its own instance of everything in here, so each call has one target.
 */
import { Histogram } from './histogram.ts';
import { PHASE, progressWord, type AgentCounts } from './protocol.ts';
import type { AgentLock } from '../locks/lock.ts';
import { Random } from '../random.ts';
import type { Witness } from './witness.ts';

export interface LoopParts {
  lock: AgentLock;
  witness: Witness;
  thinkAfterRead: () => void;
  thinkAfterWrite: () => void;
  control: Int32Array;
  index: number;
  readPercent: number;
  sampleEvery: number;
  seed: number;
}

export interface Loop {
  /** Runs while the control word shows the phase, and returns what was done in it. */
  run(phase: number): AgentCounts;
}

export function makeLoop(parts: LoopParts): Loop {
  const { lock, witness, thinkAfterRead, thinkAfterWrite, control, sampleEvery } = parts;
  const pattern = readPattern(parts.readPercent, parts.seed + parts.index);
  const lastOfPattern = PATTERN_LENGTH - 1;
  const progress = progressWord(parts.index);
  const readLatency = new Histogram();
  const writeLatency = new Histogram();
  let position = 0;
  let reads = 0;
  let writes = 0;

  function runTimed(): void {
    position = (position + 1) & lastOfPattern;
    if (pattern[position] === 1) {
      const fromMs = performance.now();
      lock.readLock();
      const toMs = performance.now();
      witness.insideRead();
      lock.readUnlock();
      readLatency.record(Math.round((toMs - fromMs) * 1e6));
      reads++;
      thinkAfterRead();
    } else {
      const fromMs = performance.now();
      lock.writeLock();
      const toMs = performance.now();
      witness.insideWrite();
      lock.writeUnlock();
      writeLatency.record(Math.round((toMs - fromMs) * 1e6));
      writes++;
      thinkAfterWrite();
    }
  }

  function runUntimed(phase: number): void {
    let at = position;
    let readsHere = 0;
    let done = 0;
    while (done < sampleEvery - 1 && Atomics.load(control, PHASE) === phase) {
      at = (at + 1) & lastOfPattern;
      if (pattern[at] === 1) {
        lock.readLock();
        witness.insideRead();
        lock.readUnlock();
        thinkAfterRead();
        readsHere++;
      } else {
        lock.writeLock();
        witness.insideWrite();
        lock.writeUnlock();
        thinkAfterWrite();
      }
      done++;
    }
    position = at;
    reads += readsHere;
    writes += done - readsHere;
  }

  return {
    run(phase) {
      reads = writes = 0;
      readLatency.clear();
      writeLatency.clear();
      while (Atomics.load(control, PHASE) === phase) {
        runTimed();
        runUntimed(phase);
        control[progress] = (reads + writes) | 0;
      }
      return { reads, writes, readLatency: readLatency.toData(), writeLatency: writeLatency.toData() };
    },
  };
}

const PATTERN_LENGTH = 1024;

/** Which of 1,024 acquisitions are reads: exactly the given share, shuffled by a seed per thread. */
export function readPattern(readPercent: number, seed: number): Uint8Array {
  const pattern = new Uint8Array(PATTERN_LENGTH).fill(1, 0, Math.round((PATTERN_LENGTH * readPercent) / 100));
  const random = new Random(seed);
  for (let i = PATTERN_LENGTH - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const swapped = pattern[i]!;
    pattern[i] = pattern[j]!;
    pattern[j] = swapped;
  }
  return pattern;
}
