/**
 * A timeline for chrome://tracing or ui.perfetto.dev: a row for each thread with what it did, and below it
 * when it held the lock.
 */
import { writeFileSync } from 'node:fs';
import { RUNNING, STATES, type Timeline } from './machine/clock.ts';

/** A page that shows more does not open any more. */
const MOST_EVENTS = 400_000;

interface TraceEvent {
  name: string;
  ph: 'X' | 'M';
  pid: number;
  tid: number;
  ts?: number;
  dur?: number;
  args?: Record<string, string>;
}

export class ChromeTrace implements Timeline {
  readonly #events: TraceEvent[] = [];
  left = 0;

  constructor(threads: number) {
    for (let thread = 0; thread < threads; thread++) {
      this.#events.push({ name: 'thread_name', ph: 'M', pid: 1, tid: 2 * thread, args: { name: `thread ${thread}` } });
      this.#events.push({ name: 'thread_name', ph: 'M', pid: 1, tid: 2 * thread + 1, args: { name: `thread ${thread} holds` } });
    }
  }

  state(thread: number, state: number, from: number, to: number): void {
    if (state !== RUNNING) this.#add(STATES[state]!, 2 * thread, from, to);
  }

  held(thread: number, kind: number, from: number, to: number): void {
    this.#add(kind === 0 ? 'read' : 'write', 2 * thread + 1, from, to);
  }

  #add(name: string, tid: number, from: number, to: number): void {
    if (this.#events.length >= MOST_EVENTS) this.left++;
    else this.#events.push({ name, ph: 'X', pid: 1, tid, ts: from / 1000, dur: (to - from) / 1000 });
  }

  write(file: string): void {
    writeFileSync(file, JSON.stringify({ displayTimeUnit: 'ns', traceEvents: this.#events }));
  }
}
