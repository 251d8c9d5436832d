/** What `deno publish` and `npx jsr publish` would send to JSR. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { newConsumer, repository, tools } from './pack.ts';
import { run } from './run.ts';

const consumer = newConsumer();
after(() => consumer.remove());

test('JSR takes the sources: a dry run of publishing checks their types and finds nothing slow', () => {
  const published = join(consumer.folder, 'published'); // in node_modules Deno sees no jsr.json
  renameSync(consumer.installed, published);
  copyFileSync(join(repository, 'packages/rwsem/jsr.json'), join(published, 'jsr.json'));
  // Without --allow-slow-types: a public name whose type had to be inferred would be refused.
  run(process.execPath, [join(tools, 'deno/bin.cjs'), 'publish', '--dry-run', '--allow-dirty'], { cwd: published });
});

test('both manifests have the same version', () => {
  const version = (file: string) => (JSON.parse(readFileSync(join(repository, 'packages/rwsem', file), 'utf8')) as { version: string }).version;
  assert.equal(version('jsr.json'), version('package.json'));
});
