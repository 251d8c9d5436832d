/** Making pure expressions: folded as far as they are known. */
import type { Expr } from './ir.ts';
import { compute } from './module.ts';

export const ME: Expr = { kind: 'me' };

export function number(value: number): Expr {
  return { kind: 'number', value };
}

export function local(id: number): Expr {
  return { kind: 'local', id };
}

export function unary(operator: '-' | '~' | '!', operand: Expr): Expr {
  if (operand.kind === 'number') {
    const { value } = operand;
    return number(operator === '-' ? -value : operator === '~' ? ~value : Number(value === 0));
  }
  return { kind: 'unary', operator, operand };
}

export function binary(operator: string, left: Expr, right: Expr): Expr {
  if (left.kind === 'number' && right.kind === 'number') {
    const value = compute(operator, left.value, right.value);
    if (value !== undefined) return number(value);
  }
  if (right.kind === 'number') {
    if (right.value === 0 && (operator === '+' || operator === '-')) return left;
    // (x + a) + b is x + (a + b): addresses become a base and one offset.
    if (operator === '+' && left.kind === 'binary' && left.operator === '+' && left.right.kind === 'number') {
      return binary('+', left.left, number(left.right.value + right.value));
    }
  }
  return { kind: 'binary', operator, left, right };
}

/** Short enough to be written out wherever it is used. */
export function isSmall(expr: Expr): boolean {
  if (expr.kind === 'binary') return expr.operator === '+' && expr.right.kind === 'number' && expr.left.kind !== 'binary' && isSmall(expr.left);
  return expr.kind !== 'unary';
}

/** Where an address points: into the header or a lock, into this thread's own record, or it is not known. */
export type Address = { base: 'absolute' | 'me'; offset: number } | { base: 'unknown'; offset: number };

export function addressOf(expr: Expr): Address {
  if (expr.kind === 'number') return { base: 'absolute', offset: expr.value };
  if (expr.kind === 'me') return { base: 'me', offset: 0 };
  if (expr.kind === 'binary' && expr.operator === '+' && expr.right.kind === 'number') {
    return { base: expr.left.kind === 'me' ? 'me' : 'unknown', offset: expr.right.value };
  }
  return { base: 'unknown', offset: 0 };
}
