/** Prints what does not stop: expressions and statements, as JavaScript, with every name replaced. */
import type { AnyNode, CallExpression, Expression, Statement } from 'acorn';
import { calleeOf } from './analysis.ts';
import { LoweringError, type Module } from './modules.ts';

/** The parameter that is the memory itself: it is everywhere, so it is not passed. */
export const MEMORY = 'mem';
const OPERATORS = new Set(['+', '-', '*', '&', '|', '^', '<<', '>>', '>>>', '===', '!==', '<', '<=', '>', '>=']);

/** Names of locals by block: two blocks may each have a `next`. */
export class Scopes {
  readonly #scopes: Array<Map<string, string>> = [new Map()];

  within<T>(body: () => T): T {
    this.#scopes.push(new Map());
    try {
      return body();
    } finally {
      this.#scopes.pop();
    }
  }

  declare(name: string, place: string): string {
    this.#scopes.at(-1)!.set(name, place);
    return place;
  }

  find(name: string): string | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const place = this.#scopes[i]!.get(name);
      if (place !== undefined) return place;
    }
    return undefined;
  }
}

export abstract class Printer {
  readonly module: Module;
  readonly scopes = new Scopes();

  constructor(module: Module) {
    this.module = module;
  }

  /** A place for a new local, e.g. `x_3` or `S[b+3]`, and the code that declares it. */
  abstract declare(name: string): { place: string; declaration: string };

  fail(node: AnyNode, reason: string): never {
    throw new LoweringError(this.module.file, node, reason);
  }

  expression(node: Expression): string {
    switch (node.type) {
      case 'Literal':
        if (typeof node.value === 'number') return String(node.value);
        if (typeof node.value === 'boolean') return node.value ? '1' : '0';
        break;
      case 'Identifier':
        return this.name(node, node.name);
      case 'MemberExpression':
        return this.member(node);
      case 'UnaryExpression':
        if (node.operator === '!' || node.operator === '-' || node.operator === '~') return `(${node.operator}${this.expression(node.argument)})`;
        break;
      case 'BinaryExpression':
        if (node.left.type !== 'PrivateIdentifier' && OPERATORS.has(node.operator)) {
          return `(${this.expression(node.left)}${node.operator}${this.expression(node.right)})`;
        }
        break;
      case 'LogicalExpression':
        if (node.operator !== '??') return `(${this.expression(node.left)}${node.operator}${this.expression(node.right)})`;
        break;
      case 'ConditionalExpression':
        return `(${this.expression(node.test)}?${this.expression(node.consequent)}:${this.expression(node.alternate)})`;
      case 'AssignmentExpression':
        if (node.left.type === 'Identifier' && node.operator === '=') return `${this.local(node, node.left.name)}=${this.expression(node.right)}`;
        break;
      case 'CallExpression':
        return this.call(node);
    }
    this.fail(node, `${node.type} is outside the subset`);
  }

  /** A call that does not stop. */
  call(node: CallExpression): string {
    const callee = calleeOf(this.module, node);
    if (callee === undefined || callee === 'atomics') this.fail(node, 'calls something that is not known');
    if (callee.kind === 'host') return `host.${callee.name}(${['t', ...this.arguments(node)].join()})`;
    if (callee.kind !== 'function') this.fail(node, 'calls something that is not a function');
    return `${callee.key}(${this.arguments(node).join()})`;
  }

  arguments(node: CallExpression): string[] {
    return this.operands(node).map((argument) => this.expression(argument));
  }

  operands(node: CallExpression): Expression[] {
    return node.arguments.flatMap((argument) => {
      if (argument.type === 'SpreadElement') this.fail(argument, 'spread arguments are outside the subset');
      return argument.type === 'Identifier' && argument.name === MEMORY ? [] : [argument];
    });
  }

  name(node: AnyNode, name: string): string {
    const local = this.scopes.find(name);
    if (local !== undefined) return local;
    const binding = this.module.bindings.get(name);
    if (binding?.kind !== 'constant') this.fail(node, `${name} is not a local nor a constant`);
    return binding.key;
  }

  local(node: AnyNode, name: string): string {
    return this.scopes.find(name) ?? this.fail(node, `${name} is not a local`);
  }

  member(node: AnyNode): string {
    if (node.type === 'MemberExpression' && node.object.type === 'Identifier' && node.property.type === 'Identifier') {
      const namespace = this.module.bindings.get(node.object.name);
      const binding = namespace?.kind === 'namespace' ? namespace.module.bindings.get(node.property.name) : undefined;
      if (binding?.kind === 'constant') return binding.key;
    }
    this.fail(node, 'an access to a member is outside the subset');
  }

  statement(node: Statement): string {
    switch (node.type) {
      case 'ExpressionStatement':
        return `${this.expression(node.expression)};`;
      case 'BlockStatement':
        return this.scopes.within(() => `{${node.body.map((part) => this.statement(part)).join('')}}`);
      case 'VariableDeclaration':
        return node.declarations
          .map(({ id, init }) => {
            if (id.type !== 'Identifier' || init == null) this.fail(node, 'a local needs a name and a value');
            const value = this.expression(init);
            const { place, declaration } = this.declare(id.name);
            return `${declaration}${place}=${value};`;
          })
          .join('');
      case 'IfStatement': {
        const otherwise = node.alternate == null ? '' : `else{${this.statement(node.alternate)}}`;
        return `if(${this.expression(node.test)}){${this.statement(node.consequent)}}${otherwise}`;
      }
      case 'ReturnStatement':
        return node.argument == null ? 'return 0;' : `return ${this.expression(node.argument)};`;
    }
    this.fail(node, `${node.type} without a stop in it is outside the subset`);
  }
}

/** Functions that never stop stay functions. */
export class PlainPrinter extends Printer {
  #locals = 0;

  declare(name: string) {
    const place = this.scopes.declare(name, `${name}_${this.#locals++}`);
    return { place, declaration: 'let ' };
  }
}
