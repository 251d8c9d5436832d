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
  const install = ['install', '-y', '-qq', '--no-install-recommends', name];
  let failure = aptGet(install);
  if (failure !== null) {
    // A fresh machine has no lists of packages, and an old one lists what is gone.
    say('apt-get update, and again');
    failure = aptGet(['update', '-qq']) ?? aptGet(install);
  }
  if (failure !== null) say(`not installed: ${failure}`);
  return failure === null;
}

/** Null, or why it has failed. */
function aptGet(parameters: string[]): string | null {
  const { status, error, stderr } = spawnSync('apt-get', parameters, {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status === 0) return null;
  return error?.message ?? `apt-get ${parameters[0]} ended with ${status}\n${stderr.trim()}`;
}
