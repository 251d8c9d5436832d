/** Grows the memory it is given, by eight pages, and ends. */
import { parentPort, workerData } from 'node:worker_threads';

parentPort?.postMessage((workerData as WebAssembly.Memory).grow(8));
