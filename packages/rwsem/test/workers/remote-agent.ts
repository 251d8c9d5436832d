import { parentPort, workerData } from 'node:worker_threads';
import { type AcquireOptions, type ReadGuard, RwSem, type RwSemError, type WriteGuard } from 'rwsem';
import type { Answer, Form } from '../helpers/remote-agent.ts';

const lock = RwSem.attach(workerData);
let guard: ReadGuard | WriteGuard | null = null;

async function run(form: Form, options?: AcquireOptions): Promise<boolean> {
  if (form === 'release') guard?.release();
  else if (form === 'downgrade') guard = (guard as WriteGuard).downgrade();
  else if (form === 'detach') lock.space.detach();
  else guard = await lock[form](options);
  return guard?.held ?? false;
}

parentPort?.on('message', ({ id, form, options }: { id: number; form: Form; options?: AcquireOptions }) => {
  run(form, options).then(
    (result) => parentPort?.postMessage({ id, result } satisfies Answer),
    (error: RwSemError) => parentPort?.postMessage({ id, error: { name: error.name, code: error.code } } satisfies Answer),
  );
});
