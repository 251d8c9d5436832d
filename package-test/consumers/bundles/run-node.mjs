// Usage: node run-node.mjs <main bundle> <worker bundle>. Runs both as threads of Node and prints what came of it.
import { pathToFileURL } from 'node:url';
import { Worker, isMainThread, workerData } from 'node:worker_threads';

if (isMainThread) {
  const [mainBundle, workerBundle] = process.argv.slice(2).map((path) => pathToFileURL(path).href);
  const { countTogether } = await import(mainBundle);
  const startWorker = (job) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { ...job, workerBundle } });
      worker.once('error', reject);
      worker.once('exit', resolve);
    });
  console.log(JSON.stringify(await countTogether(startWorker, 10_000)));
} else {
  const { count } = await import(workerData.workerBundle);
  count(workerData);
}
