import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { lab } from './helpers/command.ts';

let directory = '';
before(() => void (directory = mkdtempSync(join(tmpdir(), 'rwsem-report-'))));
after(() => rmSync(directory, { recursive: true, force: true }));

const run = (...parameters: string[]) => lab(parameters, { cwd: directory, timeout: 120_000 });

test('one page shows a bench, a failed torture and a report of another kind, without scripts or network', () => {
  run('bench', '--locks', 'futex-mutex', '--threads', '1,2', '--read', '50', '--rounds', '1', '--seconds', '0.05', '--no-html', '--json', 'bench.json');
  run('torture', '--lock', 'broken', '--seconds', '2', '--threads', '3', '--json', 'torture.json');
  const { provenance } = JSON.parse(readFileSync(join(directory, 'bench.json'), 'utf8')) as { provenance: { core: { sha256: string } } };
  const other = { ...provenance, core: { files: {}, sha256: 'f'.repeat(64) } };
  writeFileSync(join(directory, 'other.json'), JSON.stringify({ kind: 'rwsem-lab other', schema: 7, provenance: other, found: '<script>' }));

  const { status, stderr } = run('report', 'bench.json', 'torture.json', 'other.json', '--html', 'all.html');
  assert.equal(status, 0, stderr);
  const page = readFileSync(join(directory, 'all.html'), 'utf8');
  assert.ok(page.includes(provenance.core.sha256));
  assert.match(page, /half and half[^]*<svg[^]*futex-mutex/);
  assert.match(page, /Verdict: <span class="bad">FAILED<[^]*found out: [^]*Violation/);
  assert.match(page, /rwsem-lab other[^]*schema 7/);
  assert.match(page, /different versions of the lock/);
  assert.doesNotMatch(page, /<script|<link|(src|href)="https?:/);
});

test('what is no report, or one of another version, is refused with what to do, and no page is written', () => {
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
  write('garbage.json', '{');
  write('null.json', 'null');
  write('foreign.json', '{"kind":"other"}');
  write('old.json', JSON.stringify({ kind: 'rwsem-lab bench', schema: 1, provenance: { core: { sha256: '' } } }));
  for (const [file, says] of [['garbage.json', /not JSON/], ['null.json', /no report/], ['foreign.json', /no report/], ['old.json', /make it again/], ['absent.json', /cannot read/]] as const) {
    const { status, stderr } = run('report', file, '--html', 'never.html');
    assert.equal(status, 2, file);
    assert.match(stderr, says);
  }
  assert.throws(() => readFileSync(join(directory, 'never.html')));
});
