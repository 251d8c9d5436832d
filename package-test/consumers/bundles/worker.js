// Bundled for itself: its copy of the library is another than that of main.js.
import { RwSem } from 'rwsem';

export function count({ lock: handle, words, rounds, workers }) {
  const lock = RwSem.attach(handle);
  Atomics.add(words, 1, 1);
  while (Atomics.load(words, 1) < workers);
  for (let i = 0; i < rounds; i++) {
    const guard = lock.write();
    const before = words[0];
    for (let delay = 0; delay < 400; delay++) Atomics.load(words, 2);
    words[0] = before + 1;
    guard.release();
  }
}
