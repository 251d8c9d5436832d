import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';
import { applyMutation, type Mutation, MUTATIONS, NOT_APPLICABLE } from '../dist/check/mutations/index.js';
import { SubsetCheck } from '../../rwsem/dist-test/helpers/core-subset.js';

const CORE = new URL('../../rwsem/src/core/', import.meta.url);
const LAST_BUG = 42;
const OPERATIONS = new Set(
  ('read write tryRead tryWrite timedRead timedWrite urgentRead urgentWrite downgrade asyncRead asyncWrite urgentAsyncWrite abortRead abortWrite ' +
    'nestedRead timedNestedRead asyncInRead probe spinTurn').split(' '),
);
const MODES = /^(grant|spin|one-core|handoff:(now|due|off)|batch:\d+|readers:[13]|owner|wait-lock|spurious|delayed|split|ready|bypass|alone|fair|impatient|patient|no-park|bounded|by-clock)$/;

const read = (file: string): string => readFileSync(new URL(file, CORE), 'utf8');

function build(source: string): { output: string; errors: number } {
  const { outputText, diagnostics } = ts.transpileModule(source, {
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ES2022,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      removeComments: true,
    },
  });
  return { output: outputText, errors: diagnostics?.length ?? 0 };
}

const broken = (find: string, file = 'wake.ts'): Mutation => ({
  id: 'sample',
  title: 'sample',
  source: 'ours',
  bugs: [],
  edits: [{ file, find, replace: '' }],
  expect: { uncaught: 'sample' },
});

test('every anchor of every mutation is in the shipped source exactly once', () => {
  assert.ok(MUTATIONS.length > 100);
  for (const mutation of MUTATIONS) {
    assert.ok(mutation.edits.length > 0, mutation.id);
    applyMutation(mutation, read);
  }
});

test('an anchor that is gone, or there twice, is an error that names mutation and file', () => {
  assert.throws(() => applyMutation(broken('no such text'), read), /sample.*0 times in wake\.ts/);
  assert.throws(() => applyMutation(broken('relaxedLoad'), read), /sample.*\d+ times in wake\.ts, not once/);
});

test('edits of one file build on each other, and other files stay out', () => {
  const mutation = broken('b');
  const chained = { ...mutation, edits: [{ file: 'x.ts', find: 'b', replace: 'cc' }, { file: 'x.ts', find: 'ccd', replace: 'e' }] };
  assert.deepEqual([...applyMutation(chained, () => 'abd')], [['x.ts', 'ae']]);
});

test('no two mutations have one name, or make the same change', () => {
  const ids = new Set<string>();
  const changes = new Set<string>();
  for (const mutation of MUTATIONS) {
    assert.match(mutation.id, /^[a-z]+(-[a-z]+)*$/);
    assert.ok(!ids.has(mutation.id), mutation.id);
    ids.add(mutation.id);
    const change = JSON.stringify([...applyMutation(mutation, read)]);
    assert.ok(!changes.has(change), `${mutation.id} makes the change of another`);
    changes.add(change);
  }
});

test('every bug of the catalogue has a mutation, or a reason why it has none', () => {
  const mutated = new Set(MUTATIONS.flatMap(({ bugs }) => bugs));
  const excused = new Set(NOT_APPLICABLE.map(({ bug }) => bug));
  for (let bug = 1; bug <= LAST_BUG; bug++) {
    assert.ok(mutated.has(bug) !== excused.has(bug), `bug ${bug}: ${mutated.has(bug) ? 'both' : 'neither'}`);
  }
  assert.ok([...mutated, ...excused].every((bug) => bug >= 1 && bug <= LAST_BUG));
  for (const { bug, reason } of NOT_APPLICABLE) assert.ok(reason.length > 40, `bug ${bug}`);
});

test('every mutation changes what is built, and stays inside the portable subset', () => {
  for (const mutation of MUTATIONS) {
    for (const [file, source] of applyMutation(mutation, read)) {
      const { output, errors } = build(source);
      assert.equal(errors, 0, `${mutation.id}: ${file} does not parse`);
      assert.notEqual(output, build(read(file)).output, `${mutation.id}: ${file} is as before`);
      const { findings } = new SubsetCheck(file.replace(/\.ts$/, '.js'), output);
      assert.deepEqual(findings, [], `${mutation.id}: ${file}`);
    }
  }
});

test('every expectation is a program and a mode in the words of the checker, or a reason', () => {
  for (const { id, expect } of MUTATIONS) {
    if ('uncaught' in expect) {
      assert.ok(expect.uncaught.length > 20, id);
      continue;
    }
    for (const thread of expect.program.split('|')) {
      for (const operation of thread.trim().split(' ')) {
        for (const part of operation.replace(/(\*|\.\.\.)$/, '').split('+')) assert.ok(OPERATIONS.has(part), `${id}: ${part}`);
      }
    }
    for (const word of expect.mode?.split(' ') ?? []) assert.match(word, MODES, id);
    if (expect.property === 'STARVE') assert.match(expect.program, /\*/, `${id}: only who loops can starve others`);
  }
});
