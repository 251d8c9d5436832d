/** The page of the simulated experiments: documents and simulation side by side. */
import type { Claim, PlotData, Sensitivity } from '../sim/experiments/experiment.ts';
import { bandText } from '../sim/experiments/render.ts';
import type { SimReport } from '../sim/experiments/report.ts';
import { FIGURES, type FigureName, type MachineModel } from '../sim/machine/model.ts';
import { draw, type Plot, type PlotOption } from './draw.ts';
import { formatNumber, formatSeconds } from './format.ts';
import { escape, page, renderFacts, renderPlots, type Fact } from './html.ts';
import { COLOURS } from './plot-style.ts';

export function renderSimPage(report: SimReport): string {
  return page(`rwsem-lab sim, ${report.provenance.date}`, renderSim(report));
}

export function renderSim({ provenance, settings, totals, reports }: SimReport): string {
  const seeds = Array.from({ length: settings.seeds }, (_, index) => index + 1).join(', ');
  return `<h1>rwsem-lab sim</h1>
<p>The lock as installed, on simulated machines, beside the figures that were published. Medians and ranges over ${settings.seeds} seeds.
A band that is missed is shown as missed.</p>
${reports.map(renderExperiment).join('\n')}
<h2>Where this comes from</h2>
${renderFacts(provenance, [
  ['seeds', seeds],
  ['simulated time', `${settings.time} of the full length`],
  ['took', `${formatSeconds(totals.seconds)}, ${formatSeconds(totals.cpuSeconds)} of processor time`],
  ...reports.flatMap(({ machine }) => machine).filter((model, index, all) => all.findIndex(({ name }) => name === model.name) === index).map(modelFact),
])}`;
}

type Experiment = SimReport['reports'][number];

function renderExperiment(report: Experiment): string {
  const { title, machine, claims, plots, notes, notReproduced, sensitivity, violations } = report;
  const missed = claims.filter(({ verdict }) => verdict === 'MISSED').length;
  const judged = claims.filter(({ verdict }) => verdict !== '').length;
  return `<h2>${escape(title)}</h2>
<p>${machine.map((model) => escape(`${model.about}, scheduled as ${model.world} threads`)).join('; ')}. ${judged - missed} of ${judged} bands met.
Exclusion ${violations === 0 ? 'held' : `<span class="bad">VIOLATED ${violations} times</span>`}.</p>
${renderPlots(plots.map(plotOf))}
<div class="wide">${renderClaims(claims)}</div>
<h3>Not reproduced, and why</h3>
${list(notReproduced)}
<h3>Read and inferred</h3>
${list(notes)}
${sensitivity === null ? '' : renderSensitivity(sensitivity)}`;
}

const list = (texts: string[]) => `<ul>${texts.map((text) => `<li>${escape(text)}</li>`).join('\n')}</ul>`;
const cells = (texts: string[]) => texts.map((text, index) => `<td class="${index === 0 ? 'left' : 'right'}">${escape(text)}</td>`).join('');
const header = (texts: string[]) => `<thead><tr>${texts.map((text, index) => `<th class="${index === 0 ? 'left' : 'right'}">${text}</th>`).join('')}</tr></thead>`;

function renderClaims(claims: Experiment['claims']): string {
  const rows = claims.map((claim: Claim & { verdict: string }) => {
    const { what, document, simulated, verdict } = claim;
    const figures = [
      document === null ? '' : formatNumber(document),
      formatNumber(simulated.median),
      `${formatNumber(simulated.min)}..${formatNumber(simulated.max)}`,
      document === null ? '' : formatNumber(simulated.median / document),
      bandText(claim),
    ];
    const name = what.startsWith(' ') ? `\u2003${what.trim()}` : what;
    return `<tr>${cells([name, ...figures])}<td class="left${verdict === 'MISSED' ? ' bad' : ''}">${verdict}</td></tr>`;
  });
  return `<table>${header(['', 'document', 'simulated', 'range', 'ratio', 'accepted', 'verdict'])}<tbody>${rows.join('\n')}</tbody></table>`;
}

function renderSensitivity({ what, base, rows }: Sensitivity): string {
  const body = rows.map(({ figure, half, double }) => `<tr>${cells([`${figure}: ${FIGURES[figure]}`, formatNumber(half), formatNumber(double)])}</tr>`);
  return `<details><summary>Sensitivity: ${escape(what)}; ${formatNumber(base)} in a short run with one seed</summary>
<p>Each figure of the machine halved and doubled. Those that change nothing are left out.</p>
<table>${header(['figure', 'halved', 'doubled'])}<tbody>${body.join('\n')}</tbody></table></details>`;
}

/** A machine in one line. */
export function modelFact({ name, about, world, figures }: MachineModel): Fact {
  const values = (Object.keys(figures) as FigureName[]).map((figure) => `${figure}=${formatNumber(figures[figure].value)}`);
  return [`machine ${name}`, `${about}, scheduled as ${world} threads: ${values.join(', ')}`];
}

function plotOf({ title, kind, categories, axis, unit, isLogarithmic, series }: PlotData): Plot {
  // A logarithmic axis has no place for 0.
  const shown = (value: number | null) => (value === null || !Number.isFinite(value) || (isLogarithmic && value <= 0) ? null : value);
  const drawn = series.flatMap(({ name, values, ranges = [] }, index): PlotOption['series'] => {
    const colour = COLOURS[index % COLOURS.length]!;
    const main = { name, data: values.map(shown), color: colour };
    if (kind === 'bars') return [{ ...main, type: 'bar' }];
    const line = { type: 'line', symbolSize: 7, lineStyle: { type: name.startsWith('document') ? 'dashed' : 'solid', color: colour } };
    const range = { type: 'line', symbol: 'none', lineStyle: { width: 1, type: 'dotted', color: colour } };
    return [{ ...main, ...line }, ...(['min', 'max'] as const).filter(() => ranges.length > 0).map((end) => ({ ...range, data: ranges.map((spread) => shown(spread[end])) }))];
  });
  return draw(title, {
    xAxis: { type: 'category', name: axis, data: categories },
    yAxis: { type: isLogarithmic ? 'log' : 'value', name: unit, axisLabel: { formatter: formatNumber } },
    series: drawn,
  });
}
