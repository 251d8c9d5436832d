/**
 * Programs: `read write | timedRead*`, what each thread does, one after the other. `read/write` is any of
 * the two; `a*` repeats the last operation for ever, `a...` as often as it likes. So `any... | any...` is
 * every program of two threads at once.
 */
import { CheckArgumentError } from '../check-error.ts';

/** One operation: a routine of `operations.ts` with its last arguments. */
export interface Operation {
  routine: string;
  args: readonly number[];
}

export interface ThreadProgram {
  /** One after the other; of each one alternative. */
  operations: Operation[][];
  /** It repeats the last one for ever, or until it no longer likes to. */
  repeats: 'not' | 'for ever' | 'at will';
}

export interface Program {
  text: string;
  threads: ThreadProgram[];
  usesAsync: boolean;
  /** A read of it may be refused, since it would wait for its own thread. */
  mayDeadlock: boolean;
}

const BLOCKING: Readonly<Record<string, Operation>> = {
  read: { routine: 'runRead', args: [] },
  write: { routine: 'runWrite', args: [] },
  tryRead: { routine: 'runTryRead', args: [] },
  tryWrite: { routine: 'runTryWrite', args: [] },
  timedRead: { routine: 'runTimedRead', args: [] },
  timedWrite: { routine: 'runTimedWrite', args: [] },
  urgentRead: { routine: 'runUrgentRead', args: [] },
  urgentWrite: { routine: 'runUrgentWrite', args: [] },
  downgrade: { routine: 'runDowngrade', args: [] },
  timedWriteInWrite: { routine: 'runWriteInWrite', args: [] },
  nestedRead: { routine: 'runNestedRead', args: [0] },
  timedNestedRead: { routine: 'runNestedRead', args: [1] },
  asyncInRead: { routine: 'runAsyncInRead', args: [] },
  probe: { routine: 'runProbe', args: [] },
  spinTurn: { routine: 'runSpinTurn', args: [] },
};
/** As in `operations.ts`. */
const URGENT_ASYNC_WRITE = 3;
const ASYNC: Readonly<Record<string, { kind: number; mayAbort: number }>> = {
  asyncRead: { kind: 1, mayAbort: 0 },
  asyncWrite: { kind: 2, mayAbort: 0 },
  urgentAsyncWrite: { kind: URGENT_ASYNC_WRITE, mayAbort: 0 },
  abortRead: { kind: 1, mayAbort: 1 },
  abortWrite: { kind: 2, mayAbort: 1 },
};
/** Names for alternatives. */
export const SETS: Readonly<Record<string, readonly string[]>> = {
  any: ['read', 'write', 'tryRead', 'tryWrite', 'timedRead', 'timedWrite', 'urgentWrite', 'downgrade'],
  anyAsync: ['asyncRead', 'asyncWrite', 'abortRead', 'abortWrite'],
  anyPair: ['asyncRead+asyncRead', 'asyncRead+asyncWrite', 'asyncWrite+asyncRead', 'asyncWrite+asyncWrite', 'abortRead+abortWrite', 'abortWrite+abortRead', 'abortWrite+abortWrite'],
  anyNested: ['nestedRead', 'timedNestedRead', 'asyncInRead', 'probe'],
};
export const MOST_THREADS = 8;

export function parseProgram(text: string): Program {
  const threads = text.split('|').map((thread) => {
    const words = thread.trim().split(/\s+/).filter(Boolean);
    if (words.length === 0) throw new CheckArgumentError(`a thread of "${text}" has nothing to do`);
    const last = words.pop() as string;
    const repeats: ThreadProgram['repeats'] = last.endsWith('*') ? 'for ever' : last.endsWith('...') ? 'at will' : 'not';
    return { operations: [...words, last.replace(/(\*|\.\.\.)$/, '')].map(parseAlternatives), repeats };
  });
  if (threads.length > MOST_THREADS) throw new CheckArgumentError(`${threads.length} threads; at most ${MOST_THREADS}`);
  const routines = threads.flatMap(({ operations }) => operations.flat().map(({ routine }) => routine));
  const usesAsync = routines.some((routine) => routine.startsWith('runAsync'));
  return { text, threads, usesAsync, mayDeadlock: routines.some((routine) => routine === 'runNestedRead' || routine === 'runAsyncInRead') };
}

function parseAlternatives(word: string): Operation[] {
  return word.split('/').flatMap((part) => (Object.hasOwn(SETS, part) ? SETS[part]! : [part])).map(parseOperation);
}

function parseOperation(word: string): Operation {
  const blocking = Object.hasOwn(BLOCKING, word) ? BLOCKING[word] : undefined;
  if (blocking) return blocking;
  const parts = word.split('+').map((part) => (Object.hasOwn(ASYNC, part) ? ASYNC[part] : undefined));
  const [a, b] = parts;
  if (!a || parts.length > 2 || (parts.length === 2 && !b)) {
    throw new CheckArgumentError(`there is no operation "${word}"; operations are: ${[...Object.keys(BLOCKING), ...Object.keys(ASYNC)].join(', ')}; two async ones pending at once: a+b; one or the other: a/b, ${Object.keys(SETS).join(', ')}; the last of a thread for ever: a*, as often as it likes: a...`);
  }
  return { routine: 'runAsync', args: [a.kind, b?.kind ?? 0, a.mayAbort | (b?.mayAbort ?? 0)] };
}

/** At least one of what it starts. */
export function isUrgent({ routine, args }: Operation): boolean {
  return routine.startsWith('runUrgent') || (routine === 'runAsync' && kindsOf(args).includes(URGENT_ASYNC_WRITE));
}

/** Threads that do nothing but what is urgent. */
export function urgentThreads({ threads }: Program): number[] {
  const isAll = ({ routine, args }: Operation): boolean => routine !== 'runAsync' || kindsOf(args).every((kind) => kind === URGENT_ASYNC_WRITE || kind === 0);
  return [...threads.keys()].filter((thread) => threads[thread]?.operations.flat().every((operation) => isUrgent(operation) && isAll(operation)));
}

function kindsOf(args: readonly number[]): readonly number[] {
  return args.slice(0, 2);
}
