import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Instruction, printRoutine } from '../dist/lower/ir.js';
import { lowerRoutine } from '../dist/lower/lower.js';
import { CoreLibrary } from '../dist/lower/module.js';
import { patchCore, readShippedCore, readSource } from '../dist/lower/source.js';
import type { Surroundings } from '../dist/lower/surroundings.js';
import { liveness, tidy } from '../dist/lower/tidy.js';

const LOCK = 64;
const PLAIN: Surroundings = {
  access: () => ({ kind: 'memory' }),
  call: (name) => (/^(clockMs|spinClockUs|pause)$/.test(name) ? { kind: 'any', values: [0] } : { kind: 'inline' }),
  isFrozen: () => false,
};
const shipped = readShippedCore();

function lower(name: string, args: number[], sources = shipped, surroundings = PLAIN) {
  return tidy(lowerRoutine(new CoreLibrary(sources), surroundings, name, LOCK, args));
}

function lowerSource(body: string) {
  const code = `export function sample(mem, lock, me, a) { ${body} }`;
  return lower('sample', [5], [...shipped, { name: 'sample.js', code, original: '', map: undefined }]);
}

function accesses(code: readonly Instruction[]): string[] {
  return code.flatMap((instruction) => (instruction.op === 'access' ? [instruction.access] : []));
}

test('the shipped slow paths are lowered, with the lines of the TypeScript', () => {
  const { code } = lower('writeSlow', [0, 1, 0]);
  assert.ok(code.length > 300);
  const wait = code.find((instruction) => instruction.op === 'access' && instruction.access === 'wait' && instruction.inside === 'sleep');
  assert.ok(wait?.op === 'access');
  assert.equal(wait.place.file, 'park.ts');
  assert.match(readSource('park.ts').split('\n')[wait.place.line - 1] as string, /Atomics\.wait/);
  assert.match(wait.place.text, /Atomics\.wait/);
});

test('what cannot be reached is left out: a read without a time limit has no code for cancelling', () => {
  const inside = (timed: number) =>
    new Set(lower('readSlow', [256, 0, 0, 0, timed, 0]).code.flatMap((instruction) => (instruction.op === 'access' ? [instruction.inside] : [])));
  assert.ok(inside(1).has('cancelWaiter'));
  assert.ok(!inside(0).has('cancelWaiter'));
});

test('accesses happen in the order of the source, the second of && only after the first', () => {
  const { code } = lowerSource('if (Atomics.load(mem, a) === 1 && Atomics.exchange(mem, a, 2) === 3) Atomics.store(mem, a, 4); Atomics.add(mem, a, 1);');
  assert.deepEqual(accesses(code), ['load', 'exchange', 'store', 'add']);
  const branches = code.filter((instruction) => instruction.op === 'branch');
  const add = code.findIndex((instruction) => instruction.op === 'access' && instruction.access === 'add');
  assert.deepEqual(branches.map(({ no }) => no), [add, add]);
});

test('loops with break and continue go where they should', () => {
  const { code } = lowerSource(`
    for (let i = Atomics.load(mem, 0); i < 9; i = (i + 1) | 0) {
      if (i === 3) continue;
      if (i === 5) break;
      Atomics.store(mem, a, i);
    }`);
  // Runs the graph, from 2: the stores are 2 and 4.
  const stored: number[] = [];
  const locals: number[] = [];
  const value = (expr: Parameters<typeof evaluate>[0]) => evaluate(expr, locals);
  for (let at = 0; ; ) {
    const instruction = code[at] as Instruction;
    if (instruction.op === 'end') break;
    if (instruction.op === 'branch') {
      at = value(instruction.test) ? instruction.yes : instruction.no;
      continue;
    }
    if (instruction.op === 'set') locals[instruction.to] = value(instruction.value);
    if (instruction.op === 'access' && instruction.access === 'load') locals[instruction.to] = 2;
    if (instruction.op === 'access' && instruction.access === 'store') stored.push(value(instruction.args[0] as never));
    at = instruction.next;
  }
  assert.deepEqual(stored, [2, 4]);
});

function evaluate(expr: import('../dist/lower/ir.js').Expr, locals: number[]): number {
  switch (expr.kind) {
    case 'number': return expr.value;
    case 'local': return locals[expr.id] as number;
    case 'me': return 128;
    case 'unary': return expr.operator === '!' ? Number(!evaluate(expr.operand, locals)) : -evaluate(expr.operand, locals);
    case 'binary': {
      const left = evaluate(expr.left, locals);
      const right = evaluate(expr.right, locals);
      if (expr.operator === '+') return left + right;
      if (expr.operator === '|') return left | right;
      if (expr.operator === '<') return Number(left < right);
      assert.equal(expr.operator, '===');
      return Number(left === right);
    }
  }
}

test('a local is live from where it is set to where it is read last', () => {
  const routine = lowerSource('const x = Atomics.load(mem, a); Atomics.store(mem, a, 1); Atomics.store(mem, a, x); Atomics.store(mem, a, 2);');
  assert.deepEqual(liveness(routine).map((ids) => ids.size), [0, 1, 1, 0, 0]);
});

test('what is outside the portable subset is refused with file, line and reason', () => {
  const outside: [string, RegExp][] = [
    ['const g = () => 1;', /sample\.js:1 .*ArrowFunctionExpression/],
    ['const o = a.b;', /property access/],
    ['let x = 1; x += 1;', /compound assignment/],
    ['Atomics.xor(mem, 0, 1);', /Atomics\.xor/],
    ['const t = Date.now();', /call of something other/],
    ['const t = 1.5;', /literal 1\.5/],
    ['sample(mem, lock, me, a);', /recursion: sample > sample/],
    ['nothing(mem);', /no function of the core/],
    ['try { a; } finally {}', /TryStatement/],
  ];
  for (const [body, reason] of outside) assert.throws(() => lowerSource(body), reason, body);
});

test('a patched source is built anew, and lines are those of the patched one', () => {
  const changed = readSource('release.ts').replace('  clearNonspinnable(mem, lock);\n', '\n\n  Atomics.store(mem, lock, 7);\n');
  const { code } = lower('wakeAfterRead', [], patchCore(shipped, new Map([['release.ts', changed]])));
  const store = code.find((instruction) => instruction.op === 'access' && instruction.access === 'store' && instruction.inside === 'wakeAfterRead');
  assert.ok(store?.op === 'access');
  assert.equal(store.place.text, 'Atomics.store(mem, lock, 7);');
});

test('an override must name a constant, of any file or of one', () => {
  for (const name of ['SPIN_LIMIT_US', 'spin.SPIN_LIMIT_US']) {
    assert.equal(new CoreLibrary(shipped, new Map([[name, 7]])).constantNamed('SPIN_LIMIT_US'), 7);
  }
  assert.throws(() => new CoreLibrary(shipped, new Map([['wake.SPIN_LIMIT_US', 7]])), /no constant wake\.SPIN_LIMIT_US/);
  assert.throws(() => new CoreLibrary(shipped, new Map([['NO_SUCH_LIMIT', 1]])), /no constant NO_SUCH_LIMIT/);
});

test('a routine prints with its accesses and their lines', () => {
  assert.match(printRoutine(lower('withdrawReader', [])), /sub \[64\] 256 +fast-path\.ts:\d+ .*Atomics\.sub/);
});
