/** Main and worker in two bundles, each with its own minified copy of the library, share a lock: threads of Node, and a page with workers. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';
import webpack from 'webpack';
import { findChromium } from '../../scripts/chromium.js';
import { newConsumer } from './pack.ts';
import { outcomeOfPage } from './page.ts';
import { run } from './run.ts';

const fixtures = fileURLToPath(new URL('../consumers/bundles', import.meta.url));
const consumer = newConsumer();
after(() => consumer.remove());
const chromium = findChromium();
for (const name of ['main.js', 'worker.js', 'run-node.mjs']) copyFileSync(join(fixtures, name), join(consumer.folder, name));

const entry = (name: string) => join(consumer.folder, `${name}.js`);
const NAMES = ['main', 'worker'];

interface Outcome {
  count: number;
  expected: number;
  mode: string;
  /** Of the thread that awaited; otherwise the code of the error that it got. */
  mayBlock: true | string;
}

type Bundler = (name: string, outdir: string) => Promise<unknown>;

const BUNDLERS: Record<string, Bundler> = {
  esbuild: (name, outdir) =>
    esbuild({ entryPoints: [entry(name)], outdir, bundle: true, minify: true, format: 'esm', outExtension: { '.js': '.mjs' }, logLevel: 'error' }),

  vite: (name, outdir) =>
    vite({
      root: consumer.folder,
      configFile: false,
      logLevel: 'error',
      build: { outDir: outdir, emptyOutDir: false, minify: true, lib: { entry: entry(name), formats: ['es'], fileName: () => `${name}.mjs` } },
    }),

  webpack: (name, outdir) =>
    new Promise((resolve, reject) => {
      const compiler = webpack({
        mode: 'production',
        context: consumer.folder,
        entry: entry(name),
        experiments: { outputModule: true },
        output: { path: outdir, filename: `${name}.mjs`, library: { type: 'module' } },
      });
      compiler?.run((error, stats) => {
        if (error !== null || stats === undefined) reject(error ?? new Error('webpack gave no result'));
        else if (stats.hasErrors() || stats.hasWarnings()) reject(new Error(stats.toString()));
        else resolve(stats);
      });
    }),
};

for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
  test(`two bundles of ${bundler} share a lock`, { timeout: 120_000 }, async () => {
    const outdir = join(consumer.folder, bundler);
    for (const name of NAMES) await bundle(name, outdir);
    const [main, worker] = NAMES.map((name) => join(outdir, `${name}.mjs`)) as [string, string];
    for (const file of [main, worker]) {
      assert.doesNotMatch(readFileSync(file, 'utf8'), /from\s*["']rwsem|import\(["']rwsem/, `${file} has its own copy of the library`);
    }
    const { count, expected, mode, mayBlock } = JSON.parse(
      run(process.execPath, [join(consumer.folder, 'run-node.mjs'), main, worker], { timeoutMs: 60_000 }),
    ) as Outcome;
    assert.equal(count, expected, 'no increment was lost');
    assert.equal(mode, 'free');
    assert.equal(mayBlock, true);
  });

  const withoutChromium = chromium === null && 'there is no Chromium on the PATH';
  test(`the bundles of ${bundler} in a page: its main thread awaits what workers block on`, { timeout: 120_000, skip: withoutChromium }, async () => {
    const outdir = join(consumer.folder, bundler); // made by the test before
    for (const name of ['page.html', 'page-worker.mjs']) copyFileSync(join(fixtures, name), join(outdir, name));
    const { count, expected, mode, mayBlock } = (await outcomeOfPage(chromium!, outdir)) as Outcome;
    assert.equal(count, expected, 'no increment was lost');
    assert.equal(mode, 'free');
    assert.equal(mayBlock, 'ERR_RWSEM_CANNOT_BLOCK');
  });
}

test('a program that takes nothing from the library bundles to nothing', async () => {
  const { outputFiles } = await esbuild({
    stdin: { contents: 'import { RwSem } from "rwsem"; import "rwsem";', resolveDir: consumer.folder },
    bundle: true, minify: true, format: 'esm', write: false, logLevel: 'silent',
  });
  assert.equal(outputFiles[0]?.text.trim(), '');
});
