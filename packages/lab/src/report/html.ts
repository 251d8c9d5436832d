/** The bench report as one HTML file without scripts, styles or images from elsewhere. */
import type { WorkloadResult } from '../bench/run.ts';
import type { BenchReport } from './bench-report.ts';
import { columnsFor, groupByTitle, rowsOf } from './bench-rows.ts';
import type { LegendEntry, Plot } from './draw.ts';
import { formatEvents, formatNs } from './format.ts';
import { plotGroup } from './plots.ts';
import type { Provenance } from './provenance.ts';

export function renderHtml(report: BenchReport): string {
  return page(`rwsem-lab bench, ${report.provenance.date}`, renderBench(report));
}

/** A whole page around `body`. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>${PAGE_STYLE}${REPORT_STYLE}</style>
${body}
</html>
`;
}

export function renderBench(report: BenchReport): string {
  const { results, options } = report;
  const groups = [...groupByTitle(results)].map(([title, group]) => renderGroup(title, group)).join('\n');
  const interrupted = report.interrupted ? '<p class="bad">Stopped early: not all rounds were run.</p>' : '';
  return `<h1>rwsem-lab bench</h1>
${interrupted}
<p>Threads, or tasks on one event loop, repeat acquire, critical section, release, think. Medians and ranges over
${options.rounds} rounds of ${options.seconds} s; per-thread figures in kops/s; ratio: total relative to the first lock, round by round.</p>
${groups}
<h2>Where this comes from</h2>
${renderBenchFacts(report)}`;
}

/** Plots, table and events of results that belong together. */
export function renderGroup(title: string, results: WorkloadResult[]): string {
  return `<h2>${escape(title)}</h2>
${renderPlots(plotGroup(results))}
<div class="wide">${renderTable(results)}</div>
${renderEvents(results)}`;
}

export function renderPlots(plots: Plot[]): string {
  const figures = plots.map(({ title, svg, legend }) => `<figure><figcaption>${escape(title)}</figcaption>${svg}${renderLegend(legend)}</figure>`);
  return `<div class="plots">${figures.join('\n')}</div>`;
}

function renderLegend(entries: LegendEntry[]): string {
  const items = entries.map(({ name, colour, isDashed }) => `<li><i style="border-top: 4px ${isDashed ? 'dashed' : 'solid'} ${colour}"></i>${escape(name).replace(/[,{]/g, '$&<wbr>')}</li>`);
  return items.length === 0 ? '' : `<ul class="legend">${items.join('')}</ul>`;
}

function renderTable(results: WorkloadResult[]): string {
  const columns = columnsFor(results);
  const head = columns.map(({ title, align }) => `<th class="${align}">${lines(title)}</th>`).join('');
  const rows = results.flatMap(rowsOf).map((row) => {
    const cells = columns.map(({ key, align }) => {
      const bad = key === 'verdict' && row.verdict !== 'held' ? ' bad' : '';
      return `<td class="${align}${bad}">${lines(row[key])}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function renderEvents(results: WorkloadResult[]): string {
  const items = results.flatMap(({ threads, locks }) =>
    locks.flatMap(({ lock, summary }) =>
      summary.events === null ? [] : [`<li>${escape(`${threads} x ${lock}: ${formatEvents(summary.events)}`)}</li>`],
    ),
  );
  return items.length === 0 ? '' : `<details><summary>Events counted by the lock, all rounds</summary><ul>${items.join('')}</ul></details>`;
}

function renderBenchFacts({ provenance, settings, calibration, absent, options }: BenchReport): string {
  return renderFacts(provenance, [
    ['rounds', `${options.rounds} of ${options.seconds} s, after ${options.warmUpMs} ms of warm-up a thread; seed ${options.seed}`],
    ['exclusion', options.verify ? 'verified inside every section' : 'not verified'],
    ['clock', `${formatNs(calibration.clockNs)} a reading`],
    ...Object.entries(calibration.sectionUs).map(([name, us]): Fact => [`${name} alone`, formatNs(us * 1000)]),
    ...Object.entries(settings).map(([name, values]): Fact => [
      name,
      Object.entries(values).map(([key, value]) => `${key}=${String(value)}`).join(', ') || 'no settings',
    ]),
    ...Object.entries(absent).map(([name, reason]): Fact => [`${name} absent`, reason]),
  ]);
}

export type Fact = [name: string, value: string];

/** Where figures come from, with what only this kind of report has in the middle. */
export function renderFacts(provenance: Provenance, particular: Fact[]): string {
  const facts: Fact[] = [
    ['command', provenance.commandLine],
    ['date', provenance.date],
    ['runtime', provenance.runtime],
    ['CPU', `${provenance.cpuModel}, ${provenance.cores} cores`],
    ['system', `${provenance.system}, ${provenance.memoryGiB} GiB`],
    ...particular,
    ['core SHA-256', provenance.core.sha256],
    ...Object.entries(provenance.core.files).map(([name, hash]): Fact => [`core/${name}`, hash]),
  ];
  return `<table class="facts">${facts.map(([name, value]) => `<tr><th class="left">${escape(name)}</th><td>${escape(value)}</td></tr>`).join('\n')}</table>`;
}

function lines(text: string): string {
  return text.split('\n').map(escape).join('<br>');
}

export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Of what a report consists of, inside whichever page. */
export const REPORT_STYLE = `
.plots { display: flex; flex-wrap: wrap; gap: 12px } figure { margin: 0; max-width: 100% } figcaption { opacity: .8; font-size: .9em }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 4px 0; padding: 0 8px; list-style: none; max-width: 544px }
.legend li { position: relative; padding-left: 28px; overflow-wrap: anywhere } .legend i { position: absolute; left: 0; top: .6em; width: 22px }
figure svg { max-width: 100%; height: auto } .narrow-only { display: none }
@media (max-width: 600px) { .wide-only { display: none } .narrow-only { display: block } .wide svg { max-width: none } }
.wide { overflow-x: auto } .wide table { border-collapse: collapse; font-size: .8em; font-variant-numeric: tabular-nums; margin: 1em 0 }
.wide th, .wide td { padding: 2px 8px; vertical-align: top; white-space: nowrap } .wide thead th { border-bottom: 1px solid; font-weight: 600 }
.left { text-align: left } .right { text-align: right } .bad { color: light-dark(#c92a2a, #ff8787); font-weight: 600 }
.facts { font-size: .85em } .facts th { padding: 2px 10px 2px 0; vertical-align: top }
.facts td { font-family: ui-monospace, monospace; overflow-wrap: anywhere } li, summary { font-size: .85em }
`;

const PAGE_STYLE = `
:root { color-scheme: light dark } body { font: 15px/1.5 system-ui, sans-serif; max-width: 1180px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2.5em; border-bottom: 1px solid #8888 }
`;
