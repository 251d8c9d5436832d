/** Acquisitions of one lock that queue inside their thread, first come first. Any can leave at once. */

import type { Acquisition } from './acquisition.ts';

/** Linked through the acquisitions: a `Set` walks over all that have left to find its first. */
export class ThreadQueue {
  first: Acquisition | null = null;
  #last: Acquisition | null = null;

  push(acquisition: Acquisition): void {
    acquisition.before = this.#last;
    acquisition.after = null;
    if (this.#last) this.#last.after = acquisition;
    else this.first = acquisition;
    this.#last = acquisition;
  }

  remove(acquisition: Acquisition): void {
    const { before, after } = acquisition;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.#last = before;
    acquisition.before = acquisition.after = null;
  }
}
