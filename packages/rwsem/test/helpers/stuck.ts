/** A lock that stands still must say how: the words that tell a lost signal from a slow machine. */
import type { RwSem } from 'rwsem';
// White box, and constants alone: nothing that loads the library before a test has refused it to wait.
import * as layout from '../../dist/core/layout.js';

/** What every agent of the space of a lock waits for, and what is on its way to it. */
export function describeWords(lock: RwSem): string {
  const { buffer, byteOffset, index } = lock.handle;
  const mem = new Int32Array(buffer, byteOffset);
  const at = (mem[layout.LOCKS_AT] as number) + index * layout.LOCK_WORDS;
  const agents = Array.from({ length: mem[layout.AGENT_CAPACITY] as number }, (_, index) => {
    const agent = (mem[layout.AGENTS_AT] as number) + index * layout.AGENT_WORDS;
    const word = (index: number): number => mem[agent + index] as number;
    const { AGENT_STATE, BELL, BLOCKING_WAITER, GRANT, PARKED, READY, WAKE_COUNT } = layout;
    if ((word(AGENT_STATE) & 1) === 0) return '';
    return `agent ${index + 1}: grant ${word(BLOCKING_WAITER + GRANT)}, parked ${word(PARKED)}, bell ${word(BELL)}, ready ${word(READY)}, wakes to send ${word(WAKE_COUNT)}`;
  });
  const words = [...mem.slice(at, at + layout.LOCK_WORDS)].join(' ');
  return [JSON.stringify(lock.inspect()), `lock record: ${words}`, ...agents.filter((line) => line !== '')].join('\n');
}

/**
 * Fails with what `look` tells, twice with a second between, if the body has not ended after so long. Also if it
 * ends in that second: then it was asleep beside its signal, and this timer has woken the event loop.
 */
export async function orTellState(limitMs: number, look: () => string, body: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStuck = false;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isStuck = true;
      const first = look();
      timer = setTimeout(() => reject(new Error(`still at it after ${limitMs} ms\n${first}\na second later\n${look()}`)), 1000);
    }, limitMs);
  });
  try {
    await Promise.race([body, stuck]);
    if (isStuck) await stuck;
  } finally {
    clearTimeout(timer);
  }
}
