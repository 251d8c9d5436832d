/** What threads do with the lock, as the machine asks for it. */

/** In a section: compute, or sleep. */
export interface Duration {
  ns: number;
  asleep: boolean;
}

export interface Workload {
  nextOperation(thread: number, now: number): number;
  entered(thread: number, kind: number, now: number): void;
  leaving(thread: number, kind: number, now: number): void;
  hold(kind: number): Duration;
  think(): Duration;
  /** Where a thread's record says that it sleeps: the word, or -1. */
  parkedWord(thread: number): number;
}
