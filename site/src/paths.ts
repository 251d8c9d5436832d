/** Where things are. Compiled files lie in `site/build/`, the site in `site/dist/`. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const output = fileURLToPath(new URL('../dist/', import.meta.url));
export const compiled = fileURLToPath(new URL('.', import.meta.url));
export const sources = fileURLToPath(new URL('../src/', import.meta.url));

export function writeOutput(path: string, content: string | Uint8Array): void {
  const file = join(output, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
