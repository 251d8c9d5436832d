/**
 * Serves the library, its tests and the harness to a page, as the modules that they are. Pages have no
 * packages: specifiers that name one are rewritten on the way (an import map does not reach workers).
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundler, type ModuleLexer, moduleLexer } from './packages.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const HARNESS = '/rwsem/runtimes/dist/page/';

const SPECIFIERS: Record<string, string> = {
  rwsem: '/rwsem/dist/index.js',
  'fast-check': '/bundle/fast-check.js',
  'node:assert/strict': '/bundle/assert.js',
  'node:events': `${HARNESS}events.js`,
  'node:test': `${HARNESS}test.js`,
  'node:timers/promises': `${HARNESS}timers-promises.js`,
  'node:util': `${HARNESS}util.js`,
  'node:worker_threads': `${HARNESS}worker-threads.js`,
};

/** Packages, as one module each. `assert` is the one that bundlers put in the place of Node's. */
const BUNDLES: Record<string, string> = {
  'assert.js': "import assert from 'assert'; export default assert.strict;",
  'fast-check.js': "export * from 'fast-check'; export { default } from 'fast-check';",
};

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.map': 'application/json' };

const PAGE = `<!doctype html><title>rwsem</title><link rel="icon" href="data:,"><script type="module" src="${HARNESS}page.js"></script>`;

export interface Server {
  origin: string;
  close(): Promise<void>;
}

/** Without the headers of isolation, pages have no `SharedArrayBuffer`. */
export async function serve({ isolated }: { isolated: boolean }): Promise<Server> {
  const lexer = await moduleLexer();
  await lexer.init;
  const bundles = new Map<string, Promise<string>>();
  const headers = isolated
    ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }
    : {};

  async function answer(path: string): Promise<string> {
    if (path === '/') return PAGE;
    const [, top, ...rest] = path.split('/');
    if (top === 'bundle') {
      const name = rest.join('/');
      const bundle = bundles.get(name) ?? makeBundle(name);
      bundles.set(name, bundle);
      return bundle;
    }
    // Copies of the library are other addresses of the same files.
    const file = rest.join('/').replace(/^copy-\d+\//, 'dist/');
    const source = await readFile(`${PACKAGE}${file}`, 'utf8');
    return extname(file) === '.js' ? rewrite(lexer, source) : source;
  }

  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url as string, 'http://localhost').pathname);
    answer(path).then(
      (body) => response.writeHead(200, { ...headers, 'Content-Type': TYPES[extname(path) || '.html'] ?? 'text/plain' }).end(body),
      (error: Error) => response.writeHead(404, headers).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
}

async function makeBundle(name: string): Promise<string> {
  const contents = BUNDLES[name];
  if (contents === undefined) throw new Error(`no bundle ${name}`);
  const { build } = await bundler();
  const { outputFiles } = await build({
    // From the tests' folder upwards, and from this one.
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    format: 'esm',
    write: false,
    define: { global: 'globalThis', 'process.env.NODE_DEBUG': '""' },
    banner: { js: 'const process = { env: {} };' },
  });
  return outputFiles[0]?.text ?? '';
}

/** Replaces the specifiers that name packages, in imports and in `import.meta.resolve`. */
function rewrite(lexer: ModuleLexer, source: string): string {
  const [imports] = lexer.parse(source);
  let result = source;
  for (const { type, start, end, specifier } of [...imports].reverse()) {
    const path = SPECIFIERS[specifier ?? ''];
    if (path === undefined) continue;
    result = result.slice(0, start) + (type === 'dynamic' ? JSON.stringify(path) : path) + result.slice(end);
  }
  return result.replace(/import\.meta\.resolve\('([\w-]+)'\)/g, (all, name: string) =>
    SPECIFIERS[name] ? `new URL('${SPECIFIERS[name]}', import.meta.url).href` : all,
  );
}
