/**
 * Reads the built files of a program and everything it imports, and resolves every name. What comes from
 * `env`, `memory` and `intrinsics` is not read: the machine provides it.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, type AnyNode, type Expression, type FunctionDeclaration, type Program } from 'acorn';
import { replaceOnce } from '../../replace-once.ts';
import { HOST_CALLS, INTRINSICS } from './operations.ts';

export class LoweringError extends Error {
  constructor(file: string, node: AnyNode | null, reason: string) {
    super(`${file}${node?.loc ? `:${node.loc.start.line}` : ''}: ${reason}`);
    this.name = 'LoweringError';
  }
}

export type Binding =
  | { kind: 'function' | 'constant'; key: string }
  | { kind: 'namespace'; module: Module }
  | { kind: 'intrinsic'; operation: number }
  | { kind: 'host'; name: string };

export interface Module {
  name: string;
  file: string;
  bindings: Map<string, Binding>;
}

export interface SourceFunction {
  key: string;
  module: Module;
  node: FunctionDeclaration;
}

export interface SourceConstant {
  key: string;
  module: Module;
  init: Expression;
}

export interface LinkedProgram {
  functions: Map<string, SourceFunction>;
  /** Each after those that it refers to. */
  constants: SourceConstant[];
  /** Names of the constants that were given another value, to be reported. */
  overridden: string[];
}

const PROVIDED = new Set(['env', 'memory', 'intrinsics']);

/** A change of the text of a module, which must be found exactly once. */
export interface Edit {
  module: string;
  find: string;
  replace: string;
}

/** How a lock under simulation differs from the files: other values of constants, by `module.NAME`, and edits. */
export interface Changes {
  overrides?: Readonly<Record<string, number>>;
  edits?: readonly Edit[];
}

export function linkProgram(root: URL, { overrides = {}, edits = [] }: Changes = {}): LinkedProgram {
  const linker = new Linker(overrides, edits);
  linker.load(root);
  for (const name of Object.keys(overrides)) {
    if (!linker.overridden.includes(name)) throw new LoweringError(root.pathname, null, `there is no constant ${name} to override`);
  }
  if (linker.edited !== edits.length) throw new LoweringError(root.pathname, null, 'an edit names a module that the program does not import');
  return linker;
}

class Linker implements LinkedProgram {
  readonly functions = new Map<string, SourceFunction>();
  readonly constants: SourceConstant[] = [];
  readonly overridden: string[] = [];
  readonly #modules = new Map<string, Module>();
  readonly #overrides: Readonly<Record<string, number>>;
  readonly #edits: readonly Edit[];
  edited = 0;

  constructor(overrides: Readonly<Record<string, number>>, edits: readonly Edit[]) {
    this.#overrides = overrides;
    this.#edits = edits;
  }

  load(url: URL): Module {
    const file = fileURLToPath(url);
    const name = basename(file).replace(/\.js$/, '').replace(/\W/g, '_');
    const known = this.#modules.get(name);
    if (known !== undefined) {
      if (known.file !== file) throw new LoweringError(file, null, `is called like ${known.file}`);
      return known;
    }
    const module: Module = { name, file, bindings: new Map() };
    this.#modules.set(name, module);
    const program = parse(this.#edit(module, readFileSync(file, 'utf8')), { ecmaVersion: 2022, sourceType: 'module', locations: true });
    this.#imports(module, program, url);
    for (const statement of program.body) this.#declare(module, statement);
    return module;
  }

  #edit(module: Module, text: string): string {
    return this.#edits.filter((edit) => edit.module === module.name).reduce((before, { find, replace }) => {
      this.edited++;
      return replaceOnce(before, find, replace, (times) => new LoweringError(module.file, null, `the text of an edit is there ${times} times: ${find}`));
    }, text);
  }

  #imports(module: Module, program: Program, url: URL): void {
    for (const node of program.body) {
      if (node.type !== 'ImportDeclaration') continue;
      const target = resolve(String(node.source.value), url);
      const isProvided = PROVIDED.has(basename(target.pathname, '.js'));
      const imported = isProvided ? null : this.load(target);
      for (const specifier of node.specifiers) {
        const local = specifier.local.name;
        if (specifier.type === 'ImportNamespaceSpecifier' && imported !== null) {
          module.bindings.set(local, { kind: 'namespace', module: imported });
        } else if (specifier.type === 'ImportSpecifier' && specifier.imported.type === 'Identifier') {
          const name = specifier.imported.name;
          const binding = imported === null ? provided(name) : imported.bindings.get(name);
          if (binding === undefined) throw new LoweringError(module.file, node, `${name} is not to be had from ${node.source.raw}`);
          module.bindings.set(local, binding);
        } else throw new LoweringError(module.file, node, 'this kind of import is outside the subset');
      }
    }
  }

  #declare(module: Module, statement: Program['body'][number]): void {
    if (statement.type === 'ImportDeclaration') return;
    if (statement.type === 'ExportNamedDeclaration' && statement.declaration == null && statement.specifiers.length === 0) return;
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (node?.type === 'FunctionDeclaration') {
      const key = `${module.name}$${node.id.name}`;
      module.bindings.set(node.id.name, { kind: 'function', key });
      this.functions.set(key, { key, module, node: node as FunctionDeclaration });
    } else if (node?.type === 'VariableDeclaration' && node.kind === 'const') {
      for (const { id, init } of node.declarations) {
        if (id.type !== 'Identifier' || init == null) throw new LoweringError(module.file, node, 'a constant needs a name and a value');
        const key = `${module.name}$${id.name}`;
        module.bindings.set(id.name, { kind: 'constant', key });
        this.constants.push({ key, module, init: this.#override(`${module.name}.${id.name}`, init) });
      }
    } else throw new LoweringError(module.file, statement as AnyNode, `${statement.type} at the top of a module is outside the subset`);
  }

  #override(name: string, init: Expression): Expression {
    const value = this.#overrides[name];
    if (value === undefined) return init;
    this.overridden.push(name);
    return { type: 'Literal', value, raw: String(value), start: init.start, end: init.end };
  }
}

/** The core is where `import 'rwsem'` finds it, wherever that is. */
function resolve(specifier: string, from: URL): URL {
  const core = /\/rwsem\/dist\/(core\/.*)$/.exec(specifier)?.[1];
  return core === undefined ? new URL(specifier, from) : new URL(core, import.meta.resolve('rwsem'));
}

function provided(name: string): Binding | undefined {
  const operation = INTRINSICS[name];
  if (operation !== undefined) return { kind: 'intrinsic', operation };
  return HOST_CALLS.has(name) ? { kind: 'host', name } : undefined;
}
