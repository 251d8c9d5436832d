/**
 * The intermediate form: one flat graph of instructions per routine, all calls inlined.
 *
 * A *routine* is an operation as a thread runs it, from its first access to its last. Its locals are
 * numbered; expressions are pure, so that everything that touches shared memory, or asks the
 * surroundings, is an instruction of its own. `printRoutine` writes it out:
 *
 *      12  v3 = add [64] 256               fast-path.ts:50  const count = (Atomics.add(mem, lock, ...
 *      13  if ((v3 & -2147483641) === 0) 20 else 14
 *
 * Numbers at the left are the targets of jumps; without one an instruction goes on to the next.
 */
import type { Place } from './module.ts';

export type Expr =
  | { kind: 'number'; value: number }
  | { kind: 'local'; id: number }
  /** The agent record of the thread that runs. */
  | { kind: 'me' }
  | { kind: 'unary'; operator: '-' | '~' | '!'; operand: Expr }
  | { kind: 'binary'; operator: string; left: Expr; right: Expr };

export type AccessKind =
  | 'load' | 'store' | 'add' | 'sub' | 'and' | 'or' | 'exchange' | 'compareExchange'
  | 'wait' | 'notify' | 'relaxedLoad' | 'relaxedStore';

export type Instruction =
  | { op: 'set'; to: number; value: Expr; next: number }
  | { op: 'branch'; test: Expr; yes: number; no: number }
  /** `to` is -1 if nobody wants the result. `args`: after the address. */
  | { op: 'access'; access: AccessKind; at: Expr; args: Expr[]; to: number; next: number; place: Place; inside: string }
  /** One of these values; which, is anybody's choice. */
  | { op: 'choose'; values: readonly number[]; to: number; next: number; place: Place }
  /** Supplied by whoever runs the routine: a ghost statement, or a step that replaces code. */
  | { op: 'intrinsic'; name: string; args: Expr[]; to: number; next: number; place: Place }
  | { op: 'nop'; next: number }
  | { op: 'end' };

export interface Routine {
  name: string;
  entry: number;
  code: Instruction[];
  /** Names of the locals by number, for people. */
  locals: string[];
}

export function successors(instruction: Instruction): number[] {
  if (instruction.op === 'end') return [];
  if (instruction.op === 'branch') return [instruction.yes, instruction.no];
  return [instruction.next];
}

/** The locals an instruction reads. */
export function uses(instruction: Instruction): number[] {
  const found: number[] = [];
  if (instruction.op === 'set') collectLocals(instruction.value, found);
  else if (instruction.op === 'branch') collectLocals(instruction.test, found);
  else if (instruction.op === 'access') for (const part of [instruction.at, ...instruction.args]) collectLocals(part, found);
  else if (instruction.op === 'intrinsic') for (const part of instruction.args) collectLocals(part, found);
  return found;
}

/** The local an instruction writes, or -1. */
export function definition(instruction: Instruction): number {
  return 'to' in instruction ? instruction.to : -1;
}

function collectLocals(expr: Expr, into: number[]): void {
  if (expr.kind === 'local') into.push(expr.id);
  else if (expr.kind === 'unary') collectLocals(expr.operand, into);
  else if (expr.kind === 'binary') {
    collectLocals(expr.left, into);
    collectLocals(expr.right, into);
  }
}

export function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'number': return String(expr.value);
    case 'local': return `v${expr.id}`;
    case 'me': return 'me';
    case 'unary': return `${expr.operator}${printExpr(expr.operand)}`;
    case 'binary': return `(${printExpr(expr.left)} ${expr.operator} ${printExpr(expr.right)})`;
  }
}

export function printRoutine(routine: Routine): string {
  const lines = [`routine ${routine.name}, entry ${routine.entry}`];
  routine.code.forEach((instruction, index) => {
    const to = 'to' in instruction && instruction.to >= 0 ? `v${instruction.to} = ` : '';
    let text: string;
    switch (instruction.op) {
      case 'set': text = `${to}${printExpr(instruction.value)}`; break;
      case 'branch': text = `if ${printExpr(instruction.test)} ${instruction.yes} else ${instruction.no}`; break;
      case 'access': text = `${to}${instruction.access} [${printExpr(instruction.at)}] ${instruction.args.map(printExpr).join(' ')}`; break;
      case 'choose': text = `${to}one of ${instruction.values.join(' ')}`; break;
      case 'intrinsic': text = `${to}${instruction.name}(${instruction.args.map(printExpr).join(', ')})`; break;
      default: text = instruction.op;
    }
    if ('next' in instruction && instruction.next !== index + 1) text += ` -> ${instruction.next}`;
    const place = 'place' in instruction ? `  ${instruction.place.file}:${instruction.place.line}  ${instruction.place.text}` : '';
    lines.push(`${String(index).padStart(5)}  ${place ? text.padEnd(44) + place : text}`);
  });
  return lines.join('\n');
}
