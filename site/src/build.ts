/** Usage: node build/build.js. Makes the site in `site/dist/`. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { renderDocuments } from './documents.ts';
import { loadHighlighter } from './highlight.ts';
import { output, sources, writeOutput } from './paths.ts';
import { writeReference } from './reference.ts';
import { renderPage } from './template.ts';

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const pages = renderDocuments(await loadHighlighter());
for (const page of pages) writeOutput(page.path, renderPage(page));
copyFileSync(join(sources, 'style.css'), join(output, 'style.css'));
writeOutput('.nojekyll', '');
await writeReference();
console.log(`${pages.length} pages and the API reference are in ${output}`);
