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
import { binary, local, number } from '../../lower/expr.ts';
import { definition, type Expr, type Instruction, type Routine } from '../../lower/ir.ts';
import { loopsOf, type GraphLoop } from '../../lower/loops.ts';
import { liveness } from '../../lower/tidy.ts';
import { BEGIN_SPIN_INTRINSIC, SPIN_INTRINSIC } from './operations.ts';

/** Where the outcome changes: when the counter passes the value, or the clock, in microseconds. */
export type Bound = { counter: number; operator: string; value: Expr } | { deadlineUs: Expr };

export interface SpinLoop {
  /** 0: nothing in it spins. 1: a loop around such a loop. */
  level: 0 | 1;
  /** Locals that must be the same after a turn, and those that may have grown. */
  steady: number[];
  counters: number[];
  /** They hold for every turn. */
  bounds: Bound[];
  /** Locals that hold the value of a bound if the turn has come to its comparison, and NO_BOUND if not. */
  seen: number[];
}

/** Of a local in `seen`: later than any deadline that can come, more than any counter. */
export const NO_BOUND = 0x7fffffff;

interface Found {
  bound: Bound;
  at: number;
}

/** Puts an intrinsic in front of each header, with what the machine has to know about the loop, and one where it is entered. */
export function markSpinLoops(routine: Routine): { routine: Routine; spinLoops: SpinLoop[] } {
  const code = routine.code.slice();
  const locals = routine.locals.slice();
  const loops = loopsOf(routine);
  const isPausing = ({ body }: GraphLoop) => [...body].some((index) => isIntrinsic(code[index]!, 'pause'));
  const pausing = loops.filter(isPausing);
  const levels = new Map<GraphLoop, number>();
  for (const loop of pausing.sort((a, b) => a.body.size - b.body.size)) {
    const inner = pausing.filter((other) => other !== loop && loop.body.has(other.header)).map((other) => levels.get(other)!);
    levels.set(loop, inner.length === 0 ? 0 : Math.max(...inner) + 1);
  }
  const live = liveness(routine);
  const analysed = pausing.flatMap((loop) => {
    const level = levels.get(loop)!;
    const analysis = level > 1 ? null : analyse(routine.code, loop, live[loop.header]!);
    return analysis === null ? [] : [{ ...analysis, header: loop.header, body: loop.body, level: level as 0 | 1 }];
  });
  const before = (index: number, instruction: Extract<Instruction, { op: 'set' | 'intrinsic' }>): void => {
    code.push(code[index]!);
    code[index] = { ...instruction, next: code.length - 1 };
  };
  let { entry } = routine;
  for (const { header, body, level, place } of analysed) {
    const begin = code.push({ op: 'intrinsic', name: BEGIN_SPIN_INTRINSIC, args: [number(level)], to: -1, next: header, place }) - 1;
    const lead = (to: number) => (to === header ? begin : to);
    entry = lead(entry);
    for (let index = 0; index < begin; index++) if (!body.has(index)) code[index] = redirected(code[index]!, lead);
  }
  const spinLoops = analysed.map(({ level, steady, counters, always, sometimes, place }, id) => {
    const seen = sometimes.map(({ bound, at }) => {
      const to = locals.push('bound') - 1;
      before(at, { op: 'set', to, value: 'deadlineUs' in bound ? bound.deadlineUs : bound.value, next: -1 });
      return { ...bound, ['deadlineUs' in bound ? 'deadlineUs' : 'value']: local(to), to };
    });
    const bounds = [...always.map(({ bound }) => bound), ...seen];
    return { id, place, level, steady, counters, bounds, seen: seen.map(({ to }) => to) };
  });
  for (const { id, place, steady, counters, bounds } of spinLoops) {
    const args = [number(id), ...[...steady, ...counters].map(local), ...bounds.map((bound) => ('deadlineUs' in bound ? bound.deadlineUs : bound.value))];
    before(analysed[id]!.header, { op: 'intrinsic', name: SPIN_INTRINSIC, args, to: -1, next: -1, place });
  }
  return { routine: { ...routine, entry, code, locals }, spinLoops };
}

function redirected(instruction: Instruction, lead: (to: number) => number): Instruction {
  if (instruction.op === 'branch') return { ...instruction, yes: lead(instruction.yes), no: lead(instruction.no) };
  return 'next' in instruction ? { ...instruction, next: lead(instruction.next) } : instruction;
}

