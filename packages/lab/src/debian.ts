/** Packages of Debian and its kin, installed by those who may. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** True if it is there afterwards. What is done, or why not, is said. */
export function installDebianPackage(name: string, say: (text: string) => void): boolean {
  if (existsSync(`/usr/share/doc/${name}`)) return true;
  if (process.getuid?.() !== 0) {
    say(`${name} is not installed, and installing it takes root`);
    return false;
  }
  say(`apt-get install ${name}`);
  const { status, error } = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) say(`not installed: ${error?.message ?? `apt-get ended with ${status}`}`);
  return status === 0;
}
