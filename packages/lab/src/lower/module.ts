/** Built files of the core as syntax trees: which functions and which constants there are. */
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { type Expression, type FunctionDeclaration, type ImportDeclaration, type Node, parse, type Statement } from 'acorn';
import type { SourceFile } from './source.ts';
import { SubsetError } from './subset-error.ts';

/** A place in the TypeScript that people read. */
export interface Place {
  file: string;
  line: number;
  text: string;
}

export interface CoreFunction {
  name: string;
  module: CoreModule;
  parameters: string[];
  body: Statement[];
  /** Names that are assigned after their declaration. */
  assigned: Set<string>;
  node: FunctionDeclaration;
}

type Constant = number | Expression;

export class CoreModule {
  readonly file: string;
  readonly functions = new Map<string, CoreFunction>();
  /** Local name of an import, and what it is there: `*` for the whole module. */
  readonly imports = new Map<string, { file: string; name: string }>();
  readonly constants = new Map<string, Constant>();
  readonly seesAll: boolean;
  readonly #map: TraceMap | undefined;
  readonly #lines: string[];
  readonly #places = new Map<string, Place>();

  constructor(source: SourceFile) {
    this.file = source.name;
    this.seesAll = source.seesAll ?? false;
    this.#map = source.map === undefined ? undefined : new TraceMap(source.map);
    this.#lines = (source.original || source.code).split('\n');
    const program = parse(source.code, { ecmaVersion: 2022, sourceType: 'module', locations: true });
    for (const node of program.body) this.#topLevel(node as Node as TopLevel);
  }

  place(node: Node): Place {
    const start = node.loc?.start ?? { line: 1, column: 0 };
    const key = `${start.line}:${start.column}`;
    const known = this.#places.get(key);
    if (known) return known;
    const found = this.#map ? originalPositionFor(this.#map, start) : { line: start.line };
    const line = found.line ?? start.line;
    const file = this.#map ? this.file.replace(/\.js$/, '.ts') : this.file;
    const place = { file, line, text: (this.#lines[line - 1] ?? '').trim() };
    this.#places.set(key, place);
    return place;
  }

  refuse(node: Node, reason: string): never {
    const { file, line } = this.place(node);
    throw new SubsetError(file, line, reason);
  }

  #topLevel(node: TopLevel): void {
    switch (node.type) {
      case 'ImportDeclaration':
        return this.#import(node);
      case 'ExportNamedDeclaration':
        if (node.declaration) return this.#topLevel(node.declaration);
        if (node.specifiers.length === 0) return; // `export {}`
        return this.refuse(node, 'a list of exports');
      case 'FunctionDeclaration':
        return this.#function(node);
      case 'VariableDeclaration':
        if (node.kind !== 'const') this.refuse(node, 'state of its own');
        for (const { id, init } of node.declarations) {
          if (id.type !== 'Identifier' || !init) this.refuse(node, 'a constant needs a name and a value');
          this.constants.set(id.name, init);
        }
        return;
      default:
        this.refuse(node, `${node.type} at the top level`);
    }
  }

  #import(node: ImportDeclaration): void {
    // Of the core, from inside or from outside of it.
    const file = /^(?:\.|.*\/rwsem\/dist\/core)\/([a-z-]+\.js)$/.exec(String(node.source.value))?.[1];
    if (file === undefined) this.refuse(node, `an import from ${String(node.source.value)}`);
    for (const specifier of node.specifiers) {
      if (specifier.type === 'ImportDefaultSpecifier') this.refuse(specifier, 'a default import');
      const name =
        specifier.type === 'ImportNamespaceSpecifier' ? '*' : specifier.imported.type === 'Identifier' ? specifier.imported.name : '';
      this.imports.set(specifier.local.name, { file, name });
    }
  }

  #function(node: FunctionDeclaration): void {
    if (node.async || node.generator) this.refuse(node, 'an async or generator function');
    const parameters = node.params.map((parameter) => {
      if (parameter.type !== 'Identifier') this.refuse(parameter, `parameter ${parameter.type}`);
      return parameter.name;
    });
    const assigned = new Set<string>();
    collectAssigned(node.body, assigned);
    this.functions.set(node.id.name, { name: node.id.name, module: this, parameters, body: node.body.body, assigned, node });
  }
}

function overrideKeys({ file }: CoreModule, name: string): string[] {
  return [`${file.replace(/\.js$/, '')}.${name}`, name];
}

type TopLevel = ReturnType<typeof parse>['body'][number];

