/** The lock that D1 calls "before" is checked like the shipped one: a comparison with a broken lock says nothing. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { explore } from '../dist/check/explore.js';
import { holdsOf, INSIDE } from '../dist/check/model/layout.js';
import { parseMode } from '../dist/check/model/mode.js';
import { Model } from '../dist/check/model/model.js';
import type { Program } from '../dist/check/model/program.js';
import { readBuilt, readShippedCore, type SourceFile } from '../dist/lower/source.js';
import { assertHeld } from './helpers/assert-held.ts';

const LIMITS = { mostStates: 3_000_000 };
const programs = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const lock = readBuilt(programs('../dist/sim/programs/'), 'bias-lock.js', programs('../src/sim/programs/'));
const operations: SourceFile = {
  name: 'bias-operations.js',
  original: '',
  map: undefined,
  seesAll: true,
  code: `
    function runBiasRead(mem, lock, me) {
      enterReaderBiased(mem, lock, me, 0, 0);
      entered(1);
      linger();
      const mustWake = releaseReadBiased(mem, lock);
      left(1);
      if (mustWake) wakeAfterBiasedRelease(mem, lock, me);
    }
    function runBiasWrite(mem, lock, me) {
      enterWriterBiased(mem, lock, me, 0);
      entered(16);
      linger();
      const mustWake = releaseWriteBiased(mem, lock);
      left(16);
      if (mustWake) wakeAfterBiasedRelease(mem, lock, me);
    }`,
};

function run(text: string, source: SourceFile) {
  const threads = text.split('|').map((thread) => ({
    operations: thread.trim().split(' ').map((name) => [{ routine: name === 'read' ? 'runBiasRead' : 'runBiasWrite', args: [] }]),
    repeats: 'not' as const,
  }));
  const program: Program = { text, threads, usesAsync: false, mayDeadlock: false };
  const model = new Model([...readShippedCore(), source, operations], parseMode('spin'), [program]);
  const { runtime, invariants, layout } = model;
  // The bits of the shipped word are not those of this one. Who is inside is the same.
  runtime.countChanged = () => {};
  invariants.queue = () => null;
  invariants.quiet = () => null;
  invariants.exclusion = (count, blockWords) => {
    let [readers, writers] = [0, 0];
    for (let thread = 0; thread < count; thread++) {
      const { reads, writes } = holdsOf(runtime.state[layout.lockWords + thread * blockWords + INSIDE]!);
      readers += reads;
      writers += writes;
    }
    return writers > 1 || (writers === 1 && readers > 0) ? { property: 'MUTEX', text: `${writers} writers and ${readers} readers are inside` } : null;
  };
  return explore(model.load(program), LIMITS);
}

const PROGRAMS: Array<[program: string, states: number]> = [
  ['read write | write read', 2000],
  ['write write | write read', 2000],
  ['read | read | write', 5000],
  ['read | write | write', 15_000],
];
for (const [text, states] of PROGRAMS) {
  test(`the old count word keeps its promises in every interleaving of ${text}`, () => {
    assertHeld(run(text, lock), states);
  });
}

/** Each is one mistake: what it says in the built file, what it would say, and what is seen of it. */
const MISTAKES: Array<[name: string, find: string, replace: string, program: string, property: string]> = [
  ['a writer that is let in beside readers', '=== WRITE_BIAS)\n        recordWriter', '< 0)\n        recordWriter', 'read | write', 'MUTEX'],
  ['a reader that lets itself in beside a writer', '+ 1) | 0) < 0)', '+ 1) | 0) > 65536)', 'read | write', 'MUTEX'],
  ['a last writer that does not wake', '- WRITE_BIAS) | 0) < 0', '- WRITE_BIAS) | 0) > 0', 'write | read', 'LOST'],
  ['a first reader that queues and does not look whether anybody is left to wake it', 'if (count === WAITING_BIAS ||', 'if (false ||', 'read | write', 'LOST'],
];
for (const [name, find, replace, program, property] of MISTAKES) {
  test(`${name} is found out`, () => {
    const parts = lock.code.split(find);
    assert.equal(parts.length, 2, 'the text of the mistake is not there once');
    const found = run(program, { ...lock, code: parts.join(replace), map: undefined });
    assert.equal(found.failure?.property, property, JSON.stringify(found));
    assert.ok(found.schedule.length > 0);
  });
}
