import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogData } from './watchdog.ts';

const { beats, limitMs, handle, locks, library } = workerData as WatchdogData;
const layout = (await import(new URL('core/layout.js', library).href)) as Record<string, number>;
const mem = new Int32Array(handle.buffer, handle.byteOffset);
const bed = new Int32Array(new SharedArrayBuffer(4));

for (;;) {
  const before = Atomics.load(beats, 0);
  Atomics.wait(bed, 0, 0, limitMs);
  if (Atomics.load(beats, 0) === before) break;
}

// Nothing but looking: the locks may be in any state.
const lines = [`a hang: the event loop has been blocked for ${limitMs} ms`];
for (let i = 0; i < locks; i++) {
  const at = (mem[layout['LOCKS_AT'] as number] as number) + i * (layout['LOCK_WORDS'] as number);
  const words = ['COUNT', 'OWNER', 'HEAD', 'TAIL', 'WAIT_LOCK', 'SPIN_TAIL'].map(
    (name) => `${name} 0x${(Atomics.load(mem, at + (layout[name] as number)) >>> 0).toString(16)}`,
  );
  if (words.some((word) => !word.endsWith('0x0'))) lines.push(`  lock ${i}: ${words.join(', ')}`);
}
// Not through streams: those of a thread need the event loop that hangs.
writeSync(2, `${lines.join('\n')}\n`);
process.kill(process.pid, 'SIGKILL');
