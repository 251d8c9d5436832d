/**
 * What a thread does inside the lock, and between two acquisitions.
 *
 *   empty       nothing
 *   100spins    100 dependent multiplications, about 1 ns each: a short section of fixed work
 *   5us         busy until 5 µs have passed: a section of fixed time, preempted time included
 *   5us-sleep   asleep for at least 5 µs. Operating systems round up, Linux to 50-100 µs; the report
 *               says what it came to
 *
 * `ms` may be written for `us`.
 */
import { ArgumentError } from './argument-error.ts';

export type SectionKind = 'empty' | 'spins' | 'busy' | 'sleep';
export interface Section {
  kind: SectionKind;
  /** Iterations for `spins`, microseconds for `busy` and `sleep`, 0 for `empty`. */
  amount: number;
}

const SYNTAX = /^(?<number>\d+(?:\.\d+)?)(?<unit>spins|us-sleep|ms-sleep|us|µs|ms)$/;
const LONGEST_US = 10_000_000;

export function parseSection(text: string): Section {
  if (text === 'empty') return { kind: 'empty', amount: 0 };
  const groups = SYNTAX.exec(text)?.groups;
  if (groups === undefined) {
    throw new ArgumentError(`"${text}" is not a section: write empty, 100spins, 5us or 5us-sleep`);
  }
  const number = Number(groups['number']);
  const unit = groups['unit'] ?? '';
  if (unit === 'spins') {
    if (!Number.isInteger(number) || number > 1e9) throw new ArgumentError(`"${text}": spins are a whole number up to 1e9`);
    return number === 0 ? { kind: 'empty', amount: 0 } : { kind: 'spins', amount: number };
  }
  const amount = unit.startsWith('ms') ? number * 1000 : number;
  if (amount > LONGEST_US) throw new ArgumentError(`"${text}" is longer than 10 s`);
  return { kind: unit.endsWith('sleep') ? 'sleep' : 'busy', amount };
}

export function formatSection({ kind, amount }: Section): string {
  switch (kind) {
    case 'empty':
      return 'empty';
    case 'spins':
      return `${amount}spins`;
    case 'busy':
      return `${amount}us`;
    case 'sleep':
      return `${amount}us-sleep`;
  }
}

/** Each thread makes its own, so that the calls in its loop have a single target. */
export function makeSection({ kind, amount }: Section): () => void {
  switch (kind) {
    case 'empty':
      return () => {};
    case 'spins':
      return () => spin(amount);
    case 'busy':
      return () => {
        const untilMs = performance.now() + amount / 1000;
        while (performance.now() < untilMs);
      };
    case 'sleep': {
      const nobodyWakesUs = new Int32Array(new SharedArrayBuffer(4));
      return () => void Atomics.wait(nobodyWakesUs, 0, 0, amount / 1000);
    }
  }
}

/** Read by nobody; written so that the compiler cannot drop the loop. */
export let spinResult = 1;

function spin(iterations: number): void {
  let x = spinResult;
  for (let i = 0; i < iterations; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  spinResult = x;
}
