/**
 * How an event loop learns that its async waiters have been signalled: each agent has a stack of
 * signalled waiters and one bell, however many acquisitions it has pending.
 *
 * A waiter is pushed exactly once for each time its grant word leaves WAITING, and its record is not
 * reused before its thread has popped it. So a waker may still touch an async waiter after the
 * grant, unlike a blocking one. There is one consumer, which always takes the whole stack: no ABA.
 */

import { ASYNC_LOCAL_WAKE, BELL, READY, READY_NEXT, WAITER_AGENT } from './layout.ts';
import { countEvent } from './events.ts';
import { relaxedLoad, relaxedStore } from './memory.ts';

/** Needs no lock; the waiter's grant word has been stored. Rings only if the stack was empty. */
export function pushReady(mem: Int32Array, me: number, waiter: number): void {
  const agent = relaxedLoad(mem, waiter + WAITER_AGENT);
  let top = Atomics.load(mem, agent + READY);
  for (;;) {
    relaxedStore(mem, waiter + READY_NEXT, top);
    const seen = Atomics.compareExchange(mem, agent + READY, top, waiter);
    if (seen === top) break;
    top = seen;
  }
  // Its own bell a thread need not ring: it looks at its stack after every slow path.
  if (agent === me) countEvent(mem, me, ASYNC_LOCAL_WAKE);
  else if (top === 0) {
    Atomics.add(mem, agent + BELL, 1);
    Atomics.notify(mem, agent + BELL);
  }
}

/** Takes all signalled waiters, first signalled first; follow READY_NEXT. 0 if there are none. */
export function takeReady(mem: Int32Array, me: number): number {
  let stack = Atomics.exchange(mem, me + READY, 0);
  let first = 0;
  while (stack !== 0) {
    const below = relaxedLoad(mem, stack + READY_NEXT);
    relaxedStore(mem, stack + READY_NEXT, first);
    first = stack;
    stack = below;
  }
  return first;
}
