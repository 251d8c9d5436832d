/** A thread in which `Atomics.wait` is refused, as on a page's main thread (scenario 11). */
import { parentPort, workerData } from 'node:worker_threads';
import type { RwSemHandle } from 'rwsem';

let waits = 0;
Atomics.wait = (() => {
  waits++;
  throw new TypeError('Atomics.wait cannot be called in this context');
}) as typeof Atomics.wait;

const { RwSem, CannotBlockError } = await import('rwsem');
const { handle, control, rounds } = workerData as { handle: RwSemHandle; control: Int32Array; rounds: number };
const lock = RwSem.attach(handle);
const detecting = waits;
const problems: string[] = [];

function expectRefused(when: string): void {
  for (const form of ['read', 'write', 'downRead', 'downWrite'] as const) {
    const before = JSON.stringify({ ...lock.inspect(), waiters: 0 });
    try {
      lock[form]();
      problems.push(`${form} ${when} was not refused`);
    } catch (error) {
      if (!(error instanceof CannotBlockError)) problems.push(`${form} ${when}: ${String(error)}`);
    }
    if (when !== 'while others churn' && JSON.stringify({ ...lock.inspect(), waiters: 0 }) !== before) problems.push(`${form} ${when} changed the lock`);
  }
}

expectRefused('on a free lock');
const own = lock.tryWrite();
expectRefused('on a held lock');
own?.release();

Atomics.store(control, 0, 1); // the others start to churn
Atomics.notify(control, 0);
try {
  for (let round = 0; round < rounds; round++) {
    const abort = new AbortController();
    const pending = lock.writeAsync({ signal: abort.signal }).then(
      (guard) => guard.downgrade().release(),
      () => {},
    );
    if (round % 2 === 0) abort.abort();
    lock.tryRead()?.release();
    lock.tryWrite()?.downgrade().release();
    if (lock.tryDownRead()) lock.upRead();
    if (lock.tryDownWrite()) {
      lock.downgradeWrite();
      lock.upRead();
    }
    if (round % 50 === 0) expectRefused('while others churn');
    lock.inspect();
    await lock.withRead(() => {});
    await pending;
  }
} catch (error) {
  problems.push(`threw while others churn: ${String((error as Error).stack)}`);
}
if (waits !== detecting) problems.push(`called Atomics.wait ${waits - detecting} times`);
parentPort?.postMessage(problems);
