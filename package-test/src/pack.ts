/** Packs `rwsem` as `npm publish` would, once, for all tests. Run as a program before them. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.ts';

const here = fileURLToPath(new URL('..', import.meta.url));
export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const tools = join(here, 'node_modules');
export const tarball = join(here, 'dist', 'rwsem.tgz');

/** An empty project outside of the repository, in which the tarball is installed and nothing else is found. */
export function newConsumer(): { folder: string; installed: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'rwsem-consumer-'));
  const installed = join(folder, 'node_modules', 'rwsem');
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  return { folder, installed, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const destination = join(here, 'dist');
  const output = run('npm', ['pack', '--json', '--pack-destination', destination], {
    cwd: join(repository, 'packages', 'rwsem'),
  });
  // What the scripts of the package print stands before the array; npm 12 gives an object by package name.
  const [packed] = Object.values(JSON.parse(output.slice(output.search(/^[[{]/m))) as Record<string, { filename: string }>);
  if (packed === undefined) throw new Error(`npm pack named no file:\n${output}`);
  renameSync(join(destination, packed.filename), tarball);
}
