/** What a thread that may not block can do with a lock, and that nothing of it parks (scenario 11). */
import type { RwSem } from 'rwsem';

let waits = 0;

/** How often this thread has called `Atomics.wait`. */
export function waitCalls(): number {
  return waits;
}

/** From here on `Atomics.wait` is refused in this thread, as on a page's main thread. To be called before the library is loaded. */
export function refuseToWait(): void {
  Atomics.wait = (() => {
    waits++;
    throw new TypeError('Atomics.wait cannot be called in this context');
  }) as typeof Atomics.wait;
}

const BLOCKING = ['read', 'write', 'downRead', 'downWrite'] as const;

/** The blocking forms that were not refused. */
export function notRefused(lock: RwSem, when: string): string[] {
  return BLOCKING.flatMap((form) => {
    try {
      lock[form]();
      return [`${form} ${when} was not refused`];
    } catch (error) {
      return (error as { code?: string }).code === 'ERR_RWSEM_CANNOT_BLOCK' ? [] : [`${form} ${when}: ${String(error)}`];
    }
  });
}

/** The same on a lock that is free, and on one that this thread holds; neither may change. */
export function notRefusedAlone(lock: RwSem): string[] {
  const look = (when: string): string[] => {
    const before = JSON.stringify(lock.inspect());
    const problems = notRefused(lock, when);
    return JSON.stringify(lock.inspect()) === before ? problems : [...problems, `a blocking form ${when} changed the lock`];
  };
  const free = look('on a free lock');
  const held = lock.tryWrite();
  const problems = [...free, ...look('on a held lock')];
  held?.release();
  return problems;
}

/** How often each thing was done that could have parked, had the lock been wrong. */
export interface Uses {
  rounds: number;
  tries: number;
  refusedTries: number;
  granted: number;
  cancelled: number;
}

export function noUses(): Uses {
  return { rounds: 0, tries: 0, refusedTries: 0, granted: 0, cancelled: 0 };
}

/** On a busy machine the lock comes round slowly: fewer rounds then, and at least these. */
const ENOUGH_MS = 8000;
const LEAST_ROUNDS = 5;

/** Everything that never blocks, again and again, while others churn; counted in `uses` as it goes. Throws what the lock throws. */
export async function useWithoutBlocking(lock: RwSem, rounds: number, uses = noUses()): Promise<Uses> {
  const note = (got: boolean): boolean => {
    uses.tries++;
    if (!got) uses.refusedTries++;
    return got;
  };
  const settled = async (pending: Promise<{ release(): void }>): Promise<void> => {
    try {
      (await pending).release();
      uses.granted++;
    } catch (error) {
      if (!/^(Timeout|Abort)Error$/.test((error as Error).name)) throw error;
      uses.cancelled++;
    }
  };
  const end = performance.now() + ENOUGH_MS;
  for (let round = 0; round < rounds && (round < LEAST_ROUNDS || performance.now() < end); round++) {
    const abort = new AbortController();
    const pending = [
      settled(lock.writeAsync({ signal: abort.signal })),
      settled(lock.readAsync({ signal: abort.signal, timeoutMs: 60_000 })),
      settled(lock.readAsync({ timeoutMs: round % 3 })),
      settled(lock.writeAsync({ urgent: true }).then((guard) => guard.downgrade())),
    ];
    for (let i = 0; i < 10; i++) {
      const read = lock.tryRead();
      if (note(read !== null)) read?.release();
      const write = lock.tryWrite();
      if (note(write !== null)) write?.downgrade().release();
      if (note(lock.tryDownRead())) lock.upRead();
      if (note(lock.tryDownWrite())) {
        lock.downgradeWrite();
        lock.upRead();
      }
      lock.inspect();
    }
    if (round % 2 === 0) abort.abort();
    await lock.withRead(() => String(lock));
    await lock.withWrite((guard) => guard.downgrade());
    await Promise.all(pending);
    uses.rounds++;
  }
  return uses;
}
