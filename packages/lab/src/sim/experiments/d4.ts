/** D4: the write lock granted in the wake path, and stealing restored. 96 threads, half reads. */
import type { Section } from '../../bench/section.ts';
import { kopsOf } from '../figures.ts';
import type { MachineModel } from '../machine/model.ts';
import { javaScriptWorld, MODELS } from '../machine/models.ts';
import { KERNEL_CADENCE, SHIPPED, type Outcome, type SimulatedLock } from '../simulate.ts';
import { bars, claim, value, type Experiment, type Load, type Variant } from './experiment.ts';
import { BEFORE_2023 } from './kernels.ts';
import { sensitivityOf } from './sensitivity.ts';

const MODEL = MODELS['x86-2-socket-96']!;
const HALF = Array.from({ length: 96 }, () => 50);
const NOTHING: Section = { kind: 'empty', amount: 0 };
const PAUSES = 100;

function load(model: MachineModel, ms: number): Load {
  const hold: Section = { kind: 'busy', amount: (PAUSES * MODEL.figures.pauseNs.value) / 1000 };
  return { model, readPercents: HALF, hold, think: NOTHING, ms, warmUpMs: ms / 4 };
}

const waking = (writerWake: 'steal' | 'grant', lock: SimulatedLock): Variant => ({ policy: { writerWake }, lock });

export const d4: Experiment = {
  id: 'd4',
  title: 'D4: writer wake-up (2023)',
  run(laboratory, scale) {
    const ms = 200 * scale.time;
    const [before, transfer, restored] = laboratory.compare(load(MODEL, ms), waking('steal', BEFORE_2023), waking('grant', KERNEL_CADENCE), waking('steal', KERNEL_CADENCE));
    const threads = javaScriptWorld(MODEL);
    const [jsTransfer, jsRestored] = laboratory.compare(load(threads, ms), waking('grant', SHIPPED), waking('steal', SHIPPED));
    const rate = (outcome: Outcome) => kopsOf(outcome, ms);
    const steals = ({ events }: Outcome) => events['optLock']!;
    const relative = (runs: Outcome[], to: Outcome[], of: (outcome: Outcome) => number) => runs.map((outcome, index) => of(outcome) / of(to[index]!));
    const sensitivity = sensitivityOf('transfer / restored', MODEL, scale, (model) => {
      const [steal, grant] = (['steal', 'grant'] as const).map((wake) => rate(laboratory.once({ ...load(model, 30), ...waking(wake, KERNEL_CADENCE), seed: 1 }))) as [number, number];
      return grant / steal;
    });
    const claims = [
      claim('before, kops/s', 584.091, before.map(rate)),
      claim('transfer in the wake path, kops/s', 171.184, transfer.map(rate)),
      claim('stealing restored, kops/s', 580.256, restored.map(rate)),
      claim('transfer / before', 171_184 / 584_091, relative(transfer, before, rate), value(0.21, 0.39)),
      claim('restored / before', 580_256 / 584_091, relative(restored, before, rate), value(0.95, Infinity)),
      claim('locks stolen by spinners, transfer / before', 17_939 / 4_252_147, relative(transfer, before, steals), value(0, 0.01)),
      claim('as JavaScript threads, shipped constants: transfer / restored', null, relative(jsTransfer, jsRestored, rate)),
    ];
    return {
      machine: [MODEL, threads],
      claims,
      plots: [
        bars('Total rate', 'kops/s', [['before', claims[0]!], ['transfer', claims[1]!], ['restored', claims[2]!]]),
        bars('Relative to before', '', [['transfer', claims[3]!], ['restored', claims[4]!], ['transfer: steals', claims[5]!]]),
      ],
      sensitivity,
      notes: [
        'Inferred: the 100 pauses of the section take 10 ns each. With 47 ns, as on Skylake, 584,091 operations a second, half of them writes, would not fit.',
        '"Before" is the shipped lock with one line of wake.js changed by the harness: the waker never transfers. Otherwise only the policy differs.',
        'Spinners look at every turn, as in the kernel, but for the last row.',
      ],
      notReproduced: ['Absolute rates, which nobody can compare without the machine. What is claimed are ratios.'],
    };
  },
};
