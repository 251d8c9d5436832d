/**
 * Spin loops, so that the machine can do many turns of one at once.
 *
 * While nobody writes to the lines that a spin loop reads, its turns differ in two things only: counters
 * that grow by the same amount, and readings of the clock. Both may be used only where it can be said
 * beforehand in which turn the outcome will change: comparisons of a counter with something else, masks of
 * a counter, and `((clock - then) | 0) > limit`. A loop that uses them otherwise is simulated turn by turn.
 *
 * That a turn does nothing else is not decided here but seen by the machine, turn by turn.
 */
import type { AnyNode, AssignmentExpression, BinaryExpression, Expression } from 'acorn';
import { calleeOf, children, collect } from './analysis.ts';
import type { Module } from './modules.ts';
import { CLOCK_US } from './operations.ts';

export interface SpinLoop {
  level: 0 | 1;
  /** Names of locals. */
  counters: string[];
  clocks: string[];
  counterBounds: Array<{ counter: string; operator: string; bound: Expression }>;
  clockBounds: Array<{ since: Expression; limit: Expression }>;
}

export function analyseSpinLoop(module: Module, loop: AnyNode, level: 0 | 1, isLocal: (name: string) => boolean): SpinLoop | null {
  const assignments = collect(loop, (node): node is AssignmentExpression => node.type === 'AssignmentExpression');
  const names = new Set<string>();
  for (const { left } of assignments) if (left.type === 'Identifier' && isLocal(left.name)) names.add(left.name);
  const of = (name: string) => assignments.filter(({ left }) => left.type === 'Identifier' && left.name === name);
  const counters = [...names].filter((name) => of(name).every((node) => isStep(node, name)));
  const clocks = new Set<string>();
  some(loop, (node) => {
    if (node.type !== 'VariableDeclaration') return;
    for (const { id, init } of node.declarations) if (id.type === 'Identifier' && init != null && isClock(module, init)) clocks.add(id.name);
  });

  const result: SpinLoop = { level, counters, clocks: [...clocks], counterBounds: [], clockBounds: [] };
  return check(loop) ? result : null;

  function check(node: AnyNode): boolean {
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') {
      if (counters.includes(node.left.name)) return true;
      // `since = now`: noticed by the machine if it happens, since the local changes.
      if (node.right.type === 'Identifier' && clocks.has(node.right.name)) return true;
    }
    if (node.type === 'VariableDeclarator' && node.init != null && isClock(module, node.init)) return true;
    if (node.type === 'BinaryExpression') {
      if (isMask(node, counters)) return true;
      if (isComparison(node)) {
        if (node.left.type === 'Identifier' && counters.includes(node.left.name)) {
          result.counterBounds.push({ counter: node.left.name, operator: node.operator, bound: node.right });
          return check(node.right);
        }
        const since = elapsedSince(module, node.left as Expression, clocks);
        if (since !== null && node.operator === '>') {
          result.clockBounds.push({ since, limit: node.right });
          return check(since) && check(node.right);
        }
      }
    }
    if (node.type === 'Identifier') return !counters.includes(node.name) && !clocks.has(node.name);
    if (isClock(module, node)) return false;
    return children(node).every(check);
  }
}

function some(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node);
  for (const child of children(node)) some(child, visit);
}

/** `i = (i + step) | 0` */
function isStep({ right, operator }: AssignmentExpression, name: string): boolean {
  if (operator !== '=' || right.type !== 'BinaryExpression' || right.operator !== '|') return false;
  const sum = right.left;
  return sum.type === 'BinaryExpression' && sum.operator === '+' && sum.left.type === 'Identifier' && sum.left.name === name;
}

function isMask(node: BinaryExpression, counters: string[]): boolean {
  return node.operator === '&' && node.left.type === 'Identifier' && counters.includes(node.left.name);
}

function isComparison({ operator }: BinaryExpression): boolean {
  return operator === '<' || operator === '>';
}

function isClock(module: Module, node: AnyNode): boolean {
  if (node.type !== 'CallExpression') return false;
  const callee = calleeOf(module, node);
  return callee !== undefined && callee !== 'atomics' && callee.kind === 'intrinsic' && callee.operation === CLOCK_US;
}

/** The `then` of `(clock - then) | 0`. */
function elapsedSince(module: Module, node: Expression, clocks: Set<string>): Expression | null {
  if (node.type !== 'BinaryExpression' || node.operator !== '|') return null;
  const difference = node.left;
  if (difference.type !== 'BinaryExpression' || difference.operator !== '-') return null;
  const { left, right } = difference;
  const isNow = isClock(module, left) || (left.type === 'Identifier' && clocks.has(left.name));
  return isNow ? right : null;
}
