/** The mode `delayed`: accesses to words that are shared, as calls of `delays.ts`. */
import type { Expr, Instruction, Routine } from '../../lower/ir.ts';
import { LOCK_AT, type Layout } from './layout.ts';
import { isPrivate, isRelaxed, mattersIfLate } from './reach.ts';

export interface Written {
  js(expr: Expr): string;
  /** The place in the vector, of an ordinary access and of sleepers. */
  place: string;
  bell: string;
}

/** Everything but what reads and writes at once, and words that are not shared: null. */
export function delayedAccess(instruction: Instruction & { op: 'access' }, routine: Routine, layout: Layout, { js, place, bell }: Written): string | null {
  const { access, at, args, to, next } = instruction;
  if (isRelaxed(access) && isPrivate(at, layout)) return null;
  const result = to >= 0 ? `v${to} = ` : '';
  const value = args[0] && js(args[0]);
  switch (access) {
    case 'relaxedLoad': return `${result}R.delays.load(${js(at)}, me, b);`;
    case 'load': return `${result}R.delays.loadAtomically(${js(at)}, me, b);`;
    case 'relaxedStore': return `R.delays.store(${js(at)}, ${value}, me, b, ${mattersIfLate(routine, next, layout)});`;
    case 'store': {
      const tell = at.kind === 'number' && at.value === LOCK_AT ? 'R.countChanged(o, me, b)' : `R.signalled(${js(at)}, ${value})`;
      return `{ const p = ${place}; const o = S[p]; S[p] = ${value}; ${tell}; R.delays.stored(${js(at)}, p, o, b); }`;
    }
    case 'notify': return `R.delays.notified(R.notify(${bell}, ${value ?? 'Infinity'}), b);`;
    default: return null;
  }
}

/** Around an operation that reads and writes: what is told of it afterwards. */
export function delayedExchange({ access, at, args }: Instruction & { op: 'access' }, js: (expr: Expr) => string): { before: string; after: string } {
  const hasWritten = access === 'compareExchange' ? `o === (${js(args[0] as Expr)})` : 'true';
  return { before: ` const q = ${js(at)}, w = ${hasWritten};`, after: ' R.delays.exchanged(q, p, o, w, b);' };
}
