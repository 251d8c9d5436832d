/** Works on the locks from 0 until told to stop, and says at the end what it did. */

import { parentPort, workerData } from 'node:worker_threads';
import { Actor } from '../../../lab/dist/torture/actor.js';
import type { Library, Mix, Tally } from '../../../lab/dist/torture/kit.js';

export interface BystanderData {
  library: string;
  handle: import('rwsem').LockSpaceHandle;
  locks: number;
  cells: Int32Array;
  activity: Int32Array;
  index: number;
  seed: number;
  /** Word 0: stop. */
  control: Int32Array;
}

export type BystanderMessage = { failure: string } | { done: Tally };

const { library: url, handle, locks, cells, activity, index, seed, control } = workerData as BystanderData;
const mix: Mix = { operations: 20, locks, writes: 0.4 };

function tell(message: BystanderMessage): void {
  parentPort?.postMessage(message);
}

try {
  const library = (await import(url)) as Library;
  const space = library.LockSpace.attach(handle);
  const all = Array.from({ length: locks }, (_, i) => space.rwsem(i));
  const actor = new Actor(library, all, cells, activity, index, seed, true);
  do await actor.workBlocking(mix, 0.2);
  while (Atomics.load(control, 0) === 0);
  tell({ done: actor.tally });
} catch (error) {
  tell({ failure: String((error as Error).stack ?? error) });
}