function isIntrinsic(instruction: Instruction, name: string): boolean {
  return instruction.op === 'intrinsic' && instruction.name === name;
}

function analyse(code: readonly Instruction[], { body }: GraphLoop, liveAtHeader: ReadonlySet<number>) {
  const definitions = new Map<number, Instruction[]>();
  for (const index of body) {
    const instruction = code[index]!;
    const to = definition(instruction);
    if (to >= 0) definitions.set(to, [...(definitions.get(to) ?? []), instruction]);
  }
  const having = (test: (instruction: Instruction, id: number) => boolean) =>
    new Set([...definitions].filter(([id, all]) => all.every((instruction) => test(instruction, id))).map(([id]) => id));
  const clocks = having((instruction) => isIntrinsic(instruction, 'spinClockUs'));
  const counters = having((instruction, id) => liveAtHeader.has(id) && instruction.op === 'set' && isStep(instruction.value, id));
  const isCounter = (expr: Expr) => expr.kind === 'local' && counters.has(expr.id);
  const isClock = (expr: Expr) => expr.kind === 'local' && clocks.has(expr.id);

  const found: Found[] = [];
  let masks = 0;
  const check = (expr: Expr, at: number): boolean => {
    if (expr.kind === 'local') return !counters.has(expr.id) && !clocks.has(expr.id);
    if (expr.kind === 'unary') return check(expr.operand, at);
    if (expr.kind !== 'binary') return true;
    const { operator, left, right } = expr;
    if (operator === '&' && isCounter(left)) {
      masks++;
      return check(right, at);
    }
    if ((operator === '<' || operator === '>') && left.kind === 'local' && isCounter(left)) {
      found.push({ bound: { counter: left.id, operator, value: right }, at });
      return check(right, at);
    }
    if (operator === '>' && left.kind === 'binary' && left.operator === '|' && left.left.kind === 'binary' && left.left.operator === '-' && isClock(left.left.left)) {
      const since = left.left.right;
      found.push({ bound: { deadlineUs: binary('|', binary('+', since, right), number(0)) }, at });
      return check(since, at) && check(right, at);
    }
    return check(left, at) && check(right, at);
  };
  for (const index of body) {
    const instruction = code[index]!;
    if (instruction.op === 'intrinsic' && !isIntrinsic(instruction, 'pause') && !isIntrinsic(instruction, 'spinClockUs')) return null;
    if (instruction.op === 'set') {
      // `since = now`: noticed by the machine if it happens, since the local changes.
      if (isClock(instruction.value) || counters.has(instruction.to)) continue;
      if (!check(instruction.value, index)) return null;
    } else if (instruction.op === 'branch') {
      if (!check(instruction.test, index)) return null;
    } else if (instruction.op === 'access') {
      if (![instruction.at, ...instruction.args].every((expr) => check(expr, index))) return null;
    }
  }
  // What is computed in the turn is there only if the turn has come to it.
  const isKept = ({ bound }: Found) => localsOf('deadlineUs' in bound ? bound.deadlineUs : bound.value).every((id) => liveAtHeader.has(id));
  const [always, sometimes] = [found.filter(isKept), found.filter((one) => !isKept(one))];
  if (masks > 0 && sometimes.length > 0) return null; // it may come to it in another turn
  const pause = [...body].map((index) => code[index]!).find((instruction) => isIntrinsic(instruction, 'pause'))!;
  return {
    steady: [...definitions.keys()].filter((id) => liveAtHeader.has(id) && !counters.has(id)),
    counters: [...counters],
    always,
    sometimes,
    place: (pause as Instruction & { op: 'intrinsic' }).place,
  };
}

/** `(i + step) | 0` */
function isStep(value: Expr, id: number): boolean {
  if (value.kind !== 'binary' || value.operator !== '|') return false;
  const sum = value.left;
  return sum.kind === 'binary' && sum.operator === '+' && sum.left.kind === 'local' && sum.left.id === id;
}

function localsOf(expr: Expr): number[] {
  if (expr.kind === 'local') return [expr.id];
  if (expr.kind === 'unary') return localsOf(expr.operand);
  return expr.kind === 'binary' ? [...localsOf(expr.left), ...localsOf(expr.right)] : [];
}
