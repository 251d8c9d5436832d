/** The benchmark page in Chromium, with headers of isolation and without; skipped where there is no Chromium. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { findChromium, chromiumArguments } from '../../scripts/chromium.js';
import { serve, type Server } from './server.ts';

const executablePath = findChromium();
const WAIT_MS = 60_000;

describe('the benchmark page', { skip: executablePath === null && 'there is no Chromium on the PATH' }, () => {
  let browser: Browser;
  const servers: Server[] = [];
  before(async () => {
    browser = await puppeteer.launch({ executablePath: executablePath!, headless: true, args: chromiumArguments() });
  });
  after(async () => {
    await browser?.close();
    for (const server of servers) await server.close();
  });

  /** A page that is ready to start, and what went wrong on it so far. */
  async function open(query: string, { isolated = true } = {}): Promise<{ page: Page; complaints: string[] }> {
    const server = await serve({ isolated });
    servers.push(server);
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('requestfailed', (request) => complaints.push(`${request.url()} was not loaded`));
    await page.goto(`${server.address}bench.html?${query}`);
    await page.waitForFunction("document.getElementById('status').textContent === 'Ready.'", { timeout: WAIT_MS });
    return { page, complaints };
  }

  async function run(page: Page) {
    await page.click('#start');
    await page.waitForFunction("!document.getElementById('start').disabled", { timeout: WAIT_MS });
    return page.evaluate(() => {
      const { textContent, dataset } = document.getElementById('summary')!;
      const status = document.getElementById('status')!.textContent ?? '';
      const rows = [...document.querySelectorAll('#results tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent ?? ''));
      return { status, summary: textContent ?? '', verdict: dataset['verdict'], operations: Number(dataset['operations']), rows, plots: document.querySelectorAll('#results svg').length };
    });
  }

  const every = 'lock=rwsem&lock=rwsem-async&lock=navigator.locks';

  test('measures every lock and verifies that it excludes', async () => {
    const { page, complaints } = await open(`threads=2&read=50&seconds=0.3&rounds=1&${every}`);
    const { status, verdict, summary, operations, rows, plots } = await run(page);
    assert.equal(status, 'Done.');
    assert.equal(verdict, 'held', summary);
    assert.ok(operations > 0);
    assert.deepEqual(rows.map((cells) => [cells[1], cells.at(-1)]), [['rwsem', 'held'], ['rwsem-async', 'held'], ['navigator.locks', 'held']]);
    for (const cells of rows) assert.ok(Number(cells[2]!.replace(',', '')) > 0, cells.join(' '));
    assert.ok(plots >= 3);
    assert.deepEqual(complaints, []);
  });

  test('finds out a lock that locks nothing', async () => {
    const { page, complaints } = await open('threads=3&read=50&section=10000spins&seconds=0.5&rounds=1&lock=broken-nothing');
    const { verdict, summary } = await run(page);
    assert.equal(verdict, 'failed');
    assert.match(summary, /broken-nothing, threads 3: VIOLATED/);
    assert.deepEqual(complaints, []);
  });

  test('isolates itself where the server sends no headers', async () => {
    const { page, complaints } = await open('threads=1&seconds=0.1&rounds=1&lock=rwsem', { isolated: false });
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
    assert.equal((await run(page)).verdict, 'held');
    assert.deepEqual(complaints, []);
  });

  test('says what is wrong with a choice, and runs nothing', async () => {
    const { page } = await open('threads=0&lock=rwsem');
    const { status, verdict } = await run(page);
    assert.match(status, /Threads must be a whole number from 1 to 64, not "0"/);
    assert.equal(verdict, undefined);
  });

  test('no page is wider than a phone', async () => {
    const { page } = await open('lock=rwsem');
    await page.setViewport({ width: 390, height: 800 });
    for (const path of ['index', 'bench', 'reports', 'examples', 'lab', 'design', 'changelog', 'source/examples/src/cache.ts', 'api/index', 'api/classes/RwSem']) {
      await page.goto(`${servers.at(-1)!.address}${path}.html`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, path);
    }
  });
});
