/** Fetches the runtimes: npm packages from this folder's manifest, browsers from Debian. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROMIUM, findOnPath } from '../../../../scripts/chromium.js';
import { FIREFOX } from './browser-runtime.ts';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

function run(program: string, args: string[]): boolean {
  const { status, stderr, stdout } = spawnSync(program, args, {
    cwd: FOLDER,
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) console.error(`${program} ${args.join(' ')} failed:\n${String(stderr || stdout).trim().split('\n').slice(-5).join('\n')}`);
  return status === 0;
}

/** Are the installed packages those of the lock file? npm keeps a copy of it beside them. */
function isUpToDate(): boolean {
  const installed = join(FOLDER, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const versions = (file: string): Record<string, { version: string; optional?: boolean }> =>
    (JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { version: string; optional?: boolean }> }).packages;
  const have = versions(installed);
  return Object.entries(versions(join(FOLDER, 'package-lock.json'))).every(
    ([path, { version, optional }]) => path === '' || have[path]?.version === version || (optional && !have[path]),
  );
}

export function installPackages(): void {
  if (!isUpToDate()) run('npm', ['ci', '--no-audit', '--no-fund']);
}

/** The name of Debian's package for each browser. */
const BROWSERS: [names: readonly string[], debian: string][] = [
  [CHROMIUM, 'chromium'],
  [FIREFOX, 'firefox-esr'],
];

/** Only as root on a system that has `apt-get`; otherwise what is there is what there is. */
export function installBrowsers(): void {
  const missing = BROWSERS.filter(([names]) => findOnPath(names) === null).map(([, debian]) => debian);
  if (missing.length === 0 || process.getuid?.() !== 0 || findOnPath(['apt-get']) === null) return;
  // One by one: what one system does not have must not keep the other away.
  if (run('apt-get', ['update', '-qq'])) for (const name of missing) run('apt-get', ['install', '-qq', '--no-install-recommends', name]);
}
