/** One thread of `run.ts`: runs the experiments that it is sent, one after another. */
import { parentPort } from 'node:worker_threads';
import { EXPERIMENTS } from './catalog.ts';
import { perform, type Scale } from './experiment.ts';

parentPort!.on('message', ({ id, scale }: { id: string; scale: Scale }) => {
  parentPort!.postMessage(perform(EXPERIMENTS.find((experiment) => experiment.id === id)!, scale));
});
