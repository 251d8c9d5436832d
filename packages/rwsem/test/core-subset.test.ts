/**
 * The core has to run on threads, in a model checker and on a simulated machine: the built files must
 * stay inside the portable subset (DESIGN.md, "The portable core").
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ENVIRONMENT, SubsetCheck } from './helpers/core-subset.ts';

const CORE = new URL('../dist/core/', import.meta.url);

function checkSource(source: string): string[] {
  return new SubsetCheck('sample.js', source).findings.map(({ reason }) => reason);
}

const files = readdirSync(CORE).filter((name) => name.endsWith('.js') && name !== ENVIRONMENT);

test('every built file of the core is inside the portable subset', () => {
  assert.ok(files.length > 10, 'the core has been built');
  const findings = files.flatMap((file) =>
    new SubsetCheck(file, readFileSync(new URL(file, CORE), 'utf8')).findings.map(({ line, reason }) => `${file}:${line} ${reason}`),
  );
  assert.deepEqual(findings, []);
});

test('no function of the core calls itself, directly or through others', () => {
  const calls = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [name, callees] of new SubsetCheck(file, readFileSync(new URL(file, CORE), 'utf8')).calls) {
      assert.ok(!calls.has(name), `${name} is defined once`);
      calls.set(name, callees);
    }
  }
  const done = new Set<string>();
  const visit = (name: string, path: string[]): void => {
    assert.ok(!path.includes(name), `recursion: ${[...path, name].join(' > ')}`);
    if (done.has(name)) return;
    for (const callee of calls.get(name) ?? []) visit(callee, [...path, name]);
    done.add(name);
  };
  for (const name of calls.keys()) visit(name, []);
});

test('the check refuses what is outside the subset', () => {
  const outside: Record<string, string> = {
    'a closure': 'function f(mem) { const g = () => 1; return 1; }',
    'an object': 'function f(mem) { const o = { a: 1 }; return 1; }',
    'a plain access to the memory': 'function f(mem) { return mem[3]; }',
    'another Atomics operation': 'function f(mem) { return Atomics.xor(mem, 0, 1); }',
    'a default argument': 'function f(mem, a = 1) { return a; }',
    'a string': "function f(mem) { return 'x'; }",
    'a fraction': 'function f(mem) { return 1.5; }',
    'an exception': 'function f(mem) { throw 1; }',
    'module state': 'let counter = 0; function f(mem) { counter = 1; return counter; }',
    'a global': 'function f(mem) { return Date.now(); }',
    'a compound assignment': 'function f(mem, a) { a += 1; return a; }',
    'a package import': "import { x } from 'node:fs'; function f(mem) { return x(1); }",
  };
  for (const [what, source] of Object.entries(outside)) assert.notDeepEqual(checkSource(source), [], what);
  assert.deepEqual(checkSource('const A = 1; function f(mem, at) { let i = A; while (i < 3) { i = (i + 1) | 0; } return Atomics.load(mem, at + i); }'), []);
});
