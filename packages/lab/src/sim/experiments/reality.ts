/** `rwsem-lab sim reality`: the same loads on this machine and on its model, side by side. */
import { availableParallelism } from 'node:os';
import { mean } from 'simple-statistics';
import { runBench } from '../../bench/run.ts';
import { parseSection } from '../../bench/section.ts';
import { uniformWorkload, titleOf, type Workload } from '../../bench/workload.ts';
import { openCompetitors } from '../../locks/catalog.ts';
import { formatNumber } from '../../report/format.ts';
import { createProgress } from '../../report/progress.ts';
import { plainTable } from '../../report/terminal.ts';
import { kopsOf, spreadOf, type Spread } from '../figures.ts';
import { customModel, javaScriptWorld } from '../machine/models.ts';
import type { MachineModel } from '../machine/model.ts';
import { SHIPPED } from '../simulate.ts';
import { Laboratory } from './experiment.ts';

export interface RealityRow {
  title: string;
  threads: number;
  real: Spread;
  simulated: Spread;
}

const SECTIONS = ['empty', '5us', '100us'];

export async function compareWithReality(seeds: number): Promise<{ model: MachineModel; rows: RealityRow[]; violations: number }> {
  const cores = availableParallelism();
  const model = javaScriptWorld(customModel(cores, 1, 1));
  const nothing = parseSection('empty');
  const workloads = SECTIONS.flatMap((section) =>
    [0, 100, 50].flatMap((read) => [1, cores, 2 * cores].map((threads) => uniformWorkload(threads, read, parseSection(section), nothing))),
  );
  const progress = createProgress(process.stderr, 3);
  const options = { seconds: 0.25, rounds: 3, warmUpMs: 100, graceMs: 10_000, verify: false, seed: 1 };
  const real = await runBench(openCompetitors(['rwsem'], []), workloads, options, progress, new AbortController().signal).finally(() => progress.done());
  const laboratory = new Laboratory({ seeds, time: 1, sensitivity: false });
  const rows = real.map(({ workload, locks }) => ({
    title: titleOf(workload),
    threads: workload.readPercents.length,
    real: locks[0]!.summary.totalKops ?? { median: NaN, min: NaN, max: NaN },
    simulated: simulated(laboratory, model, workload),
  }));
  return { model, rows, violations: laboratory.violations };
}

function simulated(laboratory: Laboratory, model: MachineModel, { readPercents, reading: { section, think } }: Workload): Spread {
  const ms = 40;
  const outcomes = laboratory.run({ model, readPercents, hold: section, think, ms, warmUpMs: 10 }, { policy: {}, lock: SHIPPED });
  return spreadOf(outcomes.map((outcome) => kopsOf(outcome, ms)));
}

export function renderReality(model: MachineModel, rows: RealityRow[]): string {
  const range = ({ min, max }: Spread) => `${formatNumber(min)}-${formatNumber(max)}`;
  const cells = rows.map(({ title, threads, real, simulated }) => [
    title,
    String(threads),
    formatNumber(real.median),
    range(real),
    formatNumber(simulated.median),
    range(simulated),
    `${(100 * (simulated.median / real.median - 1)).toFixed(0)} %`,
  ]);
  const factors = rows.map(({ real, simulated }) => Math.abs(Math.log(simulated.median / real.median)));
  return [
    `This machine and its model (${model.about}, scheduled as ${model.world} threads), thousand operations a second`,
    plainTable(['', 'threads', 'measured', 'range', 'simulated', 'range', 'error'], ['left', 'right', 'right', 'right', 'right', 'right', 'right'], cells),
    '',
    `Off by a factor of ${formatNumber(Math.exp(mean(factors)))} on average, ${formatNumber(Math.exp(Math.max(...factors)))} at worst. No figure of the model was fitted to this table.`,
    'Whatever else runs on this machine is in the measured column and not in the other.',
  ].join('\n');
}
