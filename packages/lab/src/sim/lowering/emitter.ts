/**
 * From a routine to JavaScript: one function for each place at which a thread goes on after a stop. It runs
 * up to the next stop, keeps in the thread's frame what is still needed then, and allocates nothing.
 *
 * Ways that meet before the next stop are labelled blocks, one inside the other. What comes back to itself
 * without a stop goes on in a function of its own, as does the head of a spin loop.
 */
import { definition, type Expr, type Instruction, type Routine, successors } from '../../lower/ir.ts';
import { backEdges } from '../../lower/loops.ts';
import { liveness } from '../../lower/tidy.ts';
import { ACCESSES, BEGIN_SPIN_INTRINSIC, HOLD, HOST_CALLS, NOTIFY, OPERATIONS, SPIN, SPIN_INTRINSIC, THINK, WAIT } from './operations.ts';
import { NO_BOUND, type Bound, type SpinLoop } from './spin-loops.ts';

const ENTRY = 0;
/** Of a thread that has ended. */
const NOWHERE = -1;
const COMPARISONS = new Set(['===', '!==', '<', '<=', '>', '>=']);

/** What a function of the program knows of its surroundings. */
interface Region {
  /** Locals that are assigned in it: they are its own; others are where the frame keeps them. */
  own: ReadonlySet<number>;
  /** Where ways meet. */
  meets: ReadonlySet<number>;
}

export class Emitter {
  readonly functions: string[] = [];
  frameWords = 0;
  readonly #code: readonly Instruction[];
  readonly #spinLoops: readonly SpinLoop[];
  readonly #live: readonly Set<number>[];
  readonly #places = new Map<number, number>();
  /** Instructions that begin a function, whoever comes to them. */
  readonly #heads: ReadonlySet<number>;
  readonly #numbers = new Map<string, number>();
  readonly #todo: Array<() => string> = [];

  constructor(routine: Routine, spinLoops: readonly SpinLoop[]) {
    this.#code = routine.code;
    this.#spinLoops = spinLoops;
    this.#live = liveness(routine);
    this.#heads = this.#findHeads(routine.entry);
    this.#assignPlaces();
    this.#functionAt(routine.entry);
    for (let next = this.#todo.shift(); next !== undefined; next = this.#todo.shift()) this.functions.push(next());
  }

  get entry(): number {
    return ENTRY;
  }

  // ── What goes together ──────────────────────────────────────────────────────────────────────

  #isStop(index: number): boolean {
    const instruction = this.#code[index]!;
    return instruction.op === 'access' || (instruction.op === 'intrinsic' && instruction.name in OPERATIONS);
  }

