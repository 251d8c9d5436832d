/**
 * The repository's documents as pages, rendered from the very files. Links between files become links between
 * pages; a link that leads nowhere stops the build.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { slug } from 'github-slugger';
import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { escape } from '../../packages/lab/dist/report/html.js';
import type { Highlight } from './highlight.ts';
import { isFolder, repository } from './paths.ts';
import { type Page, relativeLink } from './template.ts';

/** Documents, and folders that stand for one. */
const PAGES: Record<string, string> = {
  'README.md': 'index.html',
  'packages/rwsem': 'index.html',
  'DESIGN.md': 'design.html',
  'CHANGELOG.md': 'changelog.html',
  'packages/lab/README.md': 'lab.html',
  'examples/README.md': 'examples.html',
};

const EXAMPLES = 'examples/src';

export function renderDocuments(highlight: Highlight): Page[] {
  const shown = new Set<string>();
  const pages = Object.entries(PAGES).flatMap(([file, path]) => (isFolder(join(repository, file)) ? [] : [renderDocument(file, path, highlight, shown)]));
  const examples = readdirSync(join(repository, EXAMPLES), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => posix.join(EXAMPLES, name.replaceAll('\\', '/')))
    .sort();
  const list = pages.find(({ path }) => path === 'examples.html');
  if (list !== undefined) {
    const items = examples.map((file) => `<li><a href="${relativeLink(list.path, sourcePage(file))}"><code>${escape(posix.relative(EXAMPLES, file))}</code></a></li>`);
    list.body += `<h2 id="sources">Sources</h2>\n<ul class="files">${items.join('\n')}</ul>`;
  }
  for (const file of [...shown, ...examples]) pages.push(renderSource(file, highlight));
  return pages;
}

function renderDocument(file: string, path: string, highlight: Highlight, shown: Set<string>): Page {
  const contents: Array<[string, string]> = [];
  let title = file;
  const markdown = new MarkdownIt({ html: false, highlight: (code, language) => highlight(code, language) });
  markdown.use(anchor, {
    slugify: (text: string) => slug(text),
    permalink: anchor.permalink.headerLink({ safariReaderFix: true }),
    callback: ({ tag }: { tag: string }, info: { title: string; slug: string }) => {
      if (tag === 'h1') title = info.title;
      if (tag === 'h2') contents.push([escape(info.title), info.slug]);
    },
  });
  const { rules } = markdown.renderer;
  rules['table_open'] = () => '<div class="wide"><table>\n';
  rules['table_close'] = () => '</table></div>\n';
  rules['link_open'] = (tokens, index, options, _, renderer) => {
    const token = tokens[index]!;
    const href = String(token.attrGet('href') ?? '');
    token.attrSet('href', pageOf(file, path, href, shown));
    return renderer.renderToken(tokens, index, options);
  };
  const body = markdown.render(readFileSync(join(repository, file), 'utf8'));
  return { path, title: title === 'rwsem' ? 'rwsem: a reader-writer lock for JavaScript threads' : `${title} · rwsem`, body, contents };
}

/** Where a link of a document leads on the site. */
function pageOf(file: string, path: string, href: string, shown: Set<string>): string {
  if (href.startsWith('#') || /^[a-z]+:/.test(href)) return href;
  const [target = '', fragment] = href.split('#');
  const named = posix.join(posix.dirname(file), target).replace(/\/$/, '');
  const withFragment = (page: string) => relativeLink(path, page) + (fragment === undefined ? '' : `#${fragment}`);
  const page = PAGES[named] ?? PAGES[`${named}/README.md`];
  if (page !== undefined) return withFragment(page);
  const full = join(repository, named);
  if (!existsSync(full)) throw new Error(`${file} links to ${href}, and there is no ${named}`);
  if (isFolder(full)) throw new Error(`${file} links to the folder ${named}, which has no page: add it to PAGES in site/src/documents.ts`);
  shown.add(named);
  return withFragment(sourcePage(named));
}

function sourcePage(file: string): string {
  return `source/${file}.html`;
}

function renderSource(file: string, highlight: Highlight): Page {
  const code = readFileSync(join(repository, file), 'utf8');
  const body = `<h1><code>${escape(file)}</code></h1>\n${highlight(code, extname(file).slice(1))}`;
  return { path: sourcePage(file), title: `${file} · rwsem`, body };
}
