/** One thread of `run.ts`: runs the experiments that it is sent, one after another. */
import { parentPort } from 'node:worker_threads';
import type { FromWorker } from '../../crew.ts';
import { EXPERIMENTS } from './catalog.ts';
import { perform, type Report, type Scale } from './experiment.ts';

export interface ExperimentTask {
  id: string;
  scale: Scale;
}

parentPort!.on('message', ({ id, scale }: ExperimentTask) => {
  const result = perform(EXPERIMENTS.find((experiment) => experiment.id === id)!, scale);
  parentPort!.postMessage({ kind: 'result', result } satisfies FromWorker<Report>);
});
