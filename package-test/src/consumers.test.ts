/** A TypeScript program that uses the packed tarball, compiled by every compiler from 5.4 on, as people set them. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newConsumer, tools } from './pack.ts';
import { run } from './run.ts';

const COMPILERS = ['5.4', '5.9', '6', '7'];
const fixtures = fileURLToPath(new URL('../consumers/typescript', import.meta.url));

interface Setting {
  name: string;
  options: Record<string, unknown>;
  files: string[];
  /** Where every compiler would be too slow, or does not know the `lib`: some. */
  compilers?: string[];
}

const SETTINGS: Setting[] = [
  {
    name: 'a page with a bundler: lib ES2022, DOM, ESNext.Disposable',
    options: { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM', 'ESNext.Disposable'], types: [] },
    files: ['uses-all.ts', 'uses-using.ts'],
  },
  {
    name: 'Node: lib ES2022 and @types/node, from ESM and from CommonJS',
    options: { module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2022'], types: ['node'] },
    files: ['uses-all.ts', 'uses-using.ts', 'from-commonjs.cts'],
  },
  {
    name: 'the oldest lib: ES2017 and @types/node, module Node16',
    options: { module: 'Node16', moduleResolution: 'Node16', lib: ['ES2017'], types: ['node'] },
    files: ['uses-all.ts'],
    compilers: ['5.4', '7'],
  },
  {
    name: 'a page without ESNext.Disposable, but with skipLibCheck',
    options: { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM'], types: [], skipLibCheck: true },
    files: ['without-dispose.ts'],
  },
  {
    name: 'ES2024 shared memory: lib ES2024, DOM, ESNext.Disposable',
    options: { target: 'ES2024', module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2024', 'DOM', 'ESNext.Disposable'], types: [] },
    files: ['uses-all.ts'],
    compilers: ['5.9', '7'],
  },
];

const consumer = newConsumer();
after(() => consumer.remove());
mkdirSync(join(consumer.folder, 'node_modules', '@types'));
symlinkSync(join(tools, '@types/node'), join(consumer.folder, 'node_modules', '@types', 'node'));
for (const name of ['uses-all.ts', 'uses-using.ts', 'from-commonjs.cts']) copyFileSync(join(fixtures, name), join(consumer.folder, name));
writeFileSync(
  join(consumer.folder, 'without-dispose.ts'),
  readFileSync(join(fixtures, 'uses-all.ts'), 'utf8').replace('tried?.[Symbol.dispose]();\n', 'tried?.release();\n'),
);

function compile(compiler: string, options: Record<string, unknown>, files: string[]): string {
  const home = join(tools, `typescript-${compiler}`);
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { bin: { tsc: string } };
  const compilerOptions = { target: 'ES2022', strict: true, noEmit: true, skipLibCheck: false, skipDefaultLibCheck: true, exactOptionalPropertyTypes: true, ...options };
  const project = join(consumer.folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  return run(process.execPath, [join(home, bin.tsc), '-p', project], { cwd: consumer.folder });
}

for (const compiler of COMPILERS) {
  for (const { name, options, files, compilers } of SETTINGS) {
    if (compilers !== undefined && !compilers.includes(compiler)) continue;
    test(`TypeScript ${compiler} takes it: ${name}`, () => {
      assert.equal(compile(compiler, options, files), '');
    });
  }
}

test('without lib ESNext.Disposable, skipLibCheck and @types/node the compiler says what is missing', () => {
  const options = { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM'], types: [] };
  assert.throws(() => compile('6', options, ['without-dispose.ts']), /Property 'dispose' does not exist/);
});

test('declaration maps lead an editor from a name to its source', () => {
  const map = JSON.parse(readFileSync(join(consumer.installed, 'dist/rwsem.d.ts.map'), 'utf8')) as { sources: string[] };
  assert.deepEqual(map.sources, ['../src/rwsem.ts']);
  assert.ok(existsSync(join(consumer.installed, 'src/rwsem.ts')));
});
