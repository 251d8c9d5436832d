/** What the page does: runs the suite of its address on the thread that the address asks for. */
import { startThreadsFor } from './starter.ts';
import { type Progress, runSuite } from './suite.ts';
import type { Results } from './test.ts';

declare global {
  /** For who drives the page. */
  var progress: { running: string; results: Results | null };
}

const parameters = new URLSearchParams(location.search);
const file = parameters.get('file') as string;
globalThis.progress = { running: '', results: null };

function tell(news: Progress): void {
  if ('started' in news) globalThis.progress.running = news.started;
  else globalThis.progress.results = news.results;
}

if (parameters.get('thread') === 'main') {
  await runSuite(file, tell);
} else {
  const worker = new Worker(new URL('./host.js', import.meta.url), { type: 'module' });
  worker.addEventListener('message', (event: MessageEvent<Progress>) => tell(event.data));
  worker.addEventListener('error', (event) => tell({ results: { passed: 0, skipped: 0, failures: [`the worker failed: ${event.message}`] } }));
  const { port1, port2 } = new MessageChannel();
  startThreadsFor(port1);
  worker.postMessage(file, [port2]);
}
