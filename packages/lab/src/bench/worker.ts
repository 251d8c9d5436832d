/** A worker of one round. Fresh for every round, so that no round inherits another's compiled code. */
import { parentPort, workerData } from 'node:worker_threads';
import type { LockModule } from '../locks/lock.ts';
import { makeLoop } from './loop.ts';
import { ATTACHING, awaitPhaseAfter, MEASURING, STOPPED, WARM, WARMING, type WorkerMessage, type WorkerTask } from './protocol.ts';
import { makeSection } from './section.ts';
import { makeBlindWitness, makeWitness } from './witness.ts';

const task = workerData as WorkerTask;
const post = (message: WorkerMessage) => parentPort?.postMessage(message);

try {
  const module = (await import(task.lockModule)) as LockModule;
  const control = new Int32Array(task.control);
  const lock = module.attach(task.handle);
  const section = makeSection(task.section);
  const witness = task.verify ? makeWitness(new Int32Array(task.witness), section) : makeBlindWitness(section);
  const { index, readPercent, sampleEvery } = task;
  const loop = makeLoop({ lock, witness, think: makeSection(task.think), control, index, readPercent, sampleEvery });

  post({ kind: 'attached' });
  awaitPhaseAfter(control, ATTACHING);
  post({ kind: 'warm', writes: loop.run(WARMING).writes });
  awaitPhaseAfter(control, WARM);
  const counts = loop.run(MEASURING);
  post({ kind: 'done', counts, violations: witness.violations() });
  // Event counters are summed while all are still attached.
  awaitPhaseAfter(control, STOPPED);
  lock.detach?.();
} catch (error) {
  post({ kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
