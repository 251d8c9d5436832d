import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const RUN = fileURLToPath(new URL('../runtimes/dist/run.js', import.meta.url));

/** `npm run test:runtimes` with arguments that it refuses, before it installs or runs anything. */
function refused(...parameters: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUN, '--no-install', ...parameters], { encoding: 'utf8' });
  assert.equal(status, 2, stdout);
  assert.equal(stdout, '');
  return stderr;
}

test('a suite that --quick leaves out is refused with what to do instead', () => {
  const said = refused('--quick', '--suite', 'process', '--suite', 'threads');
  assert.match(said, /^--suite threads: --quick leaves out threads, scenarios; run it without --quick, or choose of conformance, .*process$/m);
});

test('so is the runtime that --quick leaves out', () => {
  const node = `Node ${process.versions.node.split('.')[0]}`;
  assert.match(refused('--quick', '--only', node), new RegExp(`^--only ${node}: --quick leaves out ${node}; run it without --quick, or choose of .*Bun`));
});

test('a name that fits nothing is told what there is, with --quick as well', () => {
  for (const quick of [[], ['--quick']]) assert.match(refused(...quick, '--suite', 'thread-pool'), /^--suite thread-pool: there is conformance, .*threads/);
});
