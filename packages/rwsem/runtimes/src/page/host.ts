/** A worker that runs a suite: the tests block their thread, which a page's main thread may not. */
import { startThreadsOver } from './starter.ts';
import { runSuite } from './suite.ts';

const onMessage = ({ data: file, ports }: MessageEvent<string>): void => {
  startThreadsOver(ports[0] as MessagePort);
  void runSuite(file, (progress) => globalThis.postMessage(progress));
};
globalThis.addEventListener('message', onMessage, { once: true });
