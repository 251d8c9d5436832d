/**
 * Turns a function that stops into one that can be resumed: a switch over blocks, its locals in a frame of
 * an `Int32Array`. Nothing is allocated while it runs.
 *
 * A frame: block to go on with | caller's frame | caller | parameters, locals and results.
 */
import type { AnyNode, CallExpression, Expression, Function as FunctionNode, Statement } from 'acorn';
import { calleeOf, type Analysis } from './analysis.ts';
import type { SourceFunction } from './modules.ts';
import { ATOMICS, HOLD, NOTIFY, SPIN, THINK, WAIT } from './operations.ts';
import { MEMORY, Printer } from './printer.ts';
import { analyseSpinLoop, type SpinLoop } from './spin-loops.ts';

export const FRAME_HEADER = 3;

export interface PlacedSpinLoop {
  level: 0 | 1;
  /** Slots that must be the same after a turn, and those that may have grown. */
  steady: number[];
  counters: number[];
  /** Code for a function of frame `b`, differences `D`, clock and length of a turn: how many turns are alike. */
  bounds: string;
}

interface Jumps {
  breakTo: number;
  continueTo: number;
}

export class Stepper extends Printer {
  readonly #source: SourceFunction;
  readonly #analysis: Analysis;
  readonly #indexOf: (key: string) => number;
  readonly #addLoop: (loop: PlacedSpinLoop) => number;
  readonly #blocks: string[] = [''];
  #current = 0;
  #slots = FRAME_HEADER;
  readonly #jumps: Jumps[] = [];
  /** Every local so far, for the loops to look at. */
  readonly #locals: number[] = [];

  constructor(source: SourceFunction, analysis: Analysis, indexOf: (key: string) => number, addLoop: (loop: PlacedSpinLoop) => number) {
    super(source.module);
    this.#source = source;
    this.#analysis = analysis;
    this.#indexOf = indexOf;
    this.#addLoop = addLoop;
  }

  lower(): { code: string; frameWords: number } {
    const { key, node } = this.#source;
    for (const name of parametersOf(node, this)) this.declare(name);
    for (const statement of node.body.body) this.lowerStatement(statement);
    this.#return('0');
    const cases = this.#blocks.map((block, index) => `case ${index}:${block}`).join('\n');
    const code = `function ${key}(t){const b=FP[t];let pc=S[b];for(;;)switch(pc){\n${cases}\n}}`;
    return { code, frameWords: this.#slots };
  }

  declare(name: string) {
    this.#locals.push(this.#slots);
    return { place: this.scopes.declare(name, `S[b+${this.#slots++}]`), declaration: '' };
  }

  #emit(code: string): void {
    this.#blocks[this.#current] += code;
  }

