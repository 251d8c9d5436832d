/** A thread in which `Atomics.wait` is refused, as on a page's main thread (scenario 11): alone, then when told that others churn. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RwSemHandle } from 'rwsem';
import { notRefused, notRefusedAlone, refuseToWait, useWithoutBlocking, waitCalls } from '../helpers/never-parks.ts';

refuseToWait();
const { RwSem } = await import('rwsem');
const { handle, rounds } = workerData as { handle: RwSemHandle; rounds: number };
const lock = RwSem.attach(handle);
const detecting = waitCalls();

parentPort?.once('message', async () => {
  const problems = notRefused(lock, 'while others churn');
  try {
    const { refusedTries, cancelled } = await useWithoutBlocking(lock, rounds);
    if (refusedTries === 0 || cancelled === 0) problems.push('nobody churned');
  } catch (error) {
    problems.push(`threw while others churn: ${String((error as Error).stack)}`);
  }
  if (waitCalls() !== detecting) problems.push(`called Atomics.wait ${waitCalls() - detecting} times`);
  parentPort?.postMessage(problems);
});
parentPort?.postMessage(notRefusedAlone(lock));
