/** The lock of this project with another value of one of its constants: a copy of the built package. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ArgumentError } from '../bench/argument-error.ts';
import { replaceOnce } from '../replace-once.ts';

interface Declaration {
  file: string;
  line: string;
}

export interface Constant {
  name: string;
  value: string;
  declaration: Declaration;
}

const PACKAGE = dirname(fileURLToPath(import.meta.resolve('rwsem')));
const FOLDER = 'core';

/** `NAME=1,2,3`: the constant with each of these values. Whole numbers only. */
export function parseConstant(text: string): Constant[] {
  const [name = '', values = ''] = text.split('=', 2).map((part) => part.trim());
  const declared = declarations();
  const declaration = declared.get(name);
  if (declaration === undefined) {
    throw new ArgumentError(`no constant of the core is called "${name}"; there are ${[...declared.keys()].sort().join(', ')}`);
  }
  return values.split(',').map((value) => {
    if (!/^\d{1,9}$/.test(value.trim())) throw new ArgumentError(`${name} must be whole numbers from 0, as in ${name}=10,20, not "${values}"`);
    return { name, value: value.trim(), declaration };
  });
}

/** The URL of a copy of this lock module, `rwsem.js` or another that imports the package by its name. */
export function retuned(module: string, { value, declaration: { file, line } }: Constant): string {
  const root = mkdtempSync(join(tmpdir(), 'rwsem-retuned-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  cpSync(PACKAGE, join(root, 'rwsem'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n');
  changeFile(join(root, 'rwsem', FOLDER, file), line, line.replace(/= .*;/, `= ${value};`));
  const here = dirname(fileURLToPath(import.meta.url));
  for (const each of new Set(['rwsem.js', module])) {
    cpSync(join(here, each), join(root, each));
    changeFile(join(root, each), "from 'rwsem';", "from './rwsem/index.js';");
  }
  return pathToFileURL(join(root, module)).href;
}

/** Constants with a number of their own, by name; those that two files share a name for are left out. */
function declarations(): Map<string, Declaration> {
  const found = new Map<string, Declaration>();
  const twice = new Set<string>();
  for (const file of readdirSync(join(PACKAGE, FOLDER)).filter((each) => each.endsWith('.js') && each !== 'layout.js')) {
    for (const [line, name] of readFileSync(join(PACKAGE, FOLDER, file), 'utf8').matchAll(/^const ([A-Z_]+) = \d+;$/gm)) {
      if (found.has(name!)) twice.add(name!);
      found.set(name!, { file, line });
    }
  }
  for (const name of twice) found.delete(name);
  return found;
}

function changeFile(file: string, find: string, replace: string): void {
  const refuse = (times: number): Error => new Error(`${file} must have "${find}" exactly once, not ${times} times`);
  writeFileSync(file, replaceOnce(readFileSync(file, 'utf8'), find, replace, refuse));
}
