/** The frame around every page that is not TypeDoc's. All addresses are relative: the site may lie in any folder. */
import { posix } from 'node:path';
import { escape } from '../../packages/lab/dist/report/html.js';

/** The pages that the header links to, in its order. */
export const NAVIGATION: ReadonlyArray<[title: string, page: string]> = [
  ['Guide', 'index.html'],
  ['API', 'api/index.html'],
  ['Benchmark', 'bench.html'],
  ['Reports', 'reports.html'],
  ['Examples', 'examples.html'],
  ['Lab', 'lab.html'],
  ['Design', 'design.html'],
  ['Changelog', 'changelog.html'],
];

export interface Page {
  /** From the site's root. */
  path: string;
  title: string;
  /** HTML. */
  body: string;
  /** Headings to list beside the text: HTML text and fragment. */
  contents?: ReadonlyArray<[html: string, fragment: string]>;
  /** Further elements of the head. */
  head?: string;
  /** Plots and tables rather than text. */
  wide?: boolean;
}

export function renderPage({ path, title, body, contents = [], head = '', wide = false }: Page): string {
  const links = NAVIGATION.map(([name, page]) => {
    const here = page === path ? ' aria-current="page"' : '';
    return `<a href="${relativeLink(path, page)}"${here}>${name}</a>`;
  });
  const aside =
    contents.length < 2
      ? ''
      : `<aside aria-label="On this page"><ul>${contents.map(([text, fragment]) => `<li><a href="#${fragment}">${text}</a></li>`).join('')}</ul></aside>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${relativeLink(path, 'style.css')}">
${head}</head>
<body>
<header><a class="name" href="${relativeLink(path, 'index.html')}">rwsem</a><nav>${links.join('')}</nav></header>
<div class="frame">${aside}
<main${wide ? ' class="broad"' : ''}>
${body}
</main></div>
</body>
</html>
`;
}

export function relativeLink(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}
