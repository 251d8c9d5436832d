import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findDeadLinks } from './links.ts';
import { output } from './paths.ts';
import { NAVIGATION } from './template.ts';

test('no link of the site leads nowhere', () => {
  const { pages, links, dead } = findDeadLinks(output);
  assert.deepEqual(dead, []);
  assert.ok(pages > NAVIGATION.length && links > pages, `${pages} pages, ${links} links`);
});

test('a dead link is found, whatever is wrong with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwsem-links-'));
  try {
    writeFileSync(join(folder, 'other.html'), '<h1 id="there">there</h1>');
    writeFileSync(
      join(folder, 'index.html'),
      '<a href="other.html#there"></a><a href="https://example.org/"></a>' +
        '<a href="missing.html"></a><img src="missing.png"><a href="other.html#missing"></a><a href="#missing"></a><a href="/index.html"></a><a href="../x.html"></a>',
    );
    assert.deepEqual(findDeadLinks(folder).dead.map((line) => line.split(': ')[1]), [
      'missing.html', 'missing.png', 'other.html#missing', '#missing', '/index.html', '../x.html',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
