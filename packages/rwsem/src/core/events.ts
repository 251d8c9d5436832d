/** Counters of slow-path events: each agent writes its own words, readers sum them up. */

import { EVENTS } from './layout.ts';
import { relaxedLoad, relaxedStore } from './memory.ts';

export function countEvents(mem: Int32Array, me: number, event: number, times: number): void {
  const at = me + EVENTS + event;
  relaxedStore(mem, at, (relaxedLoad(mem, at) + times) | 0);
}

export function countEvent(mem: Int32Array, me: number, event: number): void {
  countEvents(mem, me, event, 1);
}
