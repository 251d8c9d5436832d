/** D3: spinning on a lock whose owner is not known. Readers stay inside for long; writers wait for them. */
import type { Section } from '../../bench/section.ts';
import { POLICIES } from '../../locks/policy.ts';
import { kopsOf, sum } from '../figures.ts';
import { RUNNING, SPINNING } from '../machine/clock.ts';
import type { MachineModel } from '../machine/model.ts';
import { MODELS } from '../machine/models.ts';
import { KERNEL_CADENCE, type Outcome, type SimulatedLock } from '../simulate.ts';
import { bars, claim, value, type Claim, type Experiment, type Laboratory, type Load, type PlotData, type Variant } from './experiment.ts';
import { EARLY_5_3 } from './kernels.ts';
import { sensitivityOf } from './sensitivity.ts';

/** Preemptible: a spinner gives its processor up when its slice is over. */
const MODEL: MachineModel = { ...MODELS['skylake-2-socket-80']!, world: 'javascript' };
const SECTION_US = 100;
const busy = (us: number): Section => ({ kind: 'busy', amount: us });
/** In 3.15 a spin lasted as long as the owner word did not change. */
const unbounded = (lock: SimulatedLock): SimulatedLock => ({ ...lock, overrides: { ...lock.overrides, 'spin.SPIN_LIMIT_US': 1_000_000 } });
const OLD = unbounded(EARLY_5_3);

interface Point {
  threads: number;
  writePercent: number;
  sectionUs: number;
}

const DOCUMENTED: Point = { threads: 80, writePercent: 1, sectionUs: SECTION_US };
const SWEEP: Point[] = [0.5, 1, 5].flatMap((perCore) => [1, 10, 50, 100].flatMap((writePercent) => [1, 100].map((sectionUs) => ({ threads: 16 * perCore, writePercent, sectionUs }))));

function load(model: MachineModel, { threads, writePercent, sectionUs }: Point, ms: number): Load {
  const readPercents = Array.from({ length: threads }, () => 100 - writePercent);
  return { model, readPercents, hold: busy(sectionUs), think: busy(sectionUs), ms, warmUpMs: ms / 2 };
}

const spinning = (spin: 'any-owner' | 'known-owner' | 'off', lock: SimulatedLock): Variant => ({ policy: { spin }, lock });

/** As the kernel was then: neither handoff nor readers that steal. The two differ in `spin` only. */
const named = (name: 'v3.16-spin-any' | 'v5.2-no-handoff', lock: SimulatedLock): Variant => ({ policy: POLICIES[name]!.policy, lock });

/** Share of processor time: outside sections and pauses that were completed. */
function wasted(outcome: Outcome, { sectionUs }: Point): number {
  const onProcessor = sum(outcome.spent.map((times) => times[RUNNING]! + times[SPINNING]!));
  const useful = (sum(outcome.reads) + sum(outcome.writes)) * 2 * sectionUs * 1000 * 1.5; // the warm-up is in the times
  return Math.max(0.001, (onProcessor - useful) / onProcessor);
}

function documented(laboratory: Laboratory, ms: number): Claim[] {
  const [before, after, shippedBefore, shippedAfter] = laboratory.compare(load(MODEL, DOCUMENTED, ms),
    named('v3.16-spin-any', OLD), named('v5.2-no-handoff', OLD), named('v3.16-spin-any', EARLY_5_3), named('v5.2-no-handoff', EARLY_5_3));
  const spun = (outcome: Outcome) => sum(outcome.spent.map((times) => times[SPINNING]!));
  return [
    claim('time for the same work, spinning without an owner / not (80 threads, 1 % writes, 100 us)', 264 / 86, after.map((run, i) => kopsOf(run, ms) / kopsOf(before[i]!, ms)), value(2, Infinity)),
    claim('  processor time wasted per unit of work, the same', null, after.map((run, i) => (wasted(before[i]!, DOCUMENTED) / kopsOf(before[i]!, ms)) / (wasted(run, DOCUMENTED) / kopsOf(run, ms))), value(10, Infinity)),
    claim('  share of time spent spinning before, %', null, before.map((run) => (100 * spun(run)) / run.simulatedNs / DOCUMENTED.threads)),
    claim('the same with the bound of 50 us that the shipped lock has on every spin', null, shippedAfter.map((run, i) => kopsOf(run, ms) / kopsOf(shippedBefore[i]!, ms))),
  ];
}

