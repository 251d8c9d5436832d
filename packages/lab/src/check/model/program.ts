/** Programs: `read write | timedRead*`, what each thread does, one after the other. */
import { CheckArgumentError } from '../check-error.ts';

/** One operation: a routine of `operations.ts` with its last arguments. */
export interface Operation {
  routine: string;
  args: readonly number[];
}

export interface ThreadProgram {
  operations: Operation[];
  /** It repeats the last operation for ever. */
  loops: boolean;
}

export interface Program {
  text: string;
  threads: ThreadProgram[];
  usesAsync: boolean;
}

const BLOCKING: Readonly<Record<string, Operation>> = {
  read: { routine: 'runRead', args: [] },
  write: { routine: 'runWrite', args: [] },
  tryRead: { routine: 'runTryRead', args: [] },
  tryWrite: { routine: 'runTryWrite', args: [] },
  timedRead: { routine: 'runTimedRead', args: [] },
  timedWrite: { routine: 'runTimedWrite', args: [] },
  urgentWrite: { routine: 'runUrgentWrite', args: [] },
  downgrade: { routine: 'runDowngrade', args: [] },
  nestedRead: { routine: 'runNestedRead', args: [0] },
  timedNestedRead: { routine: 'runNestedRead', args: [1] },
  asyncInRead: { routine: 'runAsyncInRead', args: [] },
  probe: { routine: 'runProbe', args: [] },
};
const ASYNC: Readonly<Record<string, { kind: number; mayAbort: number }>> = {
  asyncRead: { kind: 1, mayAbort: 0 },
  asyncWrite: { kind: 2, mayAbort: 0 },
  abortRead: { kind: 1, mayAbort: 1 },
  abortWrite: { kind: 2, mayAbort: 1 },
};
export const MOST_THREADS = 8;

export function parseProgram(text: string): Program {
  const threads = text.split('|').map((thread) => {
    const words = thread.trim().split(/\s+/).filter(Boolean);
    if (words.length === 0) throw new CheckArgumentError(`a thread of "${text}" has nothing to do`);
    const loops = words.at(-1)?.endsWith('*') ?? false;
    return { operations: words.map((word, index) => parseOperation(index === words.length - 1 ? word.replace(/\*$/, '') : word)), loops };
  });
  if (threads.length > MOST_THREADS) throw new CheckArgumentError(`${threads.length} threads; at most ${MOST_THREADS}`);
  const usesAsync = threads.some(({ operations }) => operations.some(({ routine }) => routine.startsWith('runAsync')));
  return { text, threads, usesAsync };
}

function parseOperation(word: string): Operation {
  const blocking = BLOCKING[word];
  if (blocking) return blocking;
  const parts = word.split('+').map((part) => ASYNC[part]);
  const [a, b] = parts;
  if (!a || parts.length > 2 || (parts.length === 2 && !b)) {
    throw new CheckArgumentError(`there is no operation "${word}"; operations are: ${[...Object.keys(BLOCKING), ...Object.keys(ASYNC)].join(', ')}; two async ones pending at once: a+b; the last of a thread for ever: a*`);
  }
  return { routine: 'runAsync', args: [a.kind, b?.kind ?? 0, a.mayAbort | (b?.mayAbort ?? 0)] };
}
