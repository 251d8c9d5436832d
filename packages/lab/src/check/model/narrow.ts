/**
 * Numbers that only count turns, in six bits: one that is counted up for ever comes back to where it was after
 * 64 states instead of 2^32, so that what goes on for ever is a circle of states.
 *
 * Nothing else changes by it. Such a number is made of small constants, by `+`, `-` and shifts, and is compared
 * with small constants and others of its kind: steps that are smaller than 32 meet a number modulo 2^6 if and
 * only if they meet it modulo 2^32.
 */
import { binary, number } from '../../lower/expr.ts';
import { definition, type Expr, type Instruction, type Routine, uses } from '../../lower/ir.ts';

const BITS = 6;
const CUT = 32 - BITS;
/** Of a constant: more than the limits of loops in the model. */
const MOST = 16;
const COUNTS = new Set(['+', '-', '<<', '>>']);
const COMPARES = new Set(['===', '!==', '<', '<=', '>', '>=']);

/** The same routine with such numbers cut to six bits. */
export function narrowCounters(routine: Routine): Routine {
  const narrow = narrowLocals(routine);
  const code = routine.code.map((instruction): Instruction => {
    if (instruction.op !== 'set' || instruction.value.kind !== 'binary' || !narrow.has(instruction.to)) return instruction;
    return { ...instruction, value: binary('>>', binary('<<', instruction.value, number(CUT)), number(CUT)) };
  });
  return { ...routine, code };
}

/** All at first, less those that something else is done with, or comes from, until all are what they should be. */
function narrowLocals({ code, locals }: Routine): ReadonlySet<number> {
  const narrow = new Set(locals.keys());
  const isPlain = (expr: Expr): boolean => (expr.kind === 'number' ? Math.abs(expr.value) <= MOST : expr.kind === 'local' && narrow.has(expr.id));
  const isCount = (expr: Expr): boolean => {
    if (expr.kind !== 'binary') return isPlain(expr);
    // `(x + 1) | 0`
    if (expr.operator === '|') return expr.right.kind === 'number' && expr.right.value === 0 && isCount(expr.left);
    return COUNTS.has(expr.operator) && isPlain(expr.left) && isPlain(expr.right);
  };
  const isTest = (expr: Expr): boolean => {
    if (expr.kind === 'unary') return expr.operator === '!' && isTest(expr.operand);
    if (expr.kind !== 'binary') return isPlain(expr);
    if (expr.operator === '&') return isPlain(expr.left) && isPlain(expr.right);
    return COMPARES.has(expr.operator) && isTest(expr.left) && isTest(expr.right);
  };
  const isKept = (instruction: Instruction): boolean =>
    instruction.op === 'set' ? isCount(instruction.value) && narrow.has(instruction.to) : instruction.op === 'branch' && isTest(instruction.test);
  for (let size = -1; size !== narrow.size; ) {
    size = narrow.size;
    for (const instruction of code) if (!isKept(instruction)) for (const id of [definition(instruction), ...uses(instruction)]) narrow.delete(id);
  }
  return narrow;
}
