/**
 * Lowering: from the syntax tree of a routine and everything it calls to one graph of instructions.
 *
 * All calls are inlined (there is no recursion), arguments that are known are filled in, and what cannot
 * be reached then is left out: a read without a time limit has no code for cancelling.
 */
import type { CallExpression, Expression, Node, Statement, VariableDeclaration } from 'acorn';
import { addressOf, binary, isSmall, local, ME, number, unary } from './expr.ts';
import type { Frame, Loop, Outcome } from './frame.ts';
import { GraphBuilder, type OpenEnd } from './graph.ts';
import type { AccessKind, Expr, Routine } from './ir.ts';
import type { CoreFunction, CoreLibrary } from './module.ts';
import type { Surroundings } from './surroundings.ts';

const ARGUMENTS: Readonly<Record<string, readonly number[]>> = {
  load: [2], store: [3], add: [3], sub: [3], and: [3], or: [3], exchange: [3], compareExchange: [4], wait: [3, 4], notify: [2, 3],
};
const BINARY = new Set('+ - * | & ^ << >> >>> === !== < <= > >='.split(' '));
const ZERO = number(0);

/** The routine that runs `name` with these arguments after the memory, the lock and the agent. */
export function lowerRoutine(
  library: CoreLibrary,
  surroundings: Surroundings,
  name: string,
  lock: number,
  args: readonly number[],
): Routine {
  const lowering = new Lowering(library, surroundings);
  return lowering.routine(name, [ZERO, number(lock), ME, ...args.map(number)]);
}

class Lowering {
  readonly #library: CoreLibrary;
  readonly #surroundings: Surroundings;
  readonly #graph = new GraphBuilder();
  readonly #stack: string[] = [];

  constructor(library: CoreLibrary, surroundings: Surroundings) {
    this.#library = library;
    this.#surroundings = surroundings;
  }