  #open(): number {
    return this.#blocks.push('') - 1;
  }

  #jump(block: number): void {
    this.#emit(`pc=${block};continue;`);
  }

  /** Goes on in a block, from the present one too. */
  #flowInto(block: number): void {
    this.#jump(block);
    this.#current = block;
  }

  #return(value: string): void {
    this.#emit(`RES[t]=${value};FP[t]=S[b+1];FN[t]=S[b+2];return 0;`);
  }

  // ── Expressions ─────────────────────────────────────────────────────────────────────────────

  #stops(node: AnyNode): boolean {
    return this.#analysis.stops(this.module, node);
  }

  /** Emits the stops in it, and prints what is left. */
  override expression(node: Expression): string {
    if (!this.#stops(node)) return super.expression(node);
    if (node.type === 'LogicalExpression' || node.type === 'ConditionalExpression') return this.#branching(node);
    return super.expression(node); // operands come back here, from left to right
  }

  #temporary(): string {
    return `S[b+${this.#slots++}]`;
  }

  #branching(node: Expression): string {
    const result = this.#temporary();
    const [yes, no, end] = [this.#open(), this.#open(), this.#open()];
    if (node.type === 'ConditionalExpression') {
      this.#branch(node.test, yes, no);
      this.#current = yes;
      this.#emit(`${result}=${this.expression(node.consequent)};`);
      this.#jump(end);
      this.#current = no;
      this.#emit(`${result}=${this.expression(node.alternate)};`);
    } else {
      this.#branch(node, yes, no);
      this.#current = yes;
      this.#emit(`${result}=1;`);
      this.#jump(end);
      this.#current = no;
      this.#emit(`${result}=0;`);
    }
    this.#flowInto(end);
    return result;
  }

  #branch(node: Expression, yes: number, no: number): void {
    if (node.type === 'LogicalExpression' && this.#stops(node)) {
      const right = this.#open();
      if (node.operator === '&&') this.#branch(node.left, right, no);
      else this.#branch(node.left, yes, right);
      this.#current = right;
      this.#branch(node.right, yes, no);
    } else if (node.type === 'UnaryExpression' && node.operator === '!') this.#branch(node.argument, no, yes);
    else this.#emit(`pc=${this.expression(node)}?${yes}:${no};continue;`);
  }

  override call(node: CallExpression): string {
    if (!this.#stops(node)) return super.call(node);
    const callee = calleeOf(this.module, node);
    if (callee === undefined) this.fail(node, 'calls something that is not known');
    if (callee === 'atomics') {
      const { callee: member } = node;
      const method = member.type === 'MemberExpression' && member.property.type === 'Identifier' ? member.property.name : '';
      const operation = ATOMICS[method];
      if (operation === undefined) this.fail(node, `Atomics.${method} is outside the subset`);
      return this.#stop(operation, this.#operandsOf(node));
    }
    if (callee.kind === 'intrinsic') return this.#stop(callee.operation, this.#operandsOf(node));
    if (callee.kind !== 'function' || !this.#analysis.stopping.has(callee.key)) return super.call(node); // its arguments stop
    const operands = this.#operandsOf(node);
    const after = this.#open();
    const parameters = operands.map((operand, i) => `S[n+${FRAME_HEADER + i}]=${operand};`).join('');
    const frame = `${this.#source.key}$frame`;
    const index = this.#indexOf(this.#source.key);
    this.#emit(`{const n=b+${frame};${parameters}S[n]=0;S[n+1]=b;S[n+2]=${index};S[b]=${after};FP[t]=n;FN[t]=${this.#indexOf(callee.key)};return 0;}`);
    return this.#result(after);
  }

  #operandsOf(node: CallExpression): string[] {
    return this.operands(node).map((operand) => this.expression(operand));
  }

  #stop(operation: number, operands: string[]): string {
    const after = this.#open();
    const [at = '0', first, second = '0'] = operands;
    // Without a limit a wait lasts for ever; without a count a notify wakes all.
    const a0 = first ?? (operation === NOTIFY ? '0x7fffffff' : '0');
    const a1 = operation === WAIT && operands.length < 3 ? '-1' : second;
    const isAddressed = operation !== HOLD && operation !== THINK;
    this.#emit(`OP[t]=${operation};ADR[t]=${at};${isAddressed ? `A0[t]=${a0};A1[t]=${a1};` : ''}S[b]=${after};return 1;`);
    return this.#result(after);
  }

  #result(after: number): string {
    this.#current = after;
    const result = this.#temporary();
    this.#emit(`${result}=RES[t];`);
    return result;
  }

  // ── Statements ──────────────────────────────────────────────────────────────────────────────

  lowerStatement(node: Statement): void {
    if (isPlain(node) && !this.#stops(node)) return this.#emit(this.statement(node));
    switch (node.type) {
      case 'ExpressionStatement': {
        const rest = this.expression(node.expression);
        if (node.expression.type === 'AssignmentExpression') this.#emit(`${rest};`);
        return;
      }
      case 'VariableDeclaration':
        return this.#emit(this.statement(node));
      case 'BlockStatement':
        return this.scopes.within(() => node.body.forEach((part) => this.lowerStatement(part)));
      case 'IfStatement': {
        const [yes, end] = [this.#open(), this.#open()];
        const no = node.alternate == null ? end : this.#open();
        this.#branch(node.test, yes, no);
        this.#current = yes;
        this.lowerStatement(node.consequent);
        this.#jump(end);
        if (node.alternate != null) {
          this.#current = no;
          this.lowerStatement(node.alternate);
          this.#jump(end);
        }
        this.#current = end;
        return;
      }
      case 'ReturnStatement':
        return this.#return(node.argument == null ? '0' : `${this.expression(node.argument)}|0`);
      case 'WhileStatement':
        return this.#loop(node, null, node.test, null, node.body);
      case 'ForStatement': {
        const { init, test, update } = node;
        if (init != null && init.type !== 'VariableDeclaration') this.fail(node, 'this loop is outside the subset');
        return this.scopes.within(() => this.#loop(node, init ?? null, test ?? null, update ?? null, node.body));
      }
      case 'BreakStatement':
      case 'ContinueStatement': {
        const jumps = this.#jumps.at(-1);
        if (jumps === undefined || node.label != null) this.fail(node, 'this jump is outside the subset');
        return this.#jump(node.type === 'BreakStatement' ? jumps.breakTo : jumps.continueTo);
      }
    }
    this.fail(node, `${node.type} is outside the subset`);
  }

  #loop(node: AnyNode, init: Statement | null, test: Expression | null, update: Expression | null, body: Statement): void {
    if (init !== null) this.lowerStatement(init);
    const [head, start, next, end] = [this.#open(), this.#open(), this.#open(), this.#open()];
    this.#flowInto(head);
    const level = this.#analysis.spinLevel(this.module, node);
    const spin = level === null ? null : analyseSpinLoop(this.module, node, level, (name) => this.scopes.find(name) !== undefined);
    const [firstLocal, placeOf] = [this.#locals.length, new Map<string, string>()];
    let id = -1;
    if (spin !== null) {
      id = this.#addLoop({ level: spin.level, steady: [], counters: [], bounds: '' });
      this.#emit(`if(host.spin(t,${id},b)){OP[t]=${SPIN};S[b]=${head};return 1;}`);
      for (const name of spin.counters) placeOf.set(name, this.local(node, name));
    }
    if (test === null) this.#jump(start);
    else this.#branch(test, start, end);
    this.#current = start;
    this.#jumps.push({ breakTo: end, continueTo: next });
    const bounds = this.scopes.within(() => {
      for (const part of body.type === 'BlockStatement' ? body.body : [body]) this.lowerStatement(part);
      // Here, where the locals of the body still have their names.
      return spin === null ? '' : this.#printBounds(spin);
    });
    this.#jumps.pop();
    this.#flowInto(next);
    if (update !== null) this.#emit(`${this.expression(update)};`);
    this.#jump(head);
    this.#current = end;
    if (spin !== null) {
      const slotOf = (place: string) => Number(/\d+/.exec(place)![0]);
      const counters = [...placeOf.values()].map(slotOf);
      const free = new Set([...counters, ...this.#clockSlots]);
      const steady = this.#locals.filter((slot, index) => !free.has(slot) && (index < firstLocal || slot < this.#slots));
      this.#loopDone(id, { level: spin.level, steady, counters, bounds });
    }
    this.#clockSlots = [];
  }

  #clockSlots: number[] = [];
  readonly spinLoops = new Map<number, PlacedSpinLoop>();

  #loopDone(id: number, loop: PlacedSpinLoop): void {
    this.spinLoops.set(id, loop);
  }

  #printBounds({ counterBounds, clockBounds, clocks }: SpinLoop): string {
    for (const name of clocks) {
      const place = this.scopes.find(name);
      if (place !== undefined) this.#clockSlots.push(Number(/\d+/.exec(place)![0]));
    }
    const counted = counterBounds.map(({ counter, operator, bound }) => {
      const place = this.scopes.find(counter)!;
      const left = `${super.expression(bound)}-${place}${operator === '<' ? '-1' : ''}`;
      const slot = /\d+/.exec(place)![0];
      return `if(D[${slot}]>0)k=Math.min(k,Math.floor((${left})/D[${slot}]));`;
    });
    const timed = clockBounds.map(({ since, limit }) => {
      const leftUs = `((${super.expression(since)}+${super.expression(limit)}-us)|0)`;
      return `k=Math.min(k,Math.floor(${leftUs}*1000/turnNs)-1);`;
    });
    return `let k=1e9;${counted.join('')}${timed.join('')}return k;`;
  }
}

/** Neither a loop nor a jump: can be printed as it stands. */
function isPlain(node: Statement): boolean {
  if (node.type === 'BlockStatement') return node.body.every(isPlain);
  if (node.type === 'IfStatement') return isPlain(node.consequent) && (node.alternate == null || isPlain(node.alternate));
  return node.type === 'ExpressionStatement' || node.type === 'VariableDeclaration';
}

export function parametersOf(node: FunctionNode, printer: Printer): string[] {
  return node.params.flatMap((parameter) => {
    if (parameter.type !== 'Identifier') printer.fail(parameter, 'a parameter must be a name');
    return parameter.name === MEMORY ? [] : [parameter.name];
  });
}
