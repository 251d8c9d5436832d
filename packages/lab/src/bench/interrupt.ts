/** The first interrupt ends a run after the current round, with what there is; the second at once. */
export function stopOnInterrupt(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const onInterrupt = () => controller.abort();
  process.once('SIGINT', onInterrupt);
  return { signal: controller.signal, release: () => void process.off('SIGINT', onInterrupt) };
}
