/** Runs a module in a process of its own, of the same runtime: for what concerns how a process ends. */

export const hasProcesses = typeof process === 'object';
/** For tests about processes and about how threads end. */
export const skipWithoutProcesses = hasProcesses ? {} : { skip: 'a page has no processes, and its workers do not end by themselves' };

export interface Ended {
  code: number | null;
  output: string;
  elapsedMs: number;
}

const LIMIT_MS = 30_000;

type Flag = '--expose-gc' | '--no-warnings';

/** What comes between the program of the runtime and the file; the flags are Node's. */
function runtimeArguments(flags: Flag[]): string[] {
  if (!('deno' in process.versions)) return flags;
  return ['run', '--allow-all', ...(flags.includes('--expose-gc') ? ['--v8-flags=--expose-gc'] : [])];
}

/** `source` may use `lib`, the URL of the library, in its imports through `await import(lib)`. */
export async function runModule(source: string, flags: Flag[] = []): Promise<Ended> {
  const { spawn } = await import('node:child_process');
  const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const lib = new URL('../../dist/index.js', import.meta.url).href;
  const program = `const lib = ${JSON.stringify(lib)};\nconst { RwSem, LockSpace } = await import(lib);\nimport { Worker } from 'node:worker_threads';\nimport process from 'node:process';\n${source}`;
  const folder = mkdtempSync(join(tmpdir(), 'rwsem-child-'));
  const file = join(folder, 'child.mjs');
  writeFileSync(file, program);
  const start = performance.now();
  return new Promise<Ended>((resolve, reject) => {
    const child = spawn(process.execPath, [...runtimeArguments(flags), file], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code, output, elapsedMs: performance.now() - start });
    });
  }).finally(() => rmSync(folder, { recursive: true }));
}
