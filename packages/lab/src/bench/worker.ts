/** A worker of one round. Fresh for every round, so that no round inherits another's compiled code. */
import { parentPort, workerData } from 'node:worker_threads';
import type { AsyncLockModule, LockModule } from '../locks/lock.ts';
import { makeAsyncLoop, makeAsyncSite } from './async-loop.ts';
import { makeLoop } from './loop.ts';
import { ATTACHING, awaitPhaseAfter, MEASURING, phaseAfter, STOPPED, WARM, WARMING, type AgentCounts, type WorkerMessage, type WorkerTask } from './protocol.ts';
import { makeSection } from './section.ts';
import { oneAtATime, type Site } from './sites.ts';
import { makeBlindWitness, makeWitness, WITNESS_BYTES } from './witness.ts';

const task = workerData as WorkerTask;
const { reading, writing, sampleEvery, seed, verify, agents } = task;
const control = new Int32Array(task.control);
const post = (message: WorkerMessage) => parentPort?.postMessage(message);
const witnessWords = (lock: number) => new Int32Array(task.witness, lock * WITNESS_BYTES, WITNESS_BYTES / 4);

/** What a worker does, whether it blocks or awaits. */
interface Work {
  run(phase: number): AgentCounts[] | Promise<AgentCounts[]>;
  violations(): number;
  detach(): void;
}

async function blockingWork(): Promise<Work> {
  const { locks, detach } = ((await import(task.lockModule)) as LockModule).attach(task.handle);
  const sections = { read: makeSection(reading.section), write: makeSection(writing.section) };
  const sites = locks.map((lock, at): Site => {
    const { read, write } = sections;
    return { lock, witness: verify ? makeWitness(witnessWords(at), read, write) : makeBlindWitness(read, write) };
  });
  const { index, readPercent } = agents[0]!;
  const { lock, witness } = oneAtATime(sites, seed + index);
  const thinks = { thinkAfterRead: makeSection(reading.think), thinkAfterWrite: makeSection(writing.think) };
  const loop = makeLoop({ lock, witness, ...thinks, control, index, readPercent, sampleEvery, seed });
  return { run: (phase) => [loop.run(phase)], violations: () => witness.violations(), detach: () => detach?.() };
}

async function awaitingWork(): Promise<Work> {
  const module = (await import(task.lockModule)) as AsyncLockModule;
  const { locks, detach } = await module.attach(task.handle);
  const sites = locks.map((lock, at) => makeAsyncSite(lock, verify ? witnessWords(at) : null, reading.section, writing.section));
  const loops = agents.map((agent) => makeAsyncLoop({ sites, reading, writing, control, ...agent, sampleEvery, seed }));
  setInterval(() => {}, 1000); // not every lock keeps the event loop alive while it is awaited
  return {
    run: (phase) => Promise.all(loops.map((loop) => loop.run(phase))),
    violations: () => sites.reduce((total, site) => total + site.violations(), 0),
    detach: () => detach?.(),
  };
}

const isBlocking = task.world === 'threads';
const nextPhase = (phase: number) => (isBlocking ? awaitPhaseAfter(control, phase) : phaseAfter(control, phase));

try {
  const work = await (isBlocking ? blockingWork() : awaitingWork());
  post({ kind: 'attached' });
  await nextPhase(ATTACHING);
  const warm = await work.run(WARMING);
  post({ kind: 'warm', writes: warm.reduce((total, { writes }) => total + writes, 0) });
  await nextPhase(WARM);
  const counts = await work.run(MEASURING);
  post({ kind: 'done', counts, violations: work.violations() });
  // Event counters are summed while all are still attached.
  await nextPhase(STOPPED);
  work.detach();
  post({ kind: 'left' });
  if (!isBlocking) process.exit(); // of the worker; peers may leave something running
} catch (error) {
  post({ kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
