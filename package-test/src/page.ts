/** Opens a folder as a cross-origin isolated page in Chromium. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { chromiumArguments } from '../../scripts/chromium.js';

const TYPES: Record<string, string> = { '.html': 'text/html', '.mjs': 'text/javascript' };
const LIMIT_MS = 60_000;

/** What `globalThis.outcome` of `page.html` resolves to. Whatever the page complains about is an error. */
export async function outcomeOfPage(executablePath: string, folder: string): Promise<unknown> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const headers = {
      'Content-Type': TYPES[extname(path)] ?? 'text/plain',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    };
    readFile(join(folder, path)).then(
      (content) => response.writeHead(200, headers).end(content),
      (error: Error) => response.writeHead(404).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const browser = await puppeteer.launch({ executablePath, headless: true, args: chromiumArguments(), protocolTimeout: LIMIT_MS });
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/page.html`);
    const outcome = await page.evaluate('globalThis.outcome');
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    return outcome;
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
}
