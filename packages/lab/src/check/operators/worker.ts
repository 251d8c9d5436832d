/** A thread that tries one mutant after the other. */
import { parentPort } from 'node:worker_threads';
import { readShippedCore } from '../../lower/source.ts';
import type { MutantTask } from './run.ts';
import { MutantTrial, type Verdict } from './try-mutant.ts';
import type { FromWorker } from '../../crew.ts';

const port = parentPort;
const trial = new MutantTrial(readShippedCore());
port?.on('message', ({ mutant, limits }: MutantTask) => {
  const post = (message: FromWorker<Verdict>): void => port.postMessage(message);
  const result = trial.run(mutant, limits, (states, depth) => post({ kind: 'progress', states, depth }));
  post({ kind: 'result', result });
});
