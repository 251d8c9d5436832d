/** Numbers over threads and seeds. */
import { max, mean, median, min } from 'simple-statistics';
import type { Outcome } from './simulate.ts';

export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: number[]): Spread {
  return { median: median(values), min: min(values), max: max(values) };
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function operationsOf({ reads, writes }: Outcome): number[] {
  return reads.map((count, thread) => count + writes[thread]!);
}

export function kopsOf(outcome: Outcome, ms: number): number {
  return sum(operationsOf(outcome)) / ms;
}

export interface Evenness {
  min: number;
  mean: number;
  max: number;
  minOverMean: number;
  maxOverMean: number;
}

/** How evenly the operations were spread. Threads that all did nothing are even. */
export function evennessOf(counts: number[]): Evenness {
  const average = mean(counts);
  const relative = (value: number) => (average === 0 ? 1 : value / average);
  return { min: min(counts), mean: average, max: max(counts), minOverMean: relative(min(counts)), maxOverMean: relative(max(counts)) };
}
