/** Finds links of the built site that lead nowhere. Links to other sites are not followed. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'node-html-parser';

const ATTRIBUTES = ['href', 'src'];

/** One line for each, empty if all lead somewhere. `pages` tells how many were looked at. */
export function findDeadLinks(folder: string): { pages: number; links: number; dead: string[] } {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.html'));
  const parsed = new Map(pages.map((page) => [page, parse(readFileSync(join(folder, page), 'utf8'))]));
  const anchors = new Map<string, Set<string>>();
  for (const [page, root] of parsed) {
    anchors.set(page, new Set(root.querySelectorAll('[id]').map((element) => element.id)));
  }
  let links = 0;
  const dead: string[] = [];
  for (const [page, root] of parsed) {
    for (const element of root.querySelectorAll('[href],[src]')) {
      const link = ATTRIBUTES.map((name) => element.getAttribute(name)).find((value) => value !== undefined) ?? '';
      if (/^(https?|data|mailto):/.test(link)) continue;
      links++;
      const reason = whyDead(folder, page, link, anchors);
      if (reason !== null) dead.push(`${page}: ${link || 'an empty link'}: ${reason}`);
    }
  }
  return { pages: pages.length, links, dead };
}

function whyDead(folder: string, page: string, link: string, anchors: Map<string, Set<string>>): string | null {
  const root = 'site://root/folder/'; // a link that climbs out of the site loses the folder
  if (link.startsWith('/')) return 'begins at the root of the server, where the site need not lie';
  const url = new URL(link, root + page);
  if (!url.href.startsWith(root)) return 'leaves the site';
  const target = decodeURIComponent(url.href.slice(root.length).replace(/[?#].*$/, ''));
  const file = target === '' || target.endsWith('/') ? `${target}index.html` : target;
  if (!existsSync(join(folder, file)) || statSync(join(folder, file)).isDirectory()) return `there is no ${file}`;
  const fragment = decodeURIComponent(url.hash.slice(1));
  if (fragment === '' || !file.endsWith('.html')) return null;
  return anchors.get(file)?.has(fragment) ? null : `${file} has no #${fragment}`;
}
