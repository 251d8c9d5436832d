// Usage: node scripts/ensure-installed.js <folder>
// `npm ci` in a folder with a lock file of its own (tools that few people need), unless it is installed as locked.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = process.argv[2];
if (folder === undefined || !existsSync(join(folder, 'package-lock.json'))) {
  console.error('Name a folder that has a package-lock.json: node scripts/ensure-installed.js <folder>');
  process.exit(2);
}

const installed = join(folder, 'node_modules', '.package-lock.json');
const isCurrent =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs;

if (!isCurrent) {
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: resolve(folder),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exit(npm.status ?? 1);
}
