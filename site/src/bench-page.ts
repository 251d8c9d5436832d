/** The page with the benchmark: its HTML, and the lab's benchmark bundled for browsers. */
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { REPORT_STYLE } from '../../packages/lab/dist/report/html.js';
import { compiled, output, repository } from './paths.ts';
import type { Page } from './template.ts';

const lab = join(repository, 'packages/lab/dist');
const shims = join(repository, 'packages/rwsem/runtimes/dist/page');

/** Node's modules as the tests in browsers have them, and one more. */
const SHIMS: Record<string, string> = {
  'node:os': join(compiled, 'page/os.js'),
  'node:timers/promises': join(shims, 'timers-promises.js'),
  'node:worker_threads': join(shims, 'worker-threads.js'),
};

const nodeModules: Plugin = {
  name: 'modules of Node',
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path }) => {
      const shim = SHIMS[path];
      if (shim !== undefined) return { path: shim };
      // Whatever is left of it once unused functions are gone stops the build.
      return { path, external: true, sideEffects: false };
    });
  },
};

export async function bundleBenchmark(): Promise<void> {
  const locks = ['rwsem', 'rwsem-async', 'web-locks', 'futex-mutex', 'broken-nothing'];
  const { metafile } = await build({
    entryPoints: {
      page: join(compiled, 'page/bench.js'),
      worker: join(lab, 'bench/worker.js'),
      ...Object.fromEntries(locks.map((name) => [`locks/${name}`, join(lab, `locks/${name}.js`)])),
    },
    outdir: join(output, 'bench'),
    bundle: true,
    splitting: true, // page, worker and locks share modules, as they do in Node
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.exit': 'close' }, // of the worker, which ends itself
    plugins: [nodeModules],
    metafile: true,
    logLevel: 'warning',
  });
  await build({ entryPoints: [join(compiled, 'page/isolation-worker.js')], outdir: output, bundle: true, minify: true, format: 'iife', target: 'es2022', logLevel: 'warning' });
  for (const [file, { imports }] of Object.entries(metafile.outputs)) {
    const missing = imports.find(({ path, external }) => external && path.startsWith('node:'));
    if (missing !== undefined) throw new Error(`${file} needs ${missing.path}, which browsers do not have`);
  }
}

const option = (value: string, text: string, selected = false) => `<option value="${value}"${selected ? ' selected' : ''}>${text}</option>`;

export const benchPage: Page = {
  path: 'bench.html',
  title: 'Benchmark in your browser · rwsem',
  wide: true,
  head: `<style>${REPORT_STYLE}</style>\n<script type="module" src="bench/page.js"></script>\n`,
  body: `<h1>Benchmark in your browser</h1>
<p>Workers of this page repeat <em>acquire, critical section, release</em> on one lock in shared memory, and check from inside that the lock
excludes. It is the benchmark of <a href="lab.html#bench"><code>rwsem-lab bench</code></a>, the same files, bundled. Nothing leaves your browser.</p>
<form id="choices">
<label>Threads <input name="threads" value="1,2,4" inputmode="text" autocomplete="off" aria-describedby="threads-help"><small id="threads-help">numbers up to 64, with commas</small></label>
<label>Readers <span><input type="range" id="read" name="read" min="0" max="100" step="5" value="50"> <output id="read-shown">50 %</output></span><small>share of acquisitions that read</small></label>
<label>Section <select name="section">${option('empty', 'empty')}${option('100spins', '100 multiplications', true)}${option('1000spins', '1,000 multiplications')}${option('10000spins', '10,000 multiplications')}${option('100000spins', '100,000 multiplications')}</select><small>work inside the lock</small></label>
<label>Round <select name="seconds">${option('0.1', '0.1 s')}${option('0.25', '0.25 s')}${option('0.5', '0.5 s', true)}${option('1', '1 s')}${option('5', '5 s')}</select><small>each with fresh workers</small></label>
<label>Rounds <select name="rounds">${['1', '3', '5', '9'].map((rounds) => option(rounds, rounds, rounds === '3')).join('')}</select><small>locks take turns</small></label>
<fieldset id="locks"><legend>Locks</legend></fieldset>
<p class="buttons"><button id="start" disabled>Start</button> <button id="stop" type="button" disabled>Stop</button></p>
</form>
<p id="status" role="status">The benchmark needs JavaScript: allow it for this page.</p>
<section id="measuring" hidden>
<progress id="progress" value="0" aria-label="how much has been done"></progress>
<div id="live"></div>
<p id="summary"></p>
<div id="results"></div>
<p id="notes"></p>
</section>
<h2 id="reading">Reading it</h2>
<p>The columns are those of the <a href="lab.html#bench">lab</a>: <em>kops/s</em> is thousand acquisitions a second over all threads,
<em>p50</em> and <em>p99</em> how long a sampled acquisition took. A section of a lock that is awaited spans a
turn of the event loop, which costs more than the lock: compare <code>rwsem-async</code> with <code>navigator.locks</code>, and
<code>rwsem</code> with other locks that block. Other pages and programs take processors away; so does this page while it draws.</p>
`,
};
