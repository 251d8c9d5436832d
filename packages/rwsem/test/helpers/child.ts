/** Runs a module in a process of its own, of the same runtime: for what concerns how a process ends. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
export function runModule(source: string, flags: Flag[] = []): Promise<Ended> {
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
