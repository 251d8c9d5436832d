/** A thread of the stress. It does what the control words say, round after round. */

import { parentPort, workerData } from 'node:worker_threads';
import { Actor } from './actor.ts';
import type { Library } from './kit.ts';
import { ARRIVED, readMix, RACE, RACING, ROUND, STOP, type StressThreadData, type StressThreadMessage } from './stress.ts';

const { library: url, handle, locks, cells, activity, control, index, seed, asyncShare } = workerData as StressThreadData;
const port = parentPort as NonNullable<typeof parentPort>;
// Keeps the event loop alive until it is told to end.
port.on('message', () => port.close());

function tell(message: StressThreadMessage): void {
  port.postMessage(message);
}

try {
  const library = (await import(url)) as Library;
  const space = library.LockSpace.attach(handle);
  const all = Array.from({ length: locks }, (_, i) => space.rwsem(i));
  const actor = new Actor(library, all, cells, activity, index, seed, true);
  for (let round = 0; ; round++) {
    Atomics.add(control, ARRIVED, 1);
    Atomics.notify(control, ARRIVED);
    while (Atomics.load(control, ROUND) === round) Atomics.wait(control, ROUND, round);
    if (Atomics.load(control, STOP) !== 0) break;
    const isRace = control[RACE] !== 0;
    const isOver = () => Atomics.load(control, RACING) === 0;
    await (isRace ? actor.workBlocking({ ...readMix(control), isOver }, 0) : actor.workBlocking(readMix(control), asyncShare));
  }
  tell({ done: actor.tally });
} catch (error) {
  tell({ failure: String((error as Error).stack ?? error) });
}
