/** Uses one lock in one way until it is terminated. */

import { parentPort, workerData } from 'node:worker_threads';
import { Actor } from '../../../lab/dist/torture/actor.js';
import type { Library, Mix } from '../../../lab/dist/torture/kit.js';

export const VICTIM_WAYS = [
  'holds write',
  'holds read',
  'holds write through a promise',
  'waits for write',
  'waits for read',
  'waits with a time limit',
  'awaits write',
  'awaits read',
  'hammers',
  'hammers and awaits',
  'hammers reading',
] as const;
export type VictimWay = (typeof VICTIM_WAYS)[number];

export interface VictimData {
  library: string;
  handle: import('rwsem').LockSpaceHandle;
  lock: number;
  way: VictimWay;
  cells: Int32Array;
  activity: Int32Array;
  index: number;
  seed: number;
}

export type VictimMessage = { failure: string } | { attached: number };

if (parentPort !== null) {
  const { library: url, handle, lock: number, way, cells, activity, index, seed } = workerData as VictimData;
  const port = parentPort;
  const tell = (message: VictimMessage): void => port.postMessage(message);
  const sleep = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  port.on('message', () => {}); // keeps the event loop alive
  try {
    const library = (await import(url)) as Library;
    const lock = library.LockSpace.attach(handle).rwsem(number);
    const actor = new Actor(library, [lock], cells, activity, index, seed, true);
    const hammer = (writes: number, asyncShare: number): Promise<void> => {
      const mix: Mix = { operations: Infinity, locks: 1, writes };
      return actor.workBlocking(mix, asyncShare);
    };
    tell({ attached: lock.space.agent });
    switch (way) {
      case 'holds write':
      case 'waits for write':
        lock.downWrite();
        sleep();
        break;
      case 'holds read':
      case 'waits for read':
        lock.downRead();
        sleep();
        break;
      case 'holds write through a promise':
      case 'awaits write':
        await lock.writeAsync();
        break;
      case 'awaits read':
        await lock.readAsync();
        break;
      case 'waits with a time limit':
        for (;;) {
          try {
            lock.write({ timeoutMs: 3, urgent: true });
          } catch (error) {
            if (!(error instanceof library.TimeoutError)) throw error;
          }
        }
      case 'hammers':
        await hammer(0.5, 0);
        break;
      case 'hammers and awaits':
        await hammer(0.5, 0.5);
        break;
      case 'hammers reading':
        await hammer(0.1, 0.1);
        break;
    }
  } catch (error) {
    tell({ failure: String((error as Error).stack ?? error) });
  }
}
