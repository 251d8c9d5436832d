/** A thread that explores one program after the other. */
import { parentPort } from 'node:worker_threads';
import type { FromWorker } from '../crew.ts';
import { type CheckResult, type CheckTask, runTask } from './task.ts';

const port = parentPort;
port?.on('message', (task: CheckTask) => {
  const post = (message: FromWorker<CheckResult>): void => port.postMessage(message);
  const result = runTask(task, (states, depth) => post({ kind: 'progress', states, depth }));
  post({ kind: 'result', result });
});
