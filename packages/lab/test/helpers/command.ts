/** Runs `rwsem-lab` as a user would. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
/** Without colours, which a test runner on a terminal asks its children for. */
export const ENVIRONMENT = { ...process.env, NO_COLOR: '1' };

export function lab(parameters: readonly string[], options: { cwd?: string; timeout?: number } = {}): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [CLI, ...parameters], { ...options, encoding: 'utf8', env: ENVIRONMENT });
}
