/** Experiments as text. */
import pc from 'picocolors';
import { formatNumber } from '../../report/format.ts';
import { plainTable } from '../../report/terminal.ts';
import { FIGURES, type MachineModel } from '../machine/model.ts';
import { verdictOf, type Claim, type Report, type Sensitivity } from './experiment.ts';

export function renderReport(report: Report, seeds: number): string {
  const head = ['', 'document', 'simulated', 'range', 'ratio', 'accepted', 'verdict'];
  const aligns = head.map((_, column) => (column === 0 || column === 6 ? 'left' : 'right')) as Array<'left' | 'right'>;
  return [
    pc.bold(report.title),
    ...report.machine.map((model) => pc.dim(`${model.about}, scheduled as ${model.world} threads`)),
    plainTable(head, aligns, report.claims.map(renderClaim)),
    '',
    ...report.notes.map((note) => `- ${note}`),
    '',
    'Not reproduced, and why:',
    ...report.notReproduced.map((note) => `- ${note}`),
    ...(report.sensitivity === null ? [] : ['', ...renderSensitivity(report.sensitivity)]),
    '',
    `${seeds} seeds, medians and ranges. Exclusion ${report.violations === 0 ? 'held' : pc.red(`VIOLATED ${report.violations} times`)}. ${speed(report)}`,
    '',
  ].join('\n');
}

function renderClaim(claim: Claim): string[] {
  const { what, document, simulated } = claim;
  const verdict = verdictOf(claim);
  return [
    what,
    document === null ? '' : formatNumber(document),
    formatNumber(simulated.median),
    pc.dim(`${formatNumber(simulated.min)}-${formatNumber(simulated.max)}`),
    document === null ? '' : formatNumber(simulated.median / document),
    bandText(claim),
    verdict === 'MISSED' ? pc.red(verdict) : pc.green(verdict),
  ];
}

export function bandText({ band }: Claim): string {
  // Infinity does not come through JSON as itself.
  return band === null ? '' : `${band.of === 'ratio' ? 'ratio ' : ''}${band.low} to ${Number.isFinite(band.high) ? band.high : 'any'}`;
}

function renderSensitivity({ what, base, rows }: Sensitivity): string[] {
  const cells = rows.map(({ figure, half, double }) => [figure, FIGURES[figure], formatNumber(half), formatNumber(double)]);
  return [
    `Sensitivity: ${what}; ${formatNumber(base)} in a short run with one seed. Figures that change nothing are left out.`,
    plainTable(['figure', '', 'halved', 'doubled'], ['left', 'left', 'right', 'right'], cells),
  ];
}

function speed({ accesses, wallMs }: Report): string {
  return `${formatNumber(accesses / 1e6)} million memory events in ${(wallMs / 1000).toFixed(1)} s, ${formatNumber(accesses / wallMs / 1000)} million a second.`;
}

export function renderModel(model: MachineModel): string {
  const rows = Object.entries(model.figures).map(([name, { value, why }]) => [name, formatNumber(value), FIGURES[name as keyof typeof FIGURES], why]);
  return `${pc.bold(model.name)}: ${model.about}\n${plainTable(['figure', 'value', 'meaning', 'reason'], ['left', 'right', 'left', 'left'], rows)}`;
}
