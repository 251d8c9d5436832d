/** Copies of the library: each is an agent of its own, also within one thread. */

export type Library = typeof import('rwsem');

/** The copy with this number; the same number may give the same copy. */
export async function copyOfTheLibrary(number: number): Promise<Library> {
  const library = import.meta.resolve('rwsem');
  // What serves the tests to a page serves the copies as well.
  if (!library.startsWith('file:')) return (await import(new URL(`../copy-${number}/index.js`, library).href)) as Library;

  const { cpSync, mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { dirname, join } = await import('node:path');
  const { fileURLToPath, pathToFileURL } = await import('node:url');
  const folder = mkdtempSync(join(tmpdir(), 'rwsem-copy-'));
  try {
    cpSync(dirname(fileURLToPath(library)), folder, {
      recursive: true,
      filter: (file) => !/\.(map|ts|tsbuildinfo)$/.test(file),
    });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    return (await import(pathToFileURL(join(folder, 'index.js')).href)) as Library;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
