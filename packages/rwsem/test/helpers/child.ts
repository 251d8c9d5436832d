/** Runs a module in a Node process of its own: for what concerns how a process ends. */
import { spawn } from 'node:child_process';

export interface Ended {
  code: number | null;
  output: string;
  elapsedMs: number;
}

const LIMIT_MS = 30_000;

/** `source` may use `lib`, the URL of the library, in its imports through `await import(lib)`. */
export function runModule(source: string, flags: string[] = []): Promise<Ended> {
  const lib = new URL('../../dist/index.js', import.meta.url).href;
  const program = `const lib = ${JSON.stringify(lib)};\nconst { RwSem, LockSpace } = await import(lib);\nimport { Worker } from 'node:worker_threads';\n${source}`;
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, '--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code, output, elapsedMs: performance.now() - start });
    });
  });
}
