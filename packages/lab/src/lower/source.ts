/** Where the sources of the core come from: the files that are installed, or a patched copy of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** One built file, with the map that leads back to the TypeScript. */
export interface SourceFile {
  /** As imported: `wake.js`. */
  name: string;
  code: string;
  /** The TypeScript, for its lines; empty if it is not there. */
  original: string;
  map: string | undefined;
  /** It uses constants of other files without importing them: it only declares them. */
  seesAll?: boolean;
}

/** Not lowered: what the core asks of its surroundings, which whoever runs it has to supply. */
export const ENVIRONMENT_FILE = 'env.js';

function coreDirectory(): string {
  return fileURLToPath(new URL('./core/', import.meta.resolve('rwsem')));
}

function sourceDirectory(): string {
  return fileURLToPath(new URL('../src/core/', import.meta.resolve('rwsem')));
}

export function readSource(file: string): string {
  return readFileSync(join(sourceDirectory(), file), 'utf8');
}

/** The very files that `import 'rwsem'` loads. */
export function readShippedCore(): SourceFile[] {
  const directory = coreDirectory();
  return readdirSync(directory)
    .filter((name) => name.endsWith('.js') && name !== ENVIRONMENT_FILE)
    .sort()
    .map((name) => readBuilt(directory, name, sourceDirectory()));
}

export function readBuilt(directory: string, name: string, originals: string): SourceFile {
  const optional = (path: string): string | undefined => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  };
  return {
    name,
    code: readFileSync(join(directory, name), 'utf8'),
    original: optional(join(originals, name.replace(/\.js$/, '.ts'))) ?? '',
    map: optional(join(directory, `${name}.map`)),
  };
}

/** The shipped files, but these (by name of the TypeScript file) built anew from a changed source. */
export function patchCore(shipped: readonly SourceFile[], changed: ReadonlyMap<string, string>): SourceFile[] {
  return shipped.map((file) => {
    const original = changed.get(file.name.replace(/\.js$/, '.ts'));
    return original === undefined ? file : build(file.name, original);
  });
}

function build(name: string, original: string): SourceFile {
  const { outputText, sourceMapText } = ts.transpileModule(original, {
    fileName: basename(name, '.js') + '.ts',
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ES2022,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      sourceMap: true,
    },
  });
  return { name, code: outputText, original, map: sourceMapText };
}
