/** What a machine is to the simulator: figures, each with its reason. */

export interface Figure {
  value: number;
  why: string;
}

export type Figures = Record<FigureName, Figure>;

export interface MachineModel {
  name: string;
  about: string;
  world: World;
  sockets: number;
  coresPerSocket: number;
  threadsPerCore: number;
  figures: Figures;
}

/**
 * `kernel`: a thread keeps its processor until it sleeps or ends an operation, and a holder that sleeps is
 * known to. `javascript`: it can lose it between any two steps, and nobody knows.
 */
export type World = 'kernel' | 'javascript';

export const FIGURES = {
  hopSameNs: 'one message between two caches of a socket',
  hopCrossNs: 'one message between caches of different sockets',
  snoopNs: 'lookup and fill, of every miss',
  hopNoise: 'share by which a transfer varies',
  latencyNoise: 'share by which every other duration varies',
  atomicNs: 'an atomic operation on a line that the core owns',
  loadNs: 'a load that hits',
  storeNs: 'a plain store that hits',
  pauseNs: 'the spin loop hint',
  clockNs: 'reading the clock',
  loopNs: 'the measured loop around an operation: calls, counters',
  sleepNs: 'going to sleep, on the way to the scheduler',
  contextSwitchNs: 'from one thread to another',
  wakeNs: 'waking a thread, on the side of the waker',
  wakeCrossNs: 'the same, more, on another socket',
  notifyNs: 'a wake-up call when nobody sleeps',
  idleExitNs: 'until an idle core runs again',
  timerSlackNs: 'by which a timed sleep ends late',
  latencyMs: 'scheduler: every runnable thread runs once in this time',
  minimumMs: 'scheduler: shortest slice',
  wakeupGranularityMs: 'scheduler: lead a thread that wakes needs to replace the one that runs',
  tickMs: 'scheduler: looks at the running thread this often',
} as const;

export type FigureName = keyof typeof FIGURES;

/** The model with some figures multiplied: for the sensitivity tables. */
export function scaled(model: MachineModel, name: FigureName, factor: number): MachineModel {
  const { value, why } = model.figures[name];
  return { ...model, figures: { ...model.figures, [name]: { value: value * factor, why } } };
}
