/** The first part of a run after its warm-up, as long as a picture can hold: who did what, and who was inside. */
import { RUNNING, STATES, type Timeline } from './machine/clock.ts';

const MOST_SPANS = 3000;
const MOST_THREADS = 64;

export interface Span {
  thread: number;
  /** A state, or `read` or `write` for being inside. */
  what: string;
  fromNs: number;
  toNs: number;
}

export interface Excerpt {
  fromNs: number;
  toNs: number;
  threads: number;
  spans: Span[];
}

export class TimelineExcerpt implements Timeline {
  readonly #spans: Span[] = [];
  readonly #threads: number;
  readonly #fromNs: number;
  readonly #next: Timeline | null;
  #untilNs = 0;

  /** `next` gets everything too. */
  constructor(threads: number, fromNs: number, next: Timeline | null) {
    this.#threads = Math.min(threads, MOST_THREADS);
    this.#fromNs = fromNs;
    this.#next = next;
  }

  state(thread: number, state: number, from: number, to: number): void {
    this.#next?.state(thread, state, from, to);
    if (state !== RUNNING) this.#add(thread, STATES[state]!, from, to);
  }

  held(thread: number, kind: number, from: number, to: number): void {
    this.#next?.held(thread, kind, from, to);
    this.#add(thread, kind === 0 ? 'read' : 'write', from, to);
  }

  #add(thread: number, what: string, from: number, to: number): void {
    if (thread >= this.#threads || to <= this.#fromNs) return;
    if (this.#spans.length < MOST_SPANS) {
      this.#untilNs = Math.max(this.#untilNs, to);
      this.#spans.push({ thread, what, fromNs: from, toNs: to });
    } else if (from < this.#untilNs) this.#spans.push({ thread, what, fromNs: from, toNs: to }); // it began inside the picture
  }

  toExcerpt(): Excerpt {
    const [fromNs, toNs] = [this.#fromNs, this.#untilNs];
    const spans = this.#spans.map((span) => ({ ...span, fromNs: Math.max(span.fromNs, fromNs), toNs: Math.min(span.toNs, toNs) }));
    return { fromNs, toNs, threads: this.#threads, spans };
  }
}
