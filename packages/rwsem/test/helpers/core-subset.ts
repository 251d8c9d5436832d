/** The rules of the portable subset (DESIGN.md, "The portable core"), for a built file of the core. */

import { type AnyNode, type CallExpression, type AnonymousFunctionDeclaration, type FunctionDeclaration, type MemberExpression, parse, type Program } from 'acorn';

const ATOMICS = new Set('load store add sub and or exchange compareExchange wait notify'.split(' '));
const BINARY = new Set('+ - * | & ^ << >> >>> === !== < <= > >='.split(' '));
const UNARY = new Set(['-', '~', '!']);
/** The environment: what the checker and the simulator replace. */
export const ENVIRONMENT = 'env.js';
/** The two relaxed accesses, the only places that index the memory. */
const MEMORY = 'memory.js';

interface Finding {
  line: number;
  reason: string;
}

export class SubsetCheck {
  readonly findings: Finding[] = [];
  readonly calls = new Map<string, Set<string>>();
  readonly #namespaces = new Set<string>();
  readonly #functions = new Set<string>();
  readonly #constants = new Set<string>();
  #locals = new Set<string>();
  #caller = '';

  readonly file: string;

  constructor(file: string, source: string) {
    this.file = file;
    const program: Program = parse(source, { ecmaVersion: 2022, sourceType: 'module', locations: true });
    for (const node of program.body) {
      if (node.type === 'ImportDeclaration') this.#import(node);
      const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
      if (declared?.type === 'FunctionDeclaration') this.#functions.add(declared.id.name);
    }
    for (const node of program.body) this.#topLevel(node);
  }

  #reject(node: AnyNode, reason: string): void {
    this.findings.push({ line: node.loc?.start.line ?? 0, reason });
  }

  #import(node: AnyNode & { type: 'ImportDeclaration' }): void {
    if (!/^\.\/[a-z-]+\.js$/.test(String(node.source.value))) this.#reject(node, `import from ${String(node.source.value)}`);
    for (const specifier of node.specifiers) {
      const { name } = specifier.local;
      if (specifier.type === 'ImportNamespaceSpecifier') this.#namespaces.add(name);
      else if (specifier.type === 'ImportSpecifier') (/^[A-Z0-9_]+$/.test(name) ? this.#constants : this.#functions).add(name);
      else this.#reject(specifier, 'default import');
    }
  }

  #topLevel(node: AnyNode): void {
    if (node.type === 'ImportDeclaration') return;
    if (node.type === 'ExportNamedDeclaration' && node.declaration) return this.#topLevel(node.declaration);
    if (node.type === 'FunctionDeclaration') return this.#function(node);
    if (node.type === 'VariableDeclaration' && node.kind === 'const') {
      for (const { id, init } of node.declarations) {
        this.#locals = new Set();
        if (id.type !== 'Identifier' || !init) this.#reject(node, 'a constant needs a name and a value');
        else {
          this.#expression(init, false);
          this.#constants.add(id.name);
        }
      }
      return;
    }
    this.#reject(node, `top-level ${node.type}`);
  }

  #function(node: FunctionDeclaration | AnonymousFunctionDeclaration): void {
    if (!node.id) return this.#reject(node, 'function without a name');
    if (node.async || node.generator) this.#reject(node, 'async or generator function');
    this.#caller = node.id.name;
    this.calls.set(this.#caller, new Set());
    this.#locals = new Set();
    for (const parameter of node.params) {
      if (parameter.type === 'Identifier') this.#locals.add(parameter.name);
      else this.#reject(parameter, `parameter ${parameter.type}`);
    }
    this.#statement(node.body);
  }

  #statement(node: AnyNode): void {
    switch (node.type) {
      case 'BlockStatement':
        for (const statement of node.body) this.#statement(statement);
        return;
      case 'VariableDeclaration':
        if (node.kind === 'var') this.#reject(node, 'var');
        for (const { id, init } of node.declarations) {
          if (id.type !== 'Identifier' || !init) this.#reject(node, 'a local needs a name and a value');
          else {
            this.#locals.add(id.name);
            this.#expression(init, false);
          }
        }
        return;
      case 'IfStatement':
        this.#expression(node.test, false);
        this.#statement(node.consequent);
        if (node.alternate) this.#statement(node.alternate);
        return;
      case 'WhileStatement':
        this.#expression(node.test, false);
        return this.#statement(node.body);
      case 'ForStatement':
        if (node.init) this.#statement(node.init);
        if (node.test) this.#expression(node.test, false);
        if (node.update) this.#expression(node.update, true);
        return this.#statement(node.body);
      case 'ReturnStatement':
        if (node.argument) this.#expression(node.argument, false);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
        if (node.label) this.#reject(node, 'label');
        return;
      case 'EmptyStatement':
        return;
      case 'ExpressionStatement':
        return this.#expression(node.expression, true);
      default:
        this.#reject(node, node.type);
    }
  }

  #expression(node: AnyNode, isStatement: boolean): void {
    switch (node.type) {
      case 'Identifier':
        if (!this.#locals.has(node.name) && !this.#constants.has(node.name)) this.#reject(node, `${node.name} is neither a local nor a constant`);
        return;
      case 'Literal':
        if (typeof node.value !== 'boolean' && !(typeof node.value === 'number' && (node.value | 0) === node.value)) {
          this.#reject(node, `literal ${node.raw ?? ''}`);
        }
        return;
      case 'UnaryExpression':
        if (!UNARY.has(node.operator)) this.#reject(node, `operator ${node.operator}`);
        return this.#expression(node.argument, false);
      case 'BinaryExpression':
        if (!BINARY.has(node.operator)) this.#reject(node, `operator ${node.operator}`);
        this.#expression(node.left, false);
        return this.#expression(node.right, false);
      case 'LogicalExpression':
        if (node.operator === '??') this.#reject(node, 'operator ??');
        this.#expression(node.left, false);
        return this.#expression(node.right, false);
      case 'ConditionalExpression':
        for (const part of [node.test, node.consequent, node.alternate]) this.#expression(part, false);
        return;
      case 'AssignmentExpression':
        if (!isStatement || node.operator !== '=') this.#reject(node, 'assignment inside an expression, or compound');
        if (node.left.type === 'MemberExpression') this.#member(node.left);
        else if (node.left.type !== 'Identifier' || !this.#locals.has(node.left.name)) this.#reject(node, 'assignment to what is not a local');
        return this.#expression(node.right, false);
      case 'CallExpression':
        return this.#call(node);
      case 'MemberExpression':
        return this.#member(node);
      default:
        this.#reject(node, node.type);
    }
  }

  #member(node: MemberExpression): void {
    const { object, property } = node;
    if (object.type === 'Identifier' && this.#namespaces.has(object.name) && !node.computed) return;
    const isMemory = this.file === MEMORY && node.computed && object.type === 'Identifier' && object.name === 'mem';
    if (isMemory) this.#expression(property, false);
    else this.#reject(node, 'property access');
  }

  #call(node: CallExpression): void {
    const { callee } = node;
    if (callee.type === 'Identifier' && this.#functions.has(callee.name)) this.calls.get(this.#caller)?.add(callee.name);
    else if (
      !(
        callee.type === 'MemberExpression' &&
        callee.object.type === 'Identifier' &&
        callee.object.name === 'Atomics' &&
        callee.property.type === 'Identifier' &&
        ATOMICS.has(callee.property.name)
      )
    ) {
      this.#reject(node, 'call of something other than a core function or an Atomics operation');
    }
    for (const argument of node.arguments) this.#expression(argument, false);
  }
}
