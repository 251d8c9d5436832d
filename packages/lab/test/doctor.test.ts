import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Finding } from '../dist/doctor/finding.js';
import { CLI, ENVIRONMENT } from './helpers/command.ts';

const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

function run(args: string[], flags: string[] = []): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, CLI, 'doctor', ...args], { env: ENVIRONMENT }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function findings(args: string[], flags: string[] = []): Promise<{ code: number; works: boolean; bad: Finding[]; all: Finding[] }> {
  const { code, stdout, stderr } = await run([...args, '--json'], flags);
  assert.notEqual(stdout, '', stderr);
  const { works, findings } = JSON.parse(stdout) as { works: boolean; findings: Finding[] };
  return { code, works, bad: findings.filter(({ status }) => status === 'bad'), all: findings };
}

/** Everything is served with these headers. */
async function withServer(headers: Record<string, string | string[]>, body: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { Location: '/' });
    else response.writeHead(request.url === '/missing' ? 404 : 200, { 'Content-Type': request.url?.endsWith('.js') ? 'text/javascript' : 'text/html', ...headers });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await body(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('this runtime is found fit, by a lock that is tried', async () => {
  const { code, works, all } = await findings([]);
  assert.deepEqual([code, works], [0, true]);
  assert.deepEqual(all.map(({ what }) => what), ['runtime', 'isolation', 'SharedArrayBuffer', 'Atomics.wait', 'Atomics.waitAsync', 'Atomics.pause', 'cores', 'rwsem']);
  assert.match((await run([])).stdout, /rwsem works here\./);
});

test('a runtime without shared memory is found unfit', async () => {
  const { code, works, bad } = await findings([], ['--import', 'data:text/javascript,delete globalThis.SharedArrayBuffer']);
  assert.deepEqual([code, works], [1, false]);
  assert.deepEqual(bad.map(({ what }) => what), ['SharedArrayBuffer', 'rwsem']);
});

test('without waitAsync, or where the thread may not block, it works and says what is different', async () => {
  const source = 'delete Atomics.waitAsync; Atomics.wait = () => { throw new TypeError() };';
  const { code, all } = await findings([], ['--import', `data:text/javascript,${encodeURIComponent(source)}`]);
  assert.equal(code, 0);
  const notes = new Map(all.filter(({ status }) => status === 'note').map(({ what, advice }) => [what, advice]));
  assert.match(notes.get('Atomics.wait') ?? '', /CannotBlockError/);
  assert.match(notes.get('Atomics.waitAsync') ?? '', /2 ms/);
});

test('a page with both headers is found fit, also behind a redirect, and with its worker', async () => {
  await withServer(ISOLATED, async (origin) => {
    for (const args of [[`${origin}/`], [`${origin}/moved`, '--worker', `${origin}/worker.js`, '--resource', `${origin}/data`]]) {
      const { code, bad } = await findings(args);
      assert.deepEqual([code, bad], [0, []]);
    }
    const { code, bad } = await findings([origin, '--worker', `${origin}/worker.html`]);
    assert.deepEqual([code, bad.map(({ found }) => found)], [1, ['text/html']]);
  });
});

const unfit: Array<[string, Record<string, string | string[]>, RegExp]> = [
  ['without headers', {}, /not sent send 'Cross-Origin-Opener-Policy: same-origin'.*not sent send 'Cross-Origin-Embedder-Policy: require-corp'/],
  ['that keeps its opener', { ...ISOLATED, 'Cross-Origin-Opener-Policy': 'same-origin-allow-popups' }, /^same-origin-allow-popups send .* instead$/],
  ['that sends a header twice', { ...ISOLATED, 'Cross-Origin-Opener-Policy': ['same-origin', 'same-origin'] }, /once: browsers ignore/],
  ['that only reports', { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy-Report-Only': 'require-corp' }, /^only as Report-Only/],
  ['that gives the isolation away', { ...ISOLATED, 'Permissions-Policy': 'cross-origin-isolated=()' }, /remove 'cross-origin-isolated=\(\)'/],
];
for (const [what, headers, says] of unfit) {
  test(`a page ${what} is found unfit, with what to send`, async () => {
    await withServer(headers, async (origin) => {
      const { code, works, bad } = await findings([origin]);
      assert.deepEqual([code, works], [1, false]);
      assert.match(bad.map(({ found, advice }) => `${found} ${advice}`).join(' '), says);
    });
  });
}

test('headers may have parameters, and credentialless is enough', async () => {
  await withServer({ 'Cross-Origin-Opener-Policy': 'same-origin; report-to="x"', 'Cross-Origin-Embedder-Policy': 'credentialless' }, async (origin) => {
    const { code, all } = await findings([origin]);
    assert.equal(code, 0);
    assert.match(all.find(({ status }) => status === 'note')?.advice ?? '', /Safari/);
  });
});

test('scripts of workers and resources of another origin are looked at', async () => {
  await withServer(ISOLATED, async (page) => {
    await withServer({}, async (other) => {
      const { bad } = await findings([page, '--worker', `${other}/worker.js`, '--resource', `${other}/data`]);
      assert.deepEqual(bad.map(({ what }) => what), ['worker /worker.js', 'worker /worker.js, Cross-Origin-Embedder-Policy', `resource ${other}/data`]);
    });
    await withServer({ 'Cross-Origin-Resource-Policy': 'cross-origin' }, async (other) => {
      assert.equal((await findings([page, '--resource', `${other}/data`])).code, 0);
    });
  });
});

test('a page that is not there is said to be so', async () => {
  await withServer(ISOLATED, async (origin) => {
    const { code, bad } = await findings([`${origin}/missing`]);
    assert.deepEqual([code, bad[0]?.found], [1, 'status 404']);
  });
  assert.equal((await findings(['http://127.0.0.1:1/'])).code, 1);
});

test('what is not an address is refused before anything is asked', async () => {
  for (const args of [['nowhere'], ['file:///etc/passwd'], ['--worker', 'http://localhost/worker.js']]) {
    const { code, stderr } = await run(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, /address/);
  }
});