  #isSpin(index: number): boolean {
    const instruction = this.#code[index]!;
    return instruction.op === 'intrinsic' && instruction.name === SPIN_INTRINSIC;
  }

  #findHeads(entry: number): Set<number> {
    const indices = [...this.#code.keys()];
    const heads = new Set(indices.filter((index) => this.#isSpin(index)));
    const local = (index: number) => (this.#isStop(index) ? [] : successors(this.#code[index]!).filter((next) => !heads.has(next)));
    for (const [, to] of backEdges(this.#code, [entry, ...indices], local)) heads.add(to);
    return heads;
  }

  /** What is needed when a thread goes on: after this stop, or at this head. */
  #neededAfter(stop: number): Set<number> {
    const instruction = this.#code[stop] as Instruction & { next: number };
    const needed = new Set(this.#live[instruction.next]);
    needed.delete(definition(instruction));
    return needed;
  }

  /** Locals that are kept at one and the same time get different places. */
  #assignPlaces(): void {
    const together = new Map<number, Set<number>>();
    const kept = [...this.#code.keys()].flatMap((index) => (this.#isStop(index) ? [this.#neededAfter(index)] : this.#heads.has(index) ? [this.#live[index]!] : []));
    for (const locals of kept) {
      for (const id of locals) {
        const others = together.get(id) ?? new Set();
        together.set(id, others);
        for (const other of locals) if (other !== id) others.add(other);
      }
    }
    for (const [id, others] of together) {
      const taken = new Set([...others].map((other) => this.#places.get(other)));
      let place = 0;
      while (taken.has(place)) place++;
      this.#places.set(id, place);
      this.frameWords = Math.max(this.frameWords, place + 1);
    }
  }

  #place(id: number): string {
    const place = this.#places.get(id);
    if (place === undefined) throw new Error(`v${id} is needed after a stop, and has no place`);
    return `S[b+${place}]`;
  }

  // ── Functions ───────────────────────────────────────────────────────────────────────────────

  #numbered(key: string, body: () => string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    this.#todo.push(body);
    return number;
  }

  #functionAt(index: number): number {
    return this.#numbered(`at ${index}`, () => this.#function(index, NOWHERE));
  }

  #functionAfter(stop: number): number {
    const { next } = this.#code[stop] as Instruction & { next: number };
    return this.#numbered(`after ${stop}`, () => this.#function(next, definition(this.#code[stop]!)));
  }

  /** From an instruction on. `result`: the local that takes the result of the operation before it, or -1. */
  #function(start: number, result: number): string {
    const ends = (index: number) => this.#isStop(index) || (index !== start && this.#heads.has(index));
    const order: number[] = [];
    const arrivals = new Map<number, number>();
    const visit = (index: number): void => {
      const [arrived, isEnd] = [arrivals.get(index) ?? 0, ends(index)];
      arrivals.set(index, arrived + 1);
      if (arrived > 0 || isEnd) return;
      for (const next of successors(this.#code[index]!)) visit(next);
      order.unshift(index);
    };
    // The entry may come round to itself only through a head or a stop.
    visit(start);
    const own = new Set(order.map((index) => definition(this.#code[index]!)).filter((id) => id >= 0));
    const live = this.#live[start]!;
    const takesResult = result >= 0 && live.has(result);
    if (takesResult) own.add(result);
    const region: Region = { own, meets: new Set(order.filter((index) => index !== start && arrivals.get(index)! > 1)) };
    const begins = [...own].map((id) => `v${id}=${id === result ? 'RES[t]' : live.has(id) ? this.#place(id) : '0'}`);
    const head = `const b=t*FRAME;${this.#usesMe(order, start) ? 'const me=ME[t];' : ''}${begins.length === 0 ? '' : `let ${begins.join()};`}`;
    let body = this.#straight(start, region, true);
    for (const index of order) if (region.meets.has(index)) body = `m${index}:{${body}}${this.#straight(index, region, true)}`;
    return `t=>{${head}${body}}`;
  }

  /** Also the stops that the function ends with. */
  #usesMe(order: readonly number[], start: number): boolean {
    const reached = new Set([start, ...order, ...order.flatMap((index) => successors(this.#code[index]!))]);
    return [...reached].some((index) => expressionsOf(this.#code[index]!).some(isOfMe));
  }

  /** An instruction and what follows it. `here`: it is printed at its own place, not come to. */
  #straight(index: number, region: Region, here = false): string {
    const instruction = this.#code[index]!;
    if (this.#isStop(index)) return this.#stop(index, region);
    if (!here && region.meets.has(index)) return `break m${index};`;
    if (!here && this.#heads.has(index)) return `${this.#keep(this.#live[index]!, region)}FN[t]=${this.#functionAt(index)};return 0;`;
    switch (instruction.op) {
      case 'end':
        return `FN[t]=${NOWHERE};return 0;`;
      case 'nop':
        return this.#straight(instruction.next, region);
      case 'set':
        return `v${instruction.to}=${this.#value(instruction.value, region)};${this.#straight(instruction.next, region)}`;
      case 'branch':
        return `if(${this.#test(instruction.test, region)}){${this.#straight(instruction.yes, region)}}else{${this.#straight(instruction.no, region)}}`;
      case 'intrinsic':
        return this.#call(index, instruction, region) + this.#straight(instruction.next, region);
      default:
        throw new Error(`the simulator has no ${instruction.op}`);
    }
  }

  #call(index: number, { name, args, to }: Instruction & { op: 'intrinsic' }, region: Region): string {
    if (name === SPIN_INTRINSIC) {
      const id = (args[0] as Expr & { kind: 'number' }).value;
      const forgotten = this.#spinLoops[id]!.seen.map((local) => `${this.#place(local)}=${region.own.has(local) ? `v${local}=` : ''}${NO_BOUND};`).join('');
      return `const spins=host.spin(t,${id},b);${forgotten}if(spins){OP[t]=${SPIN};FN[t]=${this.#functionAt(index)};return 1;}`;
    }
    if (name === BEGIN_SPIN_INTRINSIC) return `host.beginSpin(t,${this.#value(args[0]!, region)});`;
    if (!HOST_CALLS.has(name)) throw new Error(`no intrinsic ${name}`);
    return `${to >= 0 ? `v${to}=` : ''}host.${name}(${['t', ...args.map((arg) => this.#value(arg, region))].join()});`;
  }

  /** Asks for the operation, and keeps what is needed after it. */
  #stop(index: number, region: Region): string {
    const instruction = this.#code[index] as Instruction & { op: 'access' | 'intrinsic' };
    const operation = instruction.op === 'access' ? ACCESSES[instruction.access] : OPERATIONS[instruction.name]!;
    const operands = (instruction.op === 'access' ? [instruction.at, ...instruction.args] : instruction.args).map((operand) => this.#value(operand, region));
    const [at = '0', first, second] = operands;
    // Without a limit a wait lasts for ever; without a count a notify wakes all.
    const a0 = first ?? (operation === NOTIFY ? '0x7fffffff' : null);
    const a1 = second ?? (operation === WAIT ? '-1' : null);
    const isAddressed = operation !== HOLD && operation !== THINK;
    const registers = `OP[t]=${operation};ADR[t]=${at};${isAddressed && a0 !== null ? `A0[t]=${a0};` : ''}${isAddressed && a1 !== null ? `A1[t]=${a1};` : ''}`;
    return `${registers}${this.#keep(this.#neededAfter(index), region)}FN[t]=${this.#functionAfter(index)};return 1;`;
  }

  #keep(needed: ReadonlySet<number>, { own }: Region): string {
    return [...needed].filter((id) => own.has(id)).map((id) => `${this.#place(id)}=v${id};`).join('');
  }

  // ── Expressions ─────────────────────────────────────────────────────────────────────────────

  #value(expr: Expr, region: Region): string {
    if (expr.kind === 'binary' && COMPARISONS.has(expr.operator)) return `(${this.#test(expr, region)}?1:0)`;
    switch (expr.kind) {
      case 'number': return String(expr.value);
      case 'me': return 'me';
      case 'local': return region.own.has(expr.id) ? `v${expr.id}` : this.#place(expr.id);
      case 'unary': return expr.operator === '!' ? `(${this.#test(expr.operand, region)}?0:1)` : `(${expr.operator} ${this.#value(expr.operand, region)})`;
      case 'binary': return `(${this.#value(expr.left, region)} ${expr.operator} ${this.#value(expr.right, region)})`;
    }
  }

  #test(expr: Expr, region: Region): string {
    if (expr.kind === 'unary' && expr.operator === '!') return `!(${this.#test(expr.operand, region)})`;
    if (expr.kind !== 'binary' || !COMPARISONS.has(expr.operator)) return this.#value(expr, region);
    return `${this.#value(expr.left, region)}${expr.operator}${this.#value(expr.right, region)}`;
  }

  /** For the machine: the frame `b` of a spin loop, its differences `D`, the clock and the length of a turn. How many turns are alike? */
  printSpinLoop({ level, steady, counters, bounds }: SpinLoop): string {
    const places = (ids: readonly number[]) => `Int32Array.of(${ids.map((id) => this.#places.get(id)!).join()})`;
    const frame: Region = { own: new Set(), meets: new Set() };
    const limits = bounds.map((bound: Bound) => {
      if ('deadlineUs' in bound) return `k=Math.min(k,Math.floor(((${this.#value(bound.deadlineUs, frame)}-us)|0)*1000/turnNs)-1);`;
      const left = `${this.#value(bound.value, frame)}-${this.#place(bound.counter)}${bound.operator === '<' ? '-1' : ''}`;
      const grown = `D[${this.#places.get(bound.counter)!}]`;
      return `if(${grown}>0)k=Math.min(k,Math.floor((${left})/${grown}));`;
    });
    return `{level:${level},steady:${places(steady)},counters:${places(counters)},turnsAlike(b,D,us,turnNs){let k=1e9;${limits.join('')}return k;}}`;
  }
}

function expressionsOf(instruction: Instruction): readonly Expr[] {
  switch (instruction.op) {
    case 'set': return [instruction.value];
    case 'branch': return [instruction.test];
    case 'access': return [instruction.at, ...instruction.args];
    case 'intrinsic': return instruction.args;
    default: return [];
  }
}

function isOfMe(expr: Expr): boolean {
  if (expr.kind === 'unary') return isOfMe(expr.operand);
  if (expr.kind === 'binary') return isOfMe(expr.left) || isOfMe(expr.right);
  return expr.kind === 'me';
}
