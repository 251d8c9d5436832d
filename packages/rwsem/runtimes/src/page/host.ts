/** A worker that runs a suite: the tests block their thread, which a page's main thread may not. */
import { runSuite } from './suite.ts';

globalThis.addEventListener('message', (event: MessageEvent<string>) => void runSuite(event.data, (progress) => globalThis.postMessage(progress)), { once: true });
