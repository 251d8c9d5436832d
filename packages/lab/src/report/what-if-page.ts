/** The page of one load on a machine of one's own: the tables and plots of a bench, and what threads did. */
import type { WhatIfReport } from '../sim/what-if.ts';
import { renderNotes } from '../sim/what-if.ts';
import { draw, type Plot } from './draw.ts';
import { escape, page, renderFacts, renderGroup, renderPlots } from './html.ts';
import { COLOURS } from './plot-style.ts';
import { modelFact } from './sim-page.ts';
import { drawTimeline } from './timeline.ts';

/** `trace`: the file with the whole timeline, if one was written. */
export function renderWhatIfPage(report: WhatIfReport, trace: string | undefined): string {
  return page(`rwsem-lab sim, ${report.provenance.date}`, renderWhatIf(report, trace));
}

export function renderWhatIf(report: WhatIfReport, trace?: string): string {
  const { provenance, model, result, ms, seeds, excerpt } = report;
  const link = trace === undefined ? '' : `<p>Whole timeline: <a href="${escape(trace)}">${escape(trace)}</a>, for chrome://tracing or ui.perfetto.dev.</p>`;
  return `<h1>rwsem-lab sim</h1>
<p>${renderNotes(report).split('\n').map(escape).join('<br>')}</p>
${renderGroup(`${result.title}, ${model.about}`, [result])}
<h2>What threads did</h2>
${renderPlots([plotShares(report), ...drawTimeline(excerpt)])}
${link}
<h2>Where this comes from</h2>
${renderFacts(provenance, [
  ['simulated', `${ms} ms after a tenth of it to warm up`],
  ['seeds', Array.from({ length: seeds }, (_, index) => index + 1).join(', ')],
  modelFact(model),
])}`;
}

function plotShares({ shares }: WhatIfReport): Plot {
  const states = [...new Set(shares.flatMap((one) => one.shares.map(({ state }) => state)))];
  return draw("Share of the threads' time, first seed, %", {
    xAxis: { type: 'value', max: 100 },
    yAxis: { type: 'category', data: shares.map(({ policy }) => policy) },
    series: states.map((state, index) => ({
      name: state,
      type: 'bar',
      stack: 'all',
      color: COLOURS[index % COLOURS.length]!,
      data: shares.map((one) => 100 * (one.shares.find((entry) => entry.state === state)?.share ?? 0)),
    })),
  });
}
