/** Copies of the built library with one mistake in it, to see whether the stress would find it. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Policy } from 'rwsem';
import type { StressOptions } from '../../../lab/dist/torture/stress.js';

export interface Mistake {
  /** Completes "a lock that ...". */
  what: string;
  /** Below `core/`. */
  file: string;
  /** Must be there exactly once. */
  anchor: string;
  instead: string;
  /** Under which the mistake shows best. */
  policy: Partial<Policy>;
  /** What the stress says then. */
  shows: RegExp;
}

/** Stands for a thread that the system suspends at the wrong moment, which takes long to wait for. */
const SUSPENDED = 'for (let turns = 0; turns < 300_000; turns++) Atomics.load(mem, me);';

export const MISTAKES: readonly Mistake[] = [
  {
    what: 'does not try after it has queued a writer first',
    file: 'write.js',
    anchor: 'Atomics.or(mem, lock + COUNT, WAITERS);\n    }',
    instead: 'Atomics.or(mem, lock + COUNT, WAITERS);\n        unlockWaitLock(mem, lock);\n        return QUEUED;\n    }',
    policy: {},
    shows: /a hang: nobody has moved[^]*"mode":"free"[^]*"waiters":\[\{/,
  },
  {
    what: 'publishes the grants of readers before it counts them',
    file: 'wake.js',
    anchor: '    // One addition admits them all and settles the bits.\n',
    instead: `    for (waiter = first; waiter !== 0;) {
        const next = relaxedLoad(mem, waiter + NEXT);
        relaxedStore(mem, waiter + NEXT, 0);
        signal(mem, me, waiter, GRANTED);
        waiter = next;
    }
    first = 0;
    sendWakes(mem, me);
    ${SUSPENDED}
`,
    policy: {},
    shows: /TooManyReadersError|Violation|is not idle|a hang/,
  },
  {
    what: 'transfers the write lock without looking for readers',
    file: 'wake.js',
    anchor: '    for (;;) {\n        if (isHeld(count)) {',
    instead: '    for (;;) {\n        if (isWriteLocked(count)) {',
    policy: { writerWake: 'grant' },
    shows: /Violation/,
  },
  {
    what: 'wakes nobody after a downgrade',
    file: 'release.js',
    anchor: 'if (hasWaiters(before)) {',
    instead: 'if (hasWaiters(before) && false) {',
    policy: {},
    shows: /a downgrade left a reader waiting/,
  },
  {
    what: 'lets a woken writer look at the lock before it says so',
    file: 'write.js',
    anchor: `        if (word === WOKEN)
            Atomics.and(mem, lock + COUNT, ~WAKING);
        taken = tryWriteQueued(mem, lock, me, waiter);`,
    instead: `        taken = tryWriteQueued(mem, lock, me, waiter);
        if (word === WOKEN && !taken) {
            ${SUSPENDED}
        }
        if (word === WOKEN)
            Atomics.and(mem, lock + COUNT, ~WAKING);`,
    policy: {},
    shows: /a hang/,
  },
];

/** Makes a copy with the mistake, or without one; gives the URL of its index file to `use`. */
export async function withCopy<T>(mistake: Mistake | undefined, use: (library: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'rwsem-broken-'));
  try {
    await cp(new URL('.', import.meta.resolve('rwsem')), join(directory, 'dist'), { recursive: true });
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
    if (mistake) {
      const path = join(directory, 'dist', 'core', mistake.file);
      const source = await readFile(path, 'utf8');
      const parts = source.split(mistake.anchor);
      assert.equal(parts.length, 2, `the anchor must be in ${mistake.file} exactly once:\n${mistake.anchor}`);
      await writeFile(path, parts.join(mistake.instead));
    }
    return await use(pathToFileURL(join(directory, 'dist', 'index.js')).href);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export interface SliceOptions extends StressOptions {
  /** Slice after slice, until this much time is over or a failure shows. */
  forSeconds: number;
}

/**
 * Runs slices of the stress in a process of its own, since a broken lock may make any thread run in
 * circles. Resolves with the failure, or with '' if there was none.
 */
export function findFailure(options: SliceOptions): Promise<string> {
  const program = fileURLToPath(new URL('../workers/stress-slices.js', import.meta.url));
  const timeout = (options.forSeconds + options.seconds) * 1000 + options.hangMs + 30_000;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, JSON.stringify(options)], { timeout, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.killed) resolve(`a hang: the process had to be killed after ${timeout} ms\n${stdout}`);
      // Its event loop runs in circles; a thread beside it has seen that and ended the process.
      else if (stderr.startsWith('a hang: the event loop has been blocked')) resolve(stderr);
      else reject(new Error(`the stress did not run: ${error.message}\n${stderr}`));
    });
  });
}
