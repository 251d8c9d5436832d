/** What every thread is doing, in shared words, for whoever looks at a hang or for who gets nothing. */

/** Of each thread. */
export const ACTIVITY_WORDS = 4;
const DONE = 0;
const DOING = 1;
const LOCK = 2;

const DOINGS = [
  'nothing',
  'downWrite',
  'downRead',
  'write',
  'read',
  'try',
  'nested read',
  'writeAsync',
  'readAsync',
  'readAsync, then read',
] as const;
export type Doing = (typeof DOINGS)[number];

export function describeActivity(activity: Int32Array, actor: number): string {
  const at = actor * ACTIVITY_WORDS;
  const doing = DOINGS[activity[at + DOING] as number] ?? '?';
  return `${activity[at + DONE]} operations done, last began ${doing} on lock ${activity[at + LOCK]}`;
}

export function countDone(activity: Int32Array): number {
  let sum = 0;
  for (let at = 0; at < activity.length; at += ACTIVITY_WORDS) sum += Atomics.load(activity, at + DONE);
  return sum;
}

export function doneBy(activity: Int32Array, actor: number): number {
  return Atomics.load(activity, actor * ACTIVITY_WORDS + DONE);
}

export function isAtWork(activity: Int32Array, actor: number): boolean {
  return Atomics.load(activity, actor * ACTIVITY_WORDS + DOING) !== 0;
}

/** The words of one thread, to be written by it. */
export class Activity {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(words: Int32Array, actor: number) {
    this.#words = words;
    this.#at = actor * ACTIVITY_WORDS;
  }

  begin(doing: Doing, lock: number): void {
    this.#words[this.#at + DOING] = DOINGS.indexOf(doing);
    this.#words[this.#at + LOCK] = lock;
  }

  done(): void {
    Atomics.add(this.#words, this.#at + DONE, 1);
  }
}