  routine(name: string, args: Expr[]): Routine {
    const definition = this.#library.functions.get(name);
    if (!definition) throw new Error(`no function ${name} in the core`);
    const ends: OpenEnd[] = [];
    this.#inline(definition, args, definition.node, (value, frame) => {
      if (value) this.#value(value, frame);
      ends.push(...this.#graph.open);
      this.#graph.open = [];
    });
    this.#graph.open.push(...ends);
    this.#graph.emit({ op: 'end' });
    const { code, locals, entry } = this.#graph;
    return { name, entry, code, locals };
  }

  /** The body of a function, at the place where it is called. Afterwards its open ends are those that ran to its end. */
  #inline(definition: CoreFunction, args: Expr[], at: Node, leave: Frame['leave']): void {
    const { module, parameters, name, assigned } = definition;
    if (this.#stack.includes(name)) module.refuse(at, `recursion: ${[...this.#stack, name].join(' > ')}`);
    if (args.length !== parameters.length) module.refuse(at, `${name} takes ${parameters.length} arguments, not ${args.length}`);
    const names = new Map<string, Expr>();
    parameters.forEach((parameter, index) => {
      const value = args[index] as Expr;
      names.set(parameter, assigned.has(parameter) || !isSmall(value) ? this.#copy(parameter, value, assigned.has(parameter)) : value);
    });
    this.#stack.push(name);
    this.#block(definition.body, { definition, names, loops: [], leave });
    this.#stack.pop();
  }

  #copy(name: string, value: Expr, mutable: boolean): Expr {
    const id = this.#graph.newLocal(name, mutable);
    this.#graph.emit({ op: 'set', to: id, value, next: -1 });
    return local(id);
  }

  #refuse(node: Node, frame: Frame, reason: string): never {
    return frame.definition.module.refuse(node, reason);
  }

  #block(statements: readonly Statement[], outer: Frame): void {
    const frame = { ...outer, names: new Map(outer.names) };
    for (const statement of statements) {
      if (!this.#graph.isReachable) return;
      this.#statement(statement, frame);
    }
  }

  #statement(node: Statement, frame: Frame): void {
    const graph = this.#graph;
    switch (node.type) {
      case 'BlockStatement':
        return this.#block(node.body, frame);
      case 'EmptyStatement':
        return;
      case 'VariableDeclaration':
        return this.#declare(node, frame);
      case 'ExpressionStatement':
        return this.#effect(node.expression, frame);
      case 'IfStatement': {
        const { yes, no } = this.#condition(node.test, frame);
        graph.open = yes;
        this.#block([node.consequent], frame);
        const after = graph.open;
        graph.open = no;
        if (node.alternate) this.#block([node.alternate], frame);
        graph.open = [...after, ...graph.open];
        return;
      }
      case 'WhileStatement':
        return this.#loop(node.test, null, node.body, frame);
      case 'ForStatement': {
        const scope = { ...frame, names: new Map(frame.names) };
        if (node.init?.type === 'VariableDeclaration') this.#declare(node.init, scope);
        else if (node.init) this.#effect(node.init, scope);
        return this.#loop(node.test ?? null, node.update ?? null, node.body, scope);
      }
      case 'ReturnStatement':
        frame.leave(node.argument, frame);
        return;
      case 'BreakStatement':
      case 'ContinueStatement': {
        const loop = frame.loops.at(-1);
        if (node.label || !loop) this.#refuse(node, frame, 'a label');
        (node.type === 'BreakStatement' ? loop.breaks : loop.continues).push(...graph.open);
        graph.open = [];
        return;
      }
      default:
        this.#refuse(node, frame, node.type);
    }
  }

  #loop(test: Expression | null, update: Expression | null, body: Statement, frame: Frame): void {
    const graph = this.#graph;
    if (!graph.isReachable) return;
    const top = graph.label();
    const loop: Loop = { breaks: [], continues: [] };
    let outcome: Outcome = { yes: graph.open, no: [] };
    if (test) outcome = this.#condition(test, frame);
    graph.open = outcome.yes;
    this.#block([body], { ...frame, loops: [...frame.loops, loop] });
    graph.open = [...graph.open, ...loop.continues];
    if (update && graph.isReachable) this.#effect(update, frame);
    graph.jumpTo(graph.open, top);
    graph.open = [...outcome.no, ...loop.breaks];
  }

  #declare(node: VariableDeclaration, frame: Frame): void {
    for (const { id, init } of node.declarations) {
      if (node.kind === 'var' || id.type !== 'Identifier' || !init) this.#refuse(node, frame, 'a local needs const or let, a name and a value');
      const mutable = frame.definition.assigned.has(id.name);
      const value = this.#value(init, frame, id.name);
      const direct = !mutable && isSmall(value) && !this.#mayChange(value);
      frame.names.set(id.name, direct ? value : this.#copy(id.name, value, mutable));
    }
  }

  #mayChange(value: Expr): boolean {
    if (value.kind === 'local') return this.#graph.mutable.has(value.id);
    return value.kind === 'binary' && (this.#mayChange(value.left) || this.#mayChange(value.right));
  }

  /** An expression for what it does. */
  #effect(node: Expression, frame: Frame): void {
    if (node.type === 'AssignmentExpression') {
      if (node.operator !== '=' || node.left.type !== 'Identifier') this.#refuse(node, frame, 'a compound assignment, or one to what is not a local');
      const target = frame.names.get(node.left.name);
      if (target?.kind !== 'local') this.#refuse(node, frame, `assignment to ${node.left.name}`);
      if (this.#surroundings.isFrozen(frame.definition.name, node.left.name)) return;
      const value = this.#value(node.right, frame, node.left.name);
      this.#graph.emit({ op: 'set', to: target.id, value, next: -1 });
    } else if (node.type === 'CallExpression') {
      this.#call(node, frame, '', false);
    } else {
      this.#refuse(node, frame, `${node.type} as a statement`);
    }
  }

  #value(node: Expression, frame: Frame, target = ''): Expr {
    switch (node.type) {
      case 'Literal':
        if (typeof node.value === 'boolean') return number(Number(node.value));
        if (typeof node.value === 'number' && (node.value | 0) === node.value) return number(node.value);
        return this.#refuse(node, frame, `literal ${node.raw ?? ''}`);
      case 'Identifier': {
        const known = frame.names.get(node.name);
        if (known) return known;
        const value = this.#library.constant(frame.definition.module, node.name);
        return value === undefined ? this.#refuse(node, frame, `${node.name} is neither a local nor a constant`) : number(value);
      }
      case 'MemberExpression':
        if (node.object.type === 'Identifier' && node.property.type === 'Identifier' && !node.computed) {
          const value = this.#library.member(frame.definition.module, node.object.name, node.property.name);
          if (value !== undefined) return number(value);
        }
        return this.#refuse(node, frame, 'property access');
      case 'UnaryExpression':
        if (node.operator === '-' || node.operator === '~' || node.operator === '!') return unary(node.operator, this.#value(node.argument, frame));
        return this.#refuse(node, frame, `operator ${node.operator}`);
      case 'BinaryExpression': {
        if (!BINARY.has(node.operator) || node.left.type === 'PrivateIdentifier') return this.#refuse(node, frame, `operator ${node.operator}`);
        const left = this.#value(node.left, frame);
        return binary(node.operator, left, this.#value(node.right, frame));
      }
      case 'LogicalExpression':
      case 'ConditionalExpression':
        return this.#chosen(node, frame, target);
      case 'CallExpression':
        return this.#call(node, frame, target, true);
      default:
        return this.#refuse(node, frame, node.type);
    }
  }

  /** `a ? b : c`, and `&&` and `||` of booleans, where a value is wanted. */
  #chosen(node: Expression, frame: Frame, target: string): Expr {
    const graph = this.#graph;
    const whole = node.type === 'ConditionalExpression' ? node : undefined;
    const { yes, no } = this.#condition(whole ? whole.test : node, frame);
    if (yes.length === 0 || no.length === 0) {
      graph.open = [...yes, ...no];
      const isYes = no.length === 0;
      return whole ? this.#value(isYes ? whole.consequent : whole.alternate, frame) : number(Number(isYes));
    }
    const result = graph.newLocal(target || 'chosen', true);
    graph.open = yes;
    graph.emit({ op: 'set', to: result, value: whole ? this.#value(whole.consequent, frame) : number(1), next: -1 });
    const after = graph.open;
    graph.open = no;
    graph.emit({ op: 'set', to: result, value: whole ? this.#value(whole.alternate, frame) : ZERO, next: -1 });
    graph.open = [...after, ...graph.open];
    return local(result);
  }

  #condition(node: Expression, frame: Frame): Outcome {
    const graph = this.#graph;
    if (node.type === 'UnaryExpression' && node.operator === '!') {
      const { yes, no } = this.#condition(node.argument, frame);
      return { yes: no, no: yes };
    }
    if (node.type === 'LogicalExpression') {
      if (node.operator === '??') this.#refuse(node, frame, 'operator ??');
      const first = this.#condition(node.left, frame);
      const isAnd = node.operator === '&&';
      graph.open = isAnd ? first.yes : first.no;
      if (!graph.isReachable) return first;
      const second = this.#condition(node.right, frame);
      return isAnd ? { yes: second.yes, no: [...first.no, ...second.no] } : { yes: [...first.yes, ...second.yes], no: second.no };
    }
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier') {
      const definition = this.#library.functions.get(node.callee.name);
      if (definition && this.#surroundings.call(node.callee.name, '').kind === 'inline') {
        const outcome: Outcome = { yes: [], no: [] };
        const args = node.arguments.map((argument) => this.#argument(argument, frame));
        this.#inline(definition, args, node, (value, callee) => {
          if (!value) this.#refuse(node, frame, `${definition.name} returns nothing`);
          const { yes, no } = this.#condition(value, callee);
          outcome.yes.push(...yes);
          outcome.no.push(...no);
          graph.open = [];
        });
        return outcome;
      }
    }
    return graph.branch(this.#value(node, frame));
  }

  #argument(node: CallExpression['arguments'][number], frame: Frame): Expr {
    if (node.type === 'SpreadElement') this.#refuse(node, frame, 'spread');
    // The memory is one: its name needs no value.
    if (node.type === 'Identifier' && node.name === 'mem') return ZERO;
    return this.#value(node, frame);
  }

  #call(node: CallExpression, frame: Frame, target: string, isWanted: boolean): Expr {
    const { callee } = node;
    const args = node.arguments.map((argument) => this.#argument(argument, frame));
    if (callee.type === 'MemberExpression' && callee.object.type === 'Identifier' && callee.object.name === 'Atomics' && callee.property.type === 'Identifier') {
      const { name } = callee.property;
      if (!ARGUMENTS[name]?.includes(args.length)) this.#refuse(node, frame, `Atomics.${name} with ${args.length} arguments`);
      return this.#access(name as AccessKind, args.slice(1), node, frame, isWanted);
    }
    if (callee.type !== 'Identifier') this.#refuse(node, frame, 'call of something other than a core function or an Atomics operation');
    const { name } = callee;
    if (name === 'relaxedLoad' || name === 'relaxedStore') return this.#access(name, args.slice(1), node, frame, isWanted);
    const treatment = this.#surroundings.call(name, target);
    const place = frame.definition.module.place(node);
    switch (treatment.kind) {
      case 'value':
        return treatment.value;
      case 'any': {
        const to = isWanted ? this.#graph.newLocal(name, false) : -1;
        this.#graph.emit({ op: 'choose', values: treatment.values, to, next: -1, place });
        return to < 0 ? ZERO : local(to);
      }
      case 'intrinsic': {
        const to = treatment.hasResult && isWanted ? this.#graph.newLocal(name, false) : -1;
        this.#graph.emit({ op: 'intrinsic', name, args, to, next: -1, place });
        return to < 0 ? ZERO : local(to);
      }
      case 'inline':
        break;
    }
    const definition = this.#library.functions.get(name);
    if (!definition) this.#refuse(node, frame, `call of ${name}, which is no function of the core`);
    return this.#inlineForValue(definition, args, node, isWanted);
  }

  #inlineForValue(definition: CoreFunction, args: Expr[], node: CallExpression, isWanted: boolean): Expr {
    const graph = this.#graph;
    const ends: OpenEnd[] = [];
    const result = isWanted ? graph.newLocal(definition.name, true) : -1;
    let returns = 0;
    let only: Expr = ZERO;
    this.#inline(definition, args, node, (value, callee) => {
      const returned = value ? this.#value(value, callee, definition.name) : ZERO;
      if (isWanted) graph.emit({ op: 'set', to: result, value: returned, next: -1 });
      returns++;
      only = returned;
      ends.push(...graph.open);
      graph.open = [];
    });
    if (isWanted && graph.isReachable) graph.emit({ op: 'set', to: result, value: ZERO, next: -1 });
    graph.open = [...ends, ...graph.open];
    // The copy is dead then, and goes when the routine is tidied up.
    if (returns === 1 && graph.open.length === ends.length) return only;
    return result < 0 ? ZERO : local(result);
  }

  #access(access: AccessKind, [at, ...args]: Expr[], node: CallExpression, frame: Frame, isWanted: boolean): Expr {
    if (!at) return this.#refuse(node, frame, 'an access without an address');
    const inside = frame.definition.name;
    const treatment = this.#surroundings.access(access, addressOf(at), inside);
    const isLoad = access === 'load' || access === 'relaxedLoad';
    const place = frame.definition.module.place(node);
    if (treatment.kind === 'constant') return number(treatment.value);
    const to = isWanted ? this.#graph.newLocal(access, false) : -1;
    if (treatment.kind === 'memory') this.#graph.emit({ op: 'access', access, at, args, to, next: -1, place, inside });
    else if (isLoad && isWanted) this.#graph.emit({ op: 'choose', values: treatment.values, to, next: -1, place });
    return to < 0 || (treatment.kind === 'any' && !isLoad) ? ZERO : local(to);
  }
}
