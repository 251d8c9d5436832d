/** Where a figure comes from: without it, a figure is a rumour. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Provenance {
  date: string;
  commandLine: string;
  runtime: string;
  cpuModel: string;
  cores: number;
  memoryGiB: number;
  system: string;
  /** SHA-256 of every file of the lock's core that was loaded, and of all of them together. */
  core: { sha256: string; files: Record<string, string> };
}

export function collectProvenance(): Provenance {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    commandLine: ['rwsem-lab', ...process.argv.slice(2)].join(' '),
    runtime: runtimeName(),
    cpuModel: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${process.arch}`,
    core: hashCore(),
  };
}

export function runtimeName(): string {
  const { bun, deno, node, v8 } = process.versions;
  if (bun !== undefined) return `Bun ${bun}`;
  if (deno !== undefined) return `Deno ${deno} (V8 ${v8})`;
  return `Node ${node} (V8 ${v8})`;
}

/** Of the files that `import 'rwsem'` finds from here, not of those that somebody thinks it finds. */
export function hashCore(): Provenance['core'] {
  const directory = fileURLToPath(new URL('./core/', import.meta.resolve('rwsem')));
  const names = readdirSync(directory).filter((name) => name.endsWith('.js')).sort();
  const files = Object.fromEntries(names.map((name) => [name, sha256(readFileSync(join(directory, name)))]));
  const all = Object.entries(files).map(([name, hash]) => `${hash}  ${name}\n`);
  return { sha256: sha256(all.join('')), files };
}

export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
