/** A stretch of a simulated run as a picture: a row for each thread, drawn without a library as it is only rectangles. */
import type { Excerpt } from '../sim/timeline-excerpt.ts';
import { formatNs } from './format.ts';
import type { Plot } from './draw.ts';

const WIDTH = 1130;
const LEFT = 70;
const ROW = 12;
const TOP = 24;
const COLOURS: Readonly<Record<string, string>> = {
  write: '#e8590c', read: '#2b8a3e', spinning: '#ffd43b', switching: '#ced4da', ready: '#b197fc', blocked: '#495057', sleeping: '#74c0fc', ended: '#f1f3f5',
};

export function drawTimeline({ fromNs, toNs, threads, spans }: Excerpt): Plot[] {
  if (spans.length === 0) return [];
  const scale = (WIDTH - LEFT) / (toNs - fromNs);
  const x = (ns: number) => LEFT + (ns - fromNs) * scale;
  const isInside = (what: string) => what === 'read' || what === 'write';
  // Being inside comes last, and thinner: below it shows whether the thread ran.
  const rectangles = [...spans].sort((a, b) => Number(isInside(a.what)) - Number(isInside(b.what))).map(({ thread, what, fromNs: from, toNs: to }) => {
    const [y, height] = isInside(what) ? [TOP + thread * ROW + 2, ROW - 6] : [TOP + thread * ROW, ROW - 2];
    return `<rect x="${x(from).toFixed(2)}" y="${y}" width="${Math.max(0.3, (to - from) * scale).toFixed(2)}" height="${height}" fill="${COLOURS[what]}"/>`;
  });
  const labels = Array.from({ length: threads }, (_, thread) => `<text x="0" y="${TOP + thread * ROW + 9}">thread ${thread}</text>`);
  const legend = [...new Set(spans.map(({ what }) => what))].map((what, index) =>
    `<rect x="${LEFT + index * 100}" y="4" width="10" height="10" fill="${COLOURS[what]}"/><text x="${LEFT + index * 100 + 14}" y="13">${what}</text>`);
  const height = TOP + threads * ROW + 4;
  const svg = `<div class="wide"><svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="10" fill="currentColor">
${legend.join('')}<rect x="${LEFT}" y="${TOP}" width="${WIDTH - LEFT}" height="${threads * ROW}" fill="#868e96" fill-opacity="0.1"/>
${labels.join('')}${rectangles.join('\n')}</svg></div>`;
  return [{ title: `Threads, ${formatNs(toNs - fromNs)} from ${formatNs(fromNs)} on, first policy and seed; empty: running outside the lock`, svg, legend: [] }];
}
