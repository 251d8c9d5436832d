/**
 * The second back end: the routines' graphs as C, an instruction a label and every way on a `goto`. It shares
 * with the first where the stops are and what is kept from one to the next; how instructions are carried out
 * is written anew, here and in `runtime.c`.
 */
import { addressOf } from '../../lower/expr.ts';
import type { Expr, Instruction, Routine } from '../../lower/ir.ts';
import type { Emitter } from '../model/emit.ts';
import type { Frames, Stop } from '../model/stop.ts';
import { DOWNGRADING, INSIDE, type Layout, LOCK_AT, SLEEP } from '../model/layout.ts';

const BINARY: Readonly<Record<string, string>> = { '===': '==', '!==': '!=' };
/** How many a notify without a count wakes. */
const ALL = 'THREADS';

/** One function for each routine, and `run_from`, which runs from a stop to the next. */
export function emitSteps(emitter: Emitter): string {
  const routines = [...emitter.frames.keys()];
  const functions = routines.map((routine, index) => new RoutineToC(emitter, routine, `routine_${index}`).text());
  const owners = emitter.stops.map((stop) => routines.indexOf(stop.routine));
  const decisions = emitter.stops.flatMap(({ alternatives = [] }, number) =>
    alternatives.length > 0 ? [`    case ${number}: { static const int among[] = { ${alternatives.join(', ')} }; return among[choose(${alternatives.length})]; }`] : [],
  );
  const cases = routines.map((_, index) => `    case ${index}: return routine_${index}(pc, b, me);`);
  return [
    'static void clear_frame(int b) {',
    `  for (int i = 0; i < FRAME_WORDS; i++) S[b + ${emitter.layout.frameAt} + i] = 0;`,
    '}',
    '',
    ...functions,
    `static const short stop_routines[] = { ${owners.join(', ')} };`,
    'static int run_from(int pc, int b, int me) {',
    '  switch (pc) {',
    ...decisions,
    '  }',
    '  switch (stop_routines[pc]) {',
    ...cases,
    '  }',
    '  return 0;',
    '}',
    '',
  ].join('\n');
}

class RoutineToC {
  readonly #emitter: Emitter;
  readonly #layout: Layout;
  readonly #routine: Routine;
  readonly #frames: Frames;
  readonly #name: string;
  readonly #numbers = new Map<string, number>();

  constructor(emitter: Emitter, routine: Routine, name: string) {
    this.#emitter = emitter;
    this.#layout = emitter.layout;
    this.#routine = routine;
    this.#frames = emitter.frames.get(routine) as Frames;
    this.#name = name;
    emitter.stops.forEach((stop, number) => {
      if (stop.routine === routine) this.#numbers.set(key(stop.at, isAccess(stop), stop.timed), number);
    });
  }

  text(): string {
    const { code, locals } = this.#routine;
    const lines = [`static int ${this.#name}(int pc, int b, int me) {`, '  int turns = 0;'];
    locals.forEach((name, id) => lines.push(`  int v${id} = 0; /* ${name} */`));
    lines.push('  switch (pc) {');
    for (const [stop, number] of this.#ownStops()) {
      const loads = [...this.#live(stop.at)].map((id) => `v${id} = ${this.#slot(id)};`);
      lines.push(`    case ${number}: ${[...loads, isAccess(stop) ? `goto do_${stop.at};` : this.#goTo(stop.at)].join(' ')}`);
    }
    lines.push('  }', '  return 0;');
    code.forEach((instruction, index) => {
      if (this.#emitter.isStop(instruction)) lines.push(`at_${index}: ${this.#save(this.#live(index))} return ${this.#stop(index, true, false)};`);
      lines.push(`do_${index}: ${this.#instruction(instruction)}`);
    });
    lines.push('  (void)turns; (void)me;', '}', '');
    return lines.join('\n');
  }

  #ownStops(): [Stop, number][] {
    return [...this.#numbers.values()].map((number) => [this.#emitter.stops[number] as Stop, number]);
  }

  #live(index: number): ReadonlySet<number> {
    return this.#frames.live[index] as ReadonlySet<number>;
  }

  #slot(local: number): string {
    return `S[b + ${this.#layout.frameAt + (this.#frames.places.get(local) as number)}]`;
  }