/** Where spinning wins: the rate of the shipped lock, and of one that spins on anybody for ever, relative to not spinning. */
function sweep(laboratory: Laboratory, ms: number): Claim[] {
  const model: MachineModel = { ...MODEL, sockets: 1, coresPerSocket: 16, threadsPerCore: 1 };
  return SWEEP.flatMap((point) => {
    const length = point.sectionUs === 1 ? ms / 10 : ms;
    const [off, ...spins] = laboratory.compare(load(model, point, length), spinning('off', KERNEL_CADENCE), spinning('known-owner', KERNEL_CADENCE), spinning('any-owner', unbounded(KERNEL_CADENCE)));
    const relative = (runs: Outcome[]) => runs.map((run, index) => kopsOf(run, length) / kopsOf(off[index]!, length));
    const name = `${point.threads} threads on 16 cores, ${point.writePercent} % writes, ${point.sectionUs} us:`;
    return [
      claim(`${name} known owner, up to 50 us / no spinning`, null, relative(spins[0])),
      claim('  any owner, unbounded / no spinning', null, relative(spins[1])),
    ];
  });
}

/** Two claims for each point, in the order of `SWEEP`. */
function plotSweep(claims: Claim[]): PlotData[] {
  const of = (threads: number, sectionUs: number) => SWEEP.flatMap((point, index) => (point.threads === threads && point.sectionUs === sectionUs ? [index] : []));
  return [...new Set(SWEEP.map(({ threads }) => threads))].map((threads) => ({
    title: `${threads} threads on 16 cores: rate relative to not spinning (above 1 spinning wins)`,
    kind: 'lines',
    categories: of(threads, 1).map((index) => String(SWEEP[index]!.writePercent)),
    axis: '% writes',
    unit: '',
    isLogarithmic: false,
    series: [1, 100].flatMap((sectionUs) =>
      ['known owner, up to 50 us', 'any owner, unbounded'].map((name, which) => {
        const spreads = of(threads, sectionUs).map((index) => claims[2 * index + which]!.simulated);
        return { name: `${sectionUs} us, ${name}`, values: spreads.map((spread) => spread.median), ranges: spreads };
      }),
    ),
  }));
}

export const d3: Experiment = {
  id: 'd3',
  title: 'D3: spinning without an owner (3.16)',
  run(laboratory, scale) {
    const ms = 800 * scale.time;
    const [point, swept] = [documented(laboratory, ms), sweep(laboratory, ms / 4)];
    const sensitivity = sensitivityOf('time before / after, documented point', MODEL, scale, (model) => {
      const [before, after] = (['v3.16-spin-any', 'v5.2-no-handoff'] as const).map((name) => kopsOf(laboratory.once({ ...load(model, DOCUMENTED, 200), ...named(name, OLD), seed: 1 }), 200)) as [number, number];
      return after / before;
    });
    return {
      machine: [MODEL],
      claims: [...point, ...swept],
      plots: [bars('Time for the same work, spinning without an owner / not', '', [['documented point', point[0]!], ['spins of at most 50 us', point[3]!]]), ...plotSweep(swept)],
      sensitivity,
      notes: [
        'The document measures a program (xfs_repair, 4 min 24 s and 1 min 26 s) and says nothing of its mix. The point taken: readers inside for 100 us, 1 % writes, as long again outside. Its exact ratio cannot be claimed; hence the sweep.',
        'Spins of the documented point are unbounded but for the row that says so (SPIN_LIMIT_US is 1,000,000), since they were in 3.15; readers do not steal, are not spun on by writers after the fix, are woken up to the first queued writer only, and there is no handoff. With its bound the shipped lock loses nothing by spinning on readers.',
        'Scheduled as a preemptible kernel: a spinner gives up its processor at the end of its slice.',
        'Before, the ratio grows with the length of the run for some hundred milliseconds, as one thread after another turns into a spinner; half as long again as is measured is run first.',
        'Values above 1 in the sweep: spinning wins.',
      ],
      notReproduced: [
        'The ratio of 3.07: a whole program was measured, of which the lock is a part that is not known; here nothing but the lock is loaded, so the loss is larger. It depends on the mix, as the sweep shows.',
      ],
    };
  },
};
