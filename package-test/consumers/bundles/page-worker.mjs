// A worker of page.html.
import { count } from './worker.mjs';

globalThis.onmessage = ({ data }) => {
  count(data);
  globalThis.postMessage('done');
};
