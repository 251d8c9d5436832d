/**
 * A mutation: one step of the shipped core changed, to see whether the checker notices. A checker is
 * worth what it catches of these.
 *
 * It is a patch by anchor text on the TypeScript source. Every anchor must be there exactly once, so that
 * a refactoring which would silently disarm a mutation fails the run instead.
 *
 * PROGRAMS. Threads are separated by `|`, the operations of one thread by spaces; `*` repeats the last
 * operation for ever, `...` as often as its thread likes. `read write tryRead tryWrite timedRead timedWrite urgentRead
 * urgentWrite downgrade`: the timed ones may give up at any moment. `asyncRead asyncWrite urgentAsyncWrite` are answered by the thread's event loop,
 * `abortRead abortWrite` too, and may be aborted at any moment; `a+b` has two pending at once.
 * `nestedRead` and `timedNestedRead` read inside a read; `asyncInRead` awaits a read and then blocks in a
 * second one; `probe` arrives for reading and withdraws. `spinTurn` is the spinner queue by itself: whoever is
 * first takes the lock.
 *
 * MODES, separated by spaces. Other policies: `grant`, `spin`, `any-owner`, `no-reader-steal`,
 * `handoff:now`, `handoff:due`, `handoff:off`; `one-core` steals and does not spin. Limits: `batch:1` readers in a pass, `readers:1` at most in the lock (not for programs that queue two), or `readers:3`, of which none is granted beside another. More detail: `owner`
 * keeps the owner word instead of leaving what it says to chance, `wait-lock` lets threads park on the
 * wait lock, `no-park` has them spin there instead, `spurious` lets any sleep end, `impatient` lets threads leave
 * their node in the spinner queue behind, `patient` lets them wait in line for ever, `split` makes steps
 * of the accesses under the wait lock too, `delayed` lets plain ones among them take effect late or early. More to show: `ready`, that the end can be reached from every
 * state; `alone`, that one thread by itself always gets in; `bounded`, that one which goes on alone comes to an end or a sleep, and with `by-clock` without counting turns; `fair`, that nobody starves: programs of threads that loop, with `handoff:now` or `handoff:off`.
 */

import { replaceOnce } from '../../replace-once.ts';

export interface Edit {
  /** In packages/rwsem/src/core. */
  file: string;
  /** Must occur exactly once. */
  find: string;
  replace: string;
}

/** What a checker can say about a program. */
export type Property =
  /** Exclusion (I1), counting those granted but asleep. */
  | 'MUTEX'
  /** Somebody sleeps and nobody will wake it. */
  | 'LOST'
  /** All done, or nothing can be done any more, and the words are not idle (I12). */
  | 'STUCK'
  /**
   * One of the numbered invariants. Also those about single steps: nobody unqueued gets in past a handoff
   * (I5); nobody touches a waiter that has been granted (I7), a queue word without the wait lock (I4), or a
   * word outside every record.
   */
  | 'INVARIANT'
  /** A fair run of looping threads in which somebody never gets the lock. */
  | 'STARVE'
  /** Overtaken more often than the bound. */
  | 'BYPASS'
  /** The count has gone below what is held. */
  | 'NEGATIVE'
  /** An operation of a thread that is alone has ended without the lock. */
  | 'REFUSED'
  /** An operation has ended with a status that it is not to end with, now or ever. */
  | 'ANSWER'
  /** In the mode `delayed`: nothing orders what a holder does to the users' data after what another has done to it. */
  | 'DATA';

/**
 * Where it must be caught, or why it cannot be. `property` is what a search by breadth sees first; `or`,
 * what it sees first if it knows no invariants about single steps.
 */
export type Expectation = { property: Property; or?: Property; program: string; mode?: string } | { uncaught: string };

export interface Mutation {
  id: string;
  title: string;
  /** Where the mistake was made before, or 'ours'. */
  source: string;
  /** Numbers of the catalogue of historic bugs that it stands for. */
  bugs: readonly number[];
  edits: readonly Edit[];
  expect: Expectation;
}

/** A bug of the catalogue that has no counterpart in this core. */
export interface NotApplicable {
  bug: number;
  title: string;
  reason: string;
}

/** The sources with the edits made. Throws if an anchor is not there exactly once. */
export function applyMutation(mutation: Mutation, read: (file: string) => string): Map<string, string> {
  const patched = new Map<string, string>();
  for (const { file, find, replace } of mutation.edits) {
    const refuse = (times: number): Error => new Error(`mutation ${mutation.id}: its anchor occurs ${times} times in ${file}, not once:\n${find}`);
    patched.set(file, replaceOnce(patched.get(file) ?? read(file), find, replace, refuse));
  }
  return patched;
}
