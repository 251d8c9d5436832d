/** Usage: node build/build.js [reports of the lab, as JSON]. Makes the site in `site/dist/`. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ArgumentError } from '../../packages/lab/dist/bench/argument-error.js';
import { benchPage, bundleBenchmark } from './bench-page.ts';
import { renderDocuments } from './documents.ts';
import { loadHighlighter } from './highlight.ts';
import { output, sources, writeOutput } from './paths.ts';
import { writeReference } from './reference.ts';
import { renderReportsPage } from './reports.ts';
import { renderPage } from './template.ts';

const reports = process.argv.slice(2).map((file) => resolve(process.env['INIT_CWD'] ?? '.', file));

async function build(): Promise<void> {
  const reportsPage = renderReportsPage(reports); // first: what was given may be wrong
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const pages = [...renderDocuments(await loadHighlighter()), benchPage, reportsPage];
  for (const page of pages) writeOutput(page.path, renderPage(page));
  copyFileSync(join(sources, 'style.css'), join(output, 'style.css'));
  writeOutput('.nojekyll', '');
  await bundleBenchmark();
  await writeReference();
  console.log(`${pages.length} pages and the API reference are in ${output}`);
}

try {
  await build();
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
