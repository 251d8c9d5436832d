import { spawnSync } from 'node:child_process';

export interface RunOptions {
  cwd?: string;
  timeoutMs?: number;
}

/** Runs a program to its end; its output, or an error that shows all it said. */
export function run(program: string, args: string[], options: RunOptions = {}): string {
  const result = spawnSync(program, args, {
    cwd: options.cwd,
    encoding: 'utf8',
    timeout: options.timeoutMs ?? 120_000,
    killSignal: 'SIGKILL',
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) {
    throw new Error(`${program} ${args.join(' ')} ended with ${result.status ?? result.signal}\n${result.stdout}${result.stderr}`);
  }
  return result.stdout;
}
