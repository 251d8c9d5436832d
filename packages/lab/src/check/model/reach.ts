/**
 * What a thread can come to before an access that orders: which words it may still read plainly, and whether
 * it matters that a store of it takes effect late. On the graph, so that more is found than there is.
 */
import { addressOf, type Address } from '../../lower/expr.ts';
import { type AccessKind, type Expr, type Instruction, type Routine, successors } from '../../lower/ir.ts';
import { ASYNC_WAITERS_AT, type Layout } from './layout.ts';
import type { Stop } from './stop.ts';

/** A word that only its own thread uses. */
export function isPrivate(at: Expr, layout: Layout): boolean {
  const { base, offset } = addressOf(at);
  if (base === 'me') return !layout.seenByOthers.has(offset) && (offset < layout.word('BLOCKING_WAITER') || (offset > layout.word('BLOCKING_WAITER') + layout.word('WAITER_WORDS') && offset < ASYNC_WAITERS_AT));
  // The wake list: me + WAKE_LIST + i.
  return at.kind === 'binary' && at.left.kind === 'binary' && at.left.left.kind === 'me';
}

export function isRelaxed(access: AccessKind): boolean {
  return access === 'relaxedLoad' || access === 'relaxedStore';
}

/** Plain reads after it come after it: all but plain accesses and an atomic store, which only releases. */
export function acquires(access: string): boolean {
  return !['relaxedLoad', 'relaxedStore', 'store', 'linger'].includes(access);
}

/** Plain stores before it take effect before it: all but plain accesses and an atomic load, which only acquires. */
export function releases(access: string): boolean {
  return !['relaxedLoad', 'relaxedStore', 'load', 'linger'].includes(access);
}

/** A plain read that is ahead. */
export type PlainRead = Address | 'anywhere';

/** By stop: the plain reads that are ahead of it before an access that acquires. */
export interface Ahead {
  /** With the access of the stop itself. */
  from: readonly PlainRead[];
  /** After it. A read that comes next reads early anyway, if its thread goes first. */
  after: readonly PlainRead[];
}

export function readsAhead(stops: readonly Stop[], layout: Layout): Ahead[] {
  const known = stops.map(({ routine, at, access, alternatives, chains }): Ahead => {
    if (alternatives || routine.code.length === 0) return { from: [], after: [] };
    const from = plainReads(routine, [at], layout);
    const instruction = routine.code[at] as Instruction;
    const after = chains ? from : acquires(access) ? [] : plainReads(routine, successors(instruction), layout);
    return { from, after };
  });
  return stops.map(({ alternatives }, number) => {
    const here = known[number] as Ahead;
    if (!alternatives) return here;
    const all = alternatives.flatMap((stop) => known[stop]?.from ?? []);
    return { from: all, after: all };
  });
}

function plainReads(routine: Routine, starts: readonly number[], layout: Layout): PlainRead[] {
  const found = new Map<string, PlainRead>();
  walk(routine, starts, (instruction) => {
    if (instruction.op === 'intrinsic') return instruction.name !== 'lockWaitLock';
    if (instruction.op !== 'access') return true;
    const { access, at } = instruction;
    if (access === 'relaxedLoad' && !isPrivate(at, layout)) {
      const read = addressOf(at);
      const isField = at.kind === 'local' || (at.kind === 'binary' && at.operator === '+' && at.left.kind === 'local' && at.right.kind === 'number');
      if (read.base === 'unknown' && !isField) found.set('anywhere', 'anywhere');
      else found.set(`${read.base} ${read.offset}`, read);
    }
    return !acquires(access);
  });
  return [...found.values()];
}

/** Is there anything that a store before it can be late for? */
export function mattersIfLate(routine: Routine, next: number, layout: Layout): boolean {
  let matters = false;
  walk(routine, [next], (instruction) => {
    if (instruction.op === 'intrinsic' && instruction.name === 'lockWaitLock') return false;
    // The next operation may begin with an access that waits for nothing.
    if (instruction.op === 'end') matters = true;
    if (instruction.op !== 'access') return true;
    const { access, at } = instruction;
    if (isRelaxed(access) && isPrivate(at, layout)) return true;
    if (!releases(access)) matters = true;
    return false;
  });
  return matters;
}

function walk(routine: Routine, starts: readonly number[], goesOn: (instruction: Instruction) => boolean): void {
  const reached = new Set<number>();
  const todo = [...starts];
  for (let index = todo.pop(); index !== undefined; index = todo.pop()) {
    if (reached.has(index)) continue;
    reached.add(index);
    const instruction = routine.code[index] as Instruction;
    if (goesOn(instruction)) todo.push(...successors(instruction));
  }
}
