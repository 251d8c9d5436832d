/** Schedules as text: `AAB1C` is two steps of thread A, one of B that makes its free choice number 1, one of C. */
import { CheckArgumentError } from './check-error.ts';

/** One step of a schedule: which thread, and which of its free choices. */
export interface Move {
  thread: number;
  choice: number;
}

/** Free choices of one thread in one state, at most; 8 threads go into 16 bits. */
const CHOICES = 8192;

/** A move in 16 bits. */
export function packMove(thread: number, choice: number): number {
  return thread * CHOICES + choice;
}

export function threadOf(packed: number): number {
  return Math.floor(packed / CHOICES);
}

export function unpackMove(packed: number): Move {
  return { thread: threadOf(packed), choice: packed % CHOICES };
}

export function threadName(thread: number): string {
  return String.fromCharCode(65 + thread);
}

export function formatSchedule(schedule: readonly Move[]): string {
  return schedule.map(({ thread, choice }) => threadName(thread) + (choice === 0 ? '' : String(choice))).join('');
}

export function parseSchedule(text: string): Move[] {
  const moves = text.replace(/\s+/g, '');
  if (!/^([A-H]\d{0,3})*$/.test(moves)) {
    throw new CheckArgumentError(`"${text}" is no schedule; one looks like AAB1C: which thread makes a step, and which of its free choices if it is not the first`);
  }
  return [...moves.matchAll(/([A-H])(\d*)/g)].map(([, name = 'A', choice]) => ({ thread: name.charCodeAt(0) - 65, choice: Number(choice || 0) }));
}
