/** What the lock wants to know of the runtime it is in. Asked when a thread attaches. */

interface Host {
  navigator?: { hardwareConcurrency?: number };
  process?: {
    getBuiltinModule?: (name: string) => { availableParallelism?: () => number } | undefined;
    on?: (event: 'exit', listener: () => void) => void;
  };
}

const host = globalThis as unknown as Host;

/** Engines refuse `Atomics.wait` on threads that must not block, before they look at the value. */
export function canBlock(): boolean {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

/** Where nobody tells, assume so: every spin is bounded anyway. */
export function hasSeveralCores(): boolean {
  const cores =
    host.navigator?.hardwareConcurrency ?? host.process?.getBuiltinModule?.('node:os')?.availableParallelism?.() ?? 2;
  return cores > 1;
}

/** Calls back when this thread ends by itself, in runtimes that tell. Not when it is terminated. */
export function onThreadExit(callback: () => void): void {
  host.process?.on?.('exit', callback);
}
