/** A worker of one round. Fresh for every round, so that no round inherits another's compiled code. */
import { parentPort, workerData } from 'node:worker_threads';
import type { LockModule } from '../locks/lock.ts';
import { makeLoop } from './loop.ts';
import { ATTACHING, awaitPhaseAfter, MEASURING, STOPPED, WARM, WARMING, type WorkerMessage, type WorkerTask } from './protocol.ts';
import { makeSection } from './section.ts';
import { oneAtATime, type Site } from './sites.ts';
import { makeBlindWitness, makeWitness, WITNESS_BYTES } from './witness.ts';

const task = workerData as WorkerTask;
const post = (message: WorkerMessage) => parentPort?.postMessage(message);

try {
  const module = (await import(task.lockModule)) as LockModule;
  const control = new Int32Array(task.control);
  const attached = module.attach(task.handle);
  const { index, readPercent, sampleEvery, seed, reading, writing } = task;
  const sections = { read: makeSection(reading.section), write: makeSection(writing.section) };
  const sites = attached.locks.map((lock, at): Site => {
    const words = new Int32Array(task.witness, at * WITNESS_BYTES, WITNESS_BYTES / 4);
    return { lock, witness: task.verify ? makeWitness(words, sections.read, sections.write) : makeBlindWitness(sections.read, sections.write) };
  });
  const { lock, witness } = oneAtATime(sites, seed + index);
  const thinks = { thinkAfterRead: makeSection(reading.think), thinkAfterWrite: makeSection(writing.think) };
  const loop = makeLoop({ lock, witness, ...thinks, control, index, readPercent, sampleEvery, seed });

  post({ kind: 'attached' });
  awaitPhaseAfter(control, ATTACHING);
  post({ kind: 'warm', writes: loop.run(WARMING).writes });
  awaitPhaseAfter(control, WARM);
  const counts = loop.run(MEASURING);
  post({ kind: 'done', counts, violations: witness.violations() });
  // Event counters are summed while all are still attached.
  awaitPhaseAfter(control, STOPPED);
  attached.detach?.();
} catch (error) {
  post({ kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
