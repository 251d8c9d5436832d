/**
 * What the core asks of its surroundings. The only file of this folder outside the portable subset:
 * the model checker and the simulator bring their own.
 */

const pauseHint: () => void =
  typeof (Atomics as { pause?: unknown }).pause === 'function'
    ? (Atomics as unknown as { pause(): void }).pause
    : () => {};

/** Tells the processor that this is a spin loop, where the engine can. */
export function pause(): void {
  pauseHint();
}

/**
 * Whole milliseconds on a clock that all threads share, modulo 2^32: compare by difference only.
 * `performance.now()` alone starts at a different moment in every worker.
 */
export function clockMs(): number {
  return Math.floor(performance.timeOrigin + performance.now()) | 0;
}

/** Microseconds on a clock of this thread's own, modulo 2^32; resolution 1 us to 1 ms. */
export function spinClockUs(): number {
  return (performance.now() * 1000) | 0;
}