function collectAssigned(node: unknown, into: Set<string>): void {
  if (Array.isArray(node)) for (const part of node) collectAssigned(part, into);
  else if (node !== null && typeof node === 'object') {
    const { type, left } = node as { type?: string; left?: { type: string; name?: string } };
    if (type === 'AssignmentExpression' && left?.type === 'Identifier' && left.name !== undefined) into.add(left.name);
    for (const [key, value] of Object.entries(node)) if (key !== 'loc') collectAssigned(value, into);
  }
}

/** All files together. Functions are found by name: no two of the core have the same. */
export class CoreLibrary {
  readonly modules = new Map<string, CoreModule>();
  readonly functions = new Map<string, CoreFunction>();
  readonly #overrides: ReadonlyMap<string, number>;

  /** `overrides`: values for constants of the source, by `NAME` or `module.NAME`, such as limits of loops. Each must exist. */
  constructor(sources: readonly SourceFile[], overrides: ReadonlyMap<string, number> = new Map()) {
    this.#overrides = overrides;
    const missing = new Set(overrides.keys());
    for (const source of sources) {
      const module = new CoreModule(source);
      this.modules.set(module.file, module);
      for (const [name, definition] of module.functions) {
        if (this.functions.has(name)) module.refuse(definition.node, `a second function ${name}`);
        this.functions.set(name, definition);
      }
      for (const name of module.constants.keys()) for (const key of overrideKeys(module, name)) missing.delete(key);
    }
    if (missing.size > 0) throw new SubsetError('(all files)', 0, `no constant ${[...missing].join(', ')} to override`);
  }

  /** By name, in any file of the core. */
  constantNamed(name: string): number {
    const value = this.#constantAnywhere(name);
    if (value === undefined) throw new SubsetError('(all files)', 0, `no constant ${name}`);
    return value;
  }

  #constantAnywhere(name: string): number | undefined {
    for (const module of this.modules.values()) if (module.constants.has(name)) return this.constant(module, name);
    return undefined;
  }

  /** What a name means at the top level of a module, if it is a constant. */
  constant(module: CoreModule, name: string): number | undefined {
    const imported = module.imports.get(name);
    if (imported) {
      const other = this.modules.get(imported.file);
      return other && imported.name !== '*' ? this.constant(other, imported.name) : undefined;
    }
    const known = module.constants.get(name);
    if (known === undefined) return module.seesAll ? this.#constantAnywhere(name) : undefined;
    const override = overrideKeys(module, name).find((key) => this.#overrides.has(key));
    const value = (override === undefined ? undefined : this.#overrides.get(override)) ?? (typeof known === 'number' ? known : this.#evaluate(module, known));
    module.constants.set(name, value);
    return value;
  }

  /** `layout.WRITER` where `layout` is imported as a whole. */
  member(module: CoreModule, object: string, property: string): number | undefined {
    const imported = module.imports.get(object);
    const other = imported?.name === '*' ? this.modules.get(imported.file) : undefined;
    return other && this.constant(other, property);
  }

  #evaluate(module: CoreModule, node: Expression): number {
    switch (node.type) {
      case 'Literal':
        if (typeof node.value === 'number' && (node.value | 0) === node.value) return node.value;
        break;
      case 'Identifier': {
        const value = this.constant(module, node.name);
        if (value !== undefined) return value;
        break;
      }
      case 'UnaryExpression':
        if (node.operator === '-') return -this.#evaluate(module, node.argument) | 0;
        if (node.operator === '~') return ~this.#evaluate(module, node.argument);
        break;
      case 'BinaryExpression':
        if (node.left.type !== 'PrivateIdentifier') {
          const value = compute(node.operator, this.#evaluate(module, node.left), this.#evaluate(module, node.right));
          if (value !== undefined) return value;
        }
        break;
      case 'MemberExpression':
        if (node.object.type === 'Identifier' && node.property.type === 'Identifier' && !node.computed) {
          const value = this.member(module, node.object.name, node.property.name);
          if (value !== undefined) return value;
        }
        break;
    }
    return module.refuse(node, 'a constant that is not a whole number of 32 bits');
  }
}

/** Two numbers and an operator of the subset; comparisons give 0 or 1. */
export function compute(operator: string, left: number, right: number): number | undefined {
  switch (operator) {
    case '+': return left + right;
    case '-': return left - right;
    case '*': return left * right;
    case '|': return left | right;
    case '&': return left & right;
    case '^': return left ^ right;
    case '<<': return left << right;
    case '>>': return left >> right;
    case '>>>': return left >>> right;
    case '===': return Number(left === right);
    case '!==': return Number(left !== right);
    case '<': return Number(left < right);
    case '<=': return Number(left <= right);
    case '>': return Number(left > right);
    case '>=': return Number(left >= right);
    default: return undefined;
  }
}
