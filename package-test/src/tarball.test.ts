/** The packed tarball, looked at by the tools that users' complaints come from. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test, { after } from 'node:test';
import { newConsumer, tarball, tools } from './pack.ts';
import { run } from './run.ts';

const consumer = newConsumer();
after(() => consumer.remove());

const files = readdirSync(consumer.installed, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(consumer.installed, join(entry.parentPath, entry.name)));

test('publint has nothing to say, not even a suggestion', () => {
  const said = run(process.execPath, [join(tools, 'publint/src/cli.js'), 'run', tarball, '--strict', '--level', 'suggestion']);
  assert.match(said, /All good!/);
});

test('the types are found wherever the program is found (attw)', () => {
  // ESM only: that `require` from CommonJS gets a module with a namespace is meant so.
  run(process.execPath, [join(tools, '@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'esm-only', '--format', 'ascii']);
});

test('it has no dependencies and no install scripts', () => {
  const manifest = JSON.parse(readFileSync(join(consumer.installed, 'package.json'), 'utf8')) as Record<string, unknown>;
  for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies']) assert.equal(manifest[field], undefined);
  const scripts = Object.keys((manifest['scripts'] ?? {}) as object);
  assert.deepEqual(scripts.filter((name) => /install|^prepare$/.test(name)), []);
});

test('it has program, types, sources and documents, and nothing else', () => {
  const strangers = files.filter(
    (file) => !/^(dist\/[\w/-]+\.(js|js\.map|d\.ts|d\.ts\.map)|src\/[\w/-]+\.ts|package\.json|README\.md|DESIGN\.md|CHANGELOG\.md|LICENSE)$/.test(file),
  );
  assert.deepEqual(strangers, []);
  for (const name of ['README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts']) assert.ok(files.includes(name), name);
});

test('every source map leads to a source that is in it', () => {
  const maps = files.filter((file) => file.endsWith('.map'));
  assert.ok(maps.some((file) => file.endsWith('.d.ts.map')) && maps.some((file) => file.endsWith('.js.map')));
  for (const file of maps) {
    const map = JSON.parse(readFileSync(join(consumer.installed, file), 'utf8')) as { sources: string[] };
    assert.ok(map.sources.length > 0, file);
    for (const source of map.sources) {
      assert.ok(existsSync(resolve(consumer.installed, dirname(file), source)), `${file} names ${source}`);
    }
  }
});

test('links of its documents lead to files that are in it, or to the repository', () => {
  for (const name of ['README.md', 'DESIGN.md', 'CHANGELOG.md']) {
    const text = readFileSync(join(consumer.installed, name), 'utf8');
    for (const [, link] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (link === undefined || /^https?:/.test(link) || /^(examples|packages|site)\b/.test(link)) continue;
      assert.ok(existsSync(join(consumer.installed, link)), `${name} links to ${link}`);
    }
  }
});

test('importing it does nothing but define names', () => {
  const names = run(process.execPath, [
    '--input-type=module',
    '--eval',
    `const before = Reflect.ownKeys(globalThis).length;
     const listeners = process.eventNames().length;
     const names = Object.keys(await import('rwsem')).sort();
     if (Reflect.ownKeys(globalThis).length !== before || process.eventNames().length !== listeners) throw new Error('side effect');
     console.log(names.join(' '));`,
  ], { cwd: consumer.folder });
  assert.equal(
    names.trim(),
    'CannotBlockError DeadlockError DetachedError InvalidHandleError LockSpace NoSharedMemoryError NotOwnerError RwSem RwSemError ' +
      'SpaceFullError StillInUseError TimeoutError TooManyReadersError',
  );
});
