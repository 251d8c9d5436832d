import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { installDebianPackage } from '../dist/debian.js';

const NOT_ROOT = process.getuid?.() !== 0 && 'only root may install';

/** An `apt-get` that writes down what it is asked for, and has packages only after so many updates. */
function withAptGet(updates: number, run: () => boolean): { installed: boolean; calls: string[] } {
  const directory = mkdtempSync(join(tmpdir(), 'apt-'));
  const log = join(directory, 'log');
  const before = process.env['PATH'];
  try {
    writeFileSync(log, '');
    writeFileSync(join(directory, 'apt-get'), `#!/bin/sh\necho "$*" >> ${log}\n[ "$1" = update ] || [ "$(grep -c update ${log})" -ge ${updates} ] || { echo 'E: Unable to locate package' >&2; exit 100; }\n`, { mode: 0o755 });
    process.env['PATH'] = `${directory}:${before}`;
    const installed = run();
    return { installed, calls: readFileSync(log, 'utf8').trim().split('\n').map((call) => call.split(' ')[0] as string) };
  } finally {
    process.env['PATH'] = before;
    rmSync(directory, { recursive: true });
  }
}

test('a package is fetched by apt-get; the lists are updated only if it is not found', { skip: NOT_ROOT }, () => {
  const install = (): boolean => installDebianPackage('no-such-package', () => {});
  assert.deepEqual(withAptGet(0, install), { installed: true, calls: ['install'] });
  assert.deepEqual(withAptGet(1, install), { installed: true, calls: ['install', 'update', 'install'] });
});

test('a package that is not to be had even then is not installed, and apt-get is quoted', { skip: NOT_ROOT }, () => {
  const said: string[] = [];
  const { installed, calls } = withAptGet(2, () => installDebianPackage('no-such-package', (text) => said.push(text)));
  assert.equal(installed, false);
  assert.deepEqual(calls, ['install', 'update', 'install']);
  assert.match(said.join('\n'), /not installed: .*Unable to locate package/s);
});
