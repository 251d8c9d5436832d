/** What the lock needs of a runtime, and how it gets along without the rest. */
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { RwSem } from 'rwsem';
import { runtimeName } from '../report/provenance.ts';
import { bad, type Finding, good, note } from './finding.ts';

const OLDEST_NODE = 20;

/** This runtime, as it is for this thread. */
export async function checkRuntime(): Promise<Finding[]> {
  return [version(), isolation(), sharedMemory(), blocking(), waitAsync(), pause(), cores(), await trial()];
}

function version(): Finding {
  const { bun, deno, node } = process.versions;
  const isOld = bun === undefined && deno === undefined && Number.parseInt(node, 10) < OLDEST_NODE;
  return isOld
    ? bad('runtime', runtimeName(), `rwsem needs Node ${OLDEST_NODE} or later: update Node`)
    : good('runtime', runtimeName());
}

function isolation(): Finding {
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
  return good('isolation', crossOriginIsolated === undefined ? 'not asked for here: only pages need it' : `crossOriginIsolated is ${crossOriginIsolated}`);
}

function sharedMemory(): Finding {
  return typeof SharedArrayBuffer === 'undefined'
    ? bad('SharedArrayBuffer', 'missing', 'threads cannot share memory here: start the runtime without the flag that removes it')
    : good('SharedArrayBuffer', 'present');
}

function blocking(): Finding {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return good('Atomics.wait', 'this thread may block');
  } catch {
    return note('Atomics.wait', 'this thread may not block', 'read(), write(), downRead() and downWrite() are CannotBlockErrors: use the async and try forms, or a worker');
  }
}

function waitAsync(): Finding {
  return 'waitAsync' in Atomics
    ? good('Atomics.waitAsync', 'present')
    : note('Atomics.waitAsync', 'missing', 'async acquisitions that have to wait look every 2 ms instead of being told');
}

function pause(): Finding {
  return 'pause' in Atomics
    ? good('Atomics.pause', 'present')
    : note('Atomics.pause', 'missing', 'spinning threads cannot tell the processor so; nothing to do');
}

function cores(): Finding {
  const count = availableParallelism();
  return count > 1
    ? good('cores', String(count))
    : note('cores', String(count), 'waiting threads sleep at once instead of spinning first: whoever holds the lock needs the only core');
}

/** Not only the parts: a lock that is made, taken and given back. */
async function trial(): Promise<Finding> {
  const { version } = createRequire(import.meta.url)('rwsem/package.json') as { version: string };
  try {
    const lock = RwSem.create({ agents: 1, waiters: 1 });
    const held = await lock.writeAsync();
    const queued = lock.readAsync();
    held.release();
    (await queued).release();
    if (lock.inspect().mode !== 'free') throw new Error(`a released lock is not free: ${String(lock)}`);
    lock.space.detach();
    return good('rwsem', `${version}: a lock was taken, awaited and released`);
  } catch (error) {
    return bad('rwsem', `${version}: ${(error as Error).message}`, 'see above for what is missing');
  }
}