  #stop(at: number, access: boolean, timed: boolean): number | string {
    // A stop that the other back end has no number for cannot be reached.
    return this.#numbers.get(key(at, access, timed)) ?? '0';
  }

  #goTo(index: number): string {
    return this.#emitter.isStop(this.#routine.code[index] as Instruction) ? `goto at_${index};` : `goto do_${index};`;
  }

  /** Nothing is in the frame but what is needed there. */
  #save(needed: ReadonlySet<number>): string {
    const words = [...needed].map((id) => `${this.#slot(id)} = v${id};`);
    return ['clear_frame(b);', ...words].join(' ');
  }

  #instruction(instruction: Instruction): string {
    switch (instruction.op) {
      case 'end':
        return `${this.#save(new Set())} return -1;`;
      case 'nop':
        return `if (++turns > MOST_TURNS) { fail(NEVER_ENDS); return 0; } ${this.#goTo(instruction.next)}`;
      case 'set':
        return `v${instruction.to} = ${c(instruction.value)}; ${this.#goTo(instruction.next)}`;
      case 'branch':
        return `if (++turns > MOST_TURNS) { fail(NEVER_ENDS); return 0; } if (${c(instruction.test)}) ${this.#goTo(instruction.yes)} else ${this.#goTo(instruction.no)}`;
      case 'choose':
        return `{ static const int among[] = { ${instruction.values.join(', ')} }; v${instruction.to} = among[choose(${instruction.values.length})]; } ${this.#goTo(instruction.next)}`;
      case 'intrinsic':
        return `${this.#intrinsic(instruction.name, instruction.args)} ${this.#goTo(instruction.next)}`;
      case 'access':
        return `${instruction.access === 'wait' ? this.#wait(instruction) : this.#access(instruction)} ${this.#goTo(instruction.next)}`;
    }
  }

  #intrinsic(name: string, args: readonly Expr[]): string {
    const [first] = args;
    const hold = first ? c(first) : '';
    switch (name) {
      case 'lockWaitLock': return 'S[WAIT_LOCK_SLOT] = me;';
      case 'linger': return ';';
      case 'collected': return `collected(b, ${this.#layout.recordOf(addressOf(first as Expr).offset)});`;
      case 'entered': return `collected(b, 0); S[b + ${INSIDE}] += ${hold};`;
      case 'left': return `S[b + ${INSIDE}] -= ${hold};`;
      case 'downgrading': return `S[b + ${INSIDE}] = ${DOWNGRADING};`;
      case 'strayedSignal': return 'fail(STRAYED);';
      case 'wrongAnswer': return 'fail(WRONG_ANSWER);';
      case 'triedInVain': return `tried_in_vain(${hold});`;
      case 'wouldDeadlock': return `would_deadlock(${this.#layout.writerWasFirstAt < 0 ? 'is_writer_first()' : `S[b + ${this.#layout.writerWasFirstAt}]`});`;
      default: throw new Error(`no intrinsic ${name}`);
    }
  }

  #wait({ at, args, next }: Instruction & { op: 'access' }): string {
    const { base, offset } = addressOf(at);
    const timed = args.length === 2 && !(base === 'absolute' && offset === LOCK_AT + this.#layout.word('WAIT_LOCK'));
    const sleep = `S[b + ${SLEEP}] = p + 1; ${this.#save(this.#live(next))} return ${this.#stop(next, false, timed)};`;
    return `{ int p = ${this.#place(at, 'bell')}; if (S[p] == ${c(args[0] as Expr)}) { ${sleep} } }`;
  }

  /** Where a word is: known now, or to be looked up. */
  #place(at: Expr, how: 'place' | 'bell'): string {
    const { base, offset } = addressOf(at);
    const slot = base === 'absolute' ? this.#layout.lockSlots.get(offset - LOCK_AT) : base === 'me' ? this.#layout.agentSlots.get(offset) : undefined;
    if (slot !== undefined) return base === 'me' ? `b + ${slot}` : String(slot);
    return how === 'place' ? `place(${c(at)}, me)` : `bell(${c(at)})`;
  }

  #access({ access, at, args, to, inside }: Instruction & { op: 'access' }): string {
    const { base, offset } = addressOf(at);
    const word = (name: string): number => this.#layout.word(name);
    const [a = '', b = ''] = args.map(c);
    const lockWord = base === 'absolute' ? offset - LOCK_AT : -1;
    const isCount = lockWord === word('COUNT');
    const guard = lockWord === word('HEAD') || lockWord === word('TAIL') ? 'need_wait_lock(me); ' : '';
    const result = to >= 0 ? `v${to} = ` : '(void)';
    if (access === 'notify') return `notify(${this.#place(at, 'bell')}, ${a || ALL});`;
    const place = this.#place(at, 'place');
    if (access === 'load' || access === 'relaxedLoad') {
      return place.startsWith('place') ? `${guard}${result}load(${c(at)}, me);` : `${guard}${result}S[${place}];`;
    }
    const rings = access === 'add' && base === 'unknown' && offset === word('BELL');
    const after: Readonly<Record<string, string>> = {
      store: a, relaxedStore: a, exchange: a, compareExchange: `o == (${a}) ? ${b} : o`,
      add: `o + (${a})`, sub: `o - (${a})`, and: `o & (${a})`, or: `o | (${a})`,
    };
    const isKnown = !place.startsWith('place');
    const takes = access === 'compareExchange' && inside === 'tryWriteQueued' ? ` if (o == (${a})) took_from_queue(o, me, b);` : '';
    const joins = access === 'add' && inside === 'enqueueRead' && args[0]?.kind === 'number' ? ' if (is_writer_first()) fail(NESTED_PAST_WRITER);' : '';
    const check = isCount ? ` count_changed(o, me, b);${takes}${joins}` : isKnown ? '' : ` if (${access.endsWith('tore') ? 1 : 'o != S[p]'}) signalled(${c(at)}, S[p]);`;
    const drops = inside === 'unlockWaitLock' && this.#layout.writerWasFirstAt >= 0 ? ` S[b + ${this.#layout.writerWasFirstAt}] = is_writer_first();` : '';
    return `{ ${guard}int p = ${place}; int o = S[p]; S[p] = (${after[access]})${rings ? ' % BELL_MODULUS' : ''}; ${result}o;${check}${drops} }`;
  }
}

function key(at: number, access: boolean, timed: boolean): string {
  return `${at} ${access} ${timed}`;
}

function isAccess({ access }: Stop): boolean {
  return access !== 'entry' && access !== 'resume';
}

function c(expr: Expr): string {
  switch (expr.kind) {
    case 'number': return expr.value < 0 ? `(int)(${expr.value}LL)` : String(expr.value);
    case 'local': return `v${expr.id}`;
    case 'me': return 'me';
    case 'unary': return `(${expr.operator}${c(expr.operand)})`;
    case 'binary':
      if (expr.operator === '>>>') return `(int)((unsigned)${c(expr.left)} >> ${c(expr.right)})`;
      return `(${c(expr.left)} ${BINARY[expr.operator] ?? expr.operator} ${c(expr.right)})`;
  }
}
