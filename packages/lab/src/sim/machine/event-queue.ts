/**
 * What happens next: a binary heap of event numbers by time, at most one entry for each number, which can
 * be moved or taken out. Equal times go by number, so that a run can be repeated.
 */
export class EventQueue {
  readonly #heap: Int32Array;
  readonly #place: Int32Array;
  readonly #time: Float64Array;
  #size = 0;

  constructor(events: number) {
    this.#heap = new Int32Array(events);
    this.#place = new Int32Array(events).fill(-1);
    this.#time = new Float64Array(events);
  }

  /** Infinity if nothing is due. */
  get nextTime(): number {
    return this.#size === 0 ? Infinity : this.#time[this.#heap[0]!]!;
  }

  has(event: number): boolean {
    return this.#place[event]! >= 0;
  }

  timeOf(event: number): number {
    return this.#time[event]!;
  }

  /** Schedules the event, or moves it. Small, so that it is put in line and the time is not boxed. */
  set(event: number, time: number): void {
    this.#time[event] = time;
    this.#settle(event);
  }

  #settle(event: number): void {
    let place = this.#place[event]!;
    if (place < 0) place = this.#size++;
    this.#sink(this.#rise(place, event), event);
  }

  remove(event: number): void {
    const place = this.#place[event]!;
    if (place < 0) return;
    this.#place[event] = -1;
    const last = this.#heap[--this.#size]!;
    if (last !== event) this.#sink(this.#rise(place, last), last);
  }

  pop(): number {
    const event = this.#heap[0]!;
    this.#place[event] = -1;
    this.#size--;
    if (this.#size > 0) this.#sink(0, this.#heap[this.#size]!);
    return event;
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#time[a]! - this.#time[b]!;
    return difference < 0 || (difference === 0 && a < b);
  }

  #rise(place: number, event: number): number {
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const other = this.#heap[parent]!;
      if (!this.#isBefore(event, other)) break;
      this.#heap[place] = other;
      this.#place[other] = place;
      place = parent;
    }
    this.#heap[place] = event;
    this.#place[event] = place;
    return place;
  }

  #sink(place: number, event: number): void {
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#isBefore(this.#heap[child + 1]!, this.#heap[child]!)) child++;
      const other = this.#heap[child]!;
      if (!this.#isBefore(other, event)) break;
      this.#heap[place] = other;
      this.#place[other] = place;
      place = child;
    }
    this.#heap[place] = event;
    this.#place[event] = place;
  }
}
