/** One static page from the JSON of several runs, of any command of the lab. */
import { ArgumentError } from '../bench/argument-error.ts';
import type { BenchReport } from './bench-report.ts';
import { formatNumber, formatSeconds } from './format.ts';
import { escape, page, renderBench, renderFacts } from './html.ts';
import type { Provenance } from './provenance.ts';
import type { SimReport } from '../sim/experiments/report.ts';
import { renderSim } from './sim-page.ts';
import type { WhatIfReport } from '../sim/what-if.ts';
import { renderWhatIf } from './what-if-page.ts';
import { fairnessOf, totalsOf, type TortureReport } from './torture-report.ts';

/** What the reports of all commands have. */
interface AnyReport {
  kind: string;
  schema: number;
  provenance: Provenance;
}

export interface NamedReport {
  file: string;
  report: AnyReport;
}

const SCHEMAS: Record<string, number> = { 'rwsem-lab bench': 2, 'rwsem-lab torture': 1, 'rwsem-lab sim': 2, 'rwsem-lab sim machine': 1 };

export function parseReport(file: string, text: string): NamedReport {
  let report: AnyReport | null;
  try {
    report = JSON.parse(text) as AnyReport | null;
  } catch (error) {
    throw new ArgumentError(`${file} is not JSON: ${(error as Error).message}`);
  }
  const hasProvenance = typeof report?.provenance === 'object' && typeof report.provenance?.core?.sha256 === 'string';
  if (report === null || typeof report.kind !== 'string' || !report.kind.startsWith('rwsem-lab ') || !hasProvenance) {
    throw new ArgumentError(`${file} is no report of rwsem-lab; make one with --json`);
  }
  const schema = SCHEMAS[report.kind];
  if (schema !== undefined && report.schema !== schema) {
    throw new ArgumentError(`${file} has schema ${report.schema} of "${report.kind}", and this version reads ${schema}; make it again`);
  }
  return { file, report };
}

export function renderCombined(reports: NamedReport[]): string {
  return page('rwsem-lab report', renderReports(reports));
}

/** The same without the page around it. */
export function renderReports(reports: NamedReport[]): string {
  const contents = reports.map(({ file, report }, index) => {
    const { date, core } = report.provenance;
    return `<li><a href="#r${index}">${escape(`${report.kind}: ${file}`)}</a>, ${escape(`${date}, core ${core.sha256.slice(0, 12)}`)}</li>`;
  });
  const cores = new Set(reports.map(({ report }) => report.provenance.core.sha256));
  const warning = cores.size > 1 ? '<p class="bad">These reports are of different versions of the lock: see their core SHA-256.</p>' : '';
  const sections = reports.map(({ report }, index) => `<section id="r${index}">${renderOne(report)}</section>`);
  return `<ul>${contents.join('\n')}</ul>\n${warning}\n${sections.join('\n')}`;
}

function renderOne(report: AnyReport): string {
  if (report.kind === 'rwsem-lab bench') return renderBench(report as BenchReport);
  if (report.kind === 'rwsem-lab sim') return renderSim(report as SimReport);
  if (report.kind === 'rwsem-lab sim machine') return renderWhatIf(report as WhatIfReport);
  if (report.kind === 'rwsem-lab torture') return renderTorture(report as TortureReport);
  // Other commands have reports of their own; here it is what they say, unchanged.
  const { kind, schema, provenance, ...content } = report;
  return `<h1>${escape(kind)}</h1>
<details><summary>Content, schema ${Number(schema)}</summary><pre>${escape(JSON.stringify(content, null, 2))}</pre></details>
${renderFacts(provenance, [])}`;
}

function renderTorture(report: TortureReport): string {
  const { verdict, broken, legs, options, provenance } = report;
  const rows = legs.map(({ policy, seed, seconds, report: done, failure, ...leg }) => {
    const figures = done === null ? ['', ''] : [formatNumber(done.rounds), formatNumber(done.operations)];
    const cells = [policy, String(seed), formatSeconds(seconds), ...figures, fairnessOf({ policy, seed, seconds, report: done, failure, ...leg })];
    const outcome = failure === null ? '<td class="left">held</td>' : '<td class="left bad">FAILED</td>';
    return `<tr><td class="left">${escape(cells[0]!)}</td>${cells.slice(1).map((cell) => `<td class="right">${escape(cell)}</td>`).join('')}${outcome}</tr>`;
  });
  const failures = legs.flatMap(({ failure }) => (failure === null ? [] : [`<pre class="bad">${escape(failure)}</pre>`]));
  const totals = Object.entries(totalsOf(legs)).map(([name, count]) => `${name} ${formatNumber(count)}`).join(', ');
  const head = ['policy', 'seed', 'time', 'rounds', 'operations', 'fairness', 'outcome'].map((name) => `<th>${name}</th>`).join('');
  return `<h1>rwsem-lab torture</h1>
<p>Verdict: <span${verdict === 'held' ? '' : ' class="bad"'}>${escape(verdict)}</span>. The broken lock was
${broken === null ? '<span class="bad">not found out</span>' : `found out: ${escape(broken.split('\n')[0]!)}`}.</p>
<p>${escape(totals)}. Fairness: least and most operations of a thread relative to the mean, in races.</p>
<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>
${failures.join('\n')}
<h2>Where this comes from</h2>
${renderFacts(provenance, [['threads', String(options.threads)], ['seed', String(options.seed)]])}`;
}
