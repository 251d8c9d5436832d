/**
 * One class per cause. Bad arguments are the language's own `RangeError` and `TypeError`; everything
 * else extends `RwSemError` and has a stable `code`, its name in capitals: `ERR_RWSEM_NOT_OWNER`.
 */

import { MAX_READERS } from './core/layout.ts';

export class RwSemError extends Error {
  /** Stable, for programs: `ERR_RWSEM_…`. */
  readonly code: string;

  /** @internal */
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
    this.code = `ERR_RWSEM_${name.slice(0, -'Error'.length).replace(/\B[A-Z]/g, '_$&').toUpperCase()}`;
  }
}

/** The time given for waiting has passed. `name` is `'TimeoutError'`, as for `AbortSignal.timeout`. */
export class TimeoutError extends RwSemError {
  /** @internal */
  constructor(mode: 'read' | 'write', timeoutMs: number) {
    super(
      'TimeoutError',
      `the ${mode} lock was not granted within ${timeoutMs} ms; nothing is held. Try again, wait longer, or look at inspect() for who holds it`,
    );
  }
}

/** Waiting could never end: this thread itself stands in the way. */
export class DeadlockError extends RwSemError {
  /** @internal */
  constructor(mode: 'read' | 'write', reason: string) {
    super('DeadlockError', `${reason}: blocking for a ${mode} lock would wait for ever. Release or await that first, or use ${mode}Async()`);
  }
}

/** A blocking form on a thread that may not block, such as a page's main thread. */
export class CannotBlockError extends RwSemError {
  /** @internal */
  constructor(form: string) {
    super(
      'CannotBlockError',
      `${form}() would block, and this thread may not (Atomics.wait is refused here). Use the async or try form, or do it in a worker`,
    );
  }
}

/** A release or downgrade without the hold it is for. */
export class NotOwnerError extends RwSemError {
  /** @internal */
  constructor(attempt: string) {
    super('NotOwnerError', `${attempt}; nothing was changed`);
  }
}

/** `detach()` while this thread still holds or awaits a lock of the space. */
export class StillInUseError extends RwSemError {
  /** @internal */
  constructor(message: string) {
    super('StillInUseError', message);
  }
}

/** Use after `detach()`. */
export class DetachedError extends RwSemError {
  /** @internal */
  constructor() {
    super('DetachedError', 'this thread has detached from the space; attach its handle again');
  }
}

/** One reader more than the count can hold. */
export class TooManyReadersError extends RwSemError {
  /** @internal */
  constructor() {
    super(
      'TooManyReadersError',
      `the lock is read-held ${MAX_READERS} times, which is the most it can count; look for read locks that are never released`,
    );
  }
}

/** All agent records of the space are taken. */
export class SpaceFullError extends RwSemError {
  /** @internal */
  constructor(agents: number) {
    super(
      'SpaceFullError',
      `all ${agents} agent records of the space are taken; create it with a larger 'agents', or detach() threads that are done with it`,
    );
  }
}

/** No `SharedArrayBuffer`: browsers have it only in pages that are cross-origin isolated. */
export class NoSharedMemoryError extends RwSemError {
  /** @internal */
  constructor() {
    super(
      'NoSharedMemoryError',
      'no SharedArrayBuffer; serve the page with Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp',
    );
  }
}

/** Not a handle of a space of this layout version. */
export class InvalidHandleError extends RwSemError {
  /** @internal */
  constructor(reason: string) {
    super('InvalidHandleError', `not a valid handle: ${reason}. Pass on the 'handle' of a space or lock as it is`);
  }
}
