/** `rwsem-lab sim d1 ... all, quick`. */
import { writeFileSync } from 'node:fs';
import { collectProvenance } from '../../report/provenance.ts';
import { d1 } from './d1.ts';
import { d2 } from './d2.ts';
import { d3 } from './d3.ts';
import { d4 } from './d4.ts';
import { FULL, QUICK, verdictOf, type Experiment, type Report, type Scale } from './experiment.ts';
import { renderReport } from './render.ts';

export const EXPERIMENTS: readonly Experiment[] = [d1, d2, d3, d4];

export function runExperiments(name: string, seeds: number | undefined, json: string | undefined): number {
  const chosen = name === 'all' || name === 'quick' ? EXPERIMENTS : EXPERIMENTS.filter(({ id }) => id === name);
  const scale: Scale = name === 'quick' ? QUICK : FULL;
  const settings = { ...scale, seeds: seeds ?? scale.seeds };
  const reports: Report[] = [];
  for (const experiment of chosen) {
    const report = experiment.run(settings);
    reports.push(report);
    process.stdout.write(`${renderReport(report, settings.seeds)}\n`);
  }
  const provenance = collectProvenance();
  process.stdout.write(`The core that ran: ${provenance.core.sha256.slice(0, 12)}, lowered from the built files.\n`);
  if (json !== undefined) {
    const judged = reports.map((report) => ({ ...report, claims: report.claims.map((claim) => ({ ...claim, verdict: verdictOf(claim) })) }));
    writeFileSync(json, `${JSON.stringify({ kind: 'rwsem-lab sim', schema: 1, provenance, settings, reports: judged }, null, 1)}\n`);
  }
  return reports.some(({ violations }) => violations > 0) ? 1 : 0;
}
