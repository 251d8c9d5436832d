/** What the experiments have in common: claims with bands, and how much to simulate. */
import type { Spread } from '../figures.ts';
import { spreadOf } from '../figures.ts';
import type { FigureName, MachineModel } from '../machine/model.ts';
import { simulate, type Outcome, type Scenario } from '../simulate.ts';

export interface Scale {
  seeds: number;
  /** Of the simulated time. */
  time: number;
  sensitivity: boolean;
}

export const FULL: Scale = { seeds: 5, time: 1, sensitivity: true };
export const QUICK: Scale = { seeds: 2, time: 0.25, sensitivity: false };

export interface Claim {
  what: string;
  document: number | null;
  simulated: Spread;
  /** What is accepted: a range of simulated / document, or of the value itself. */
  band: Band | null;
}

export interface Band {
  of: 'ratio' | 'value';
  low: number;
  high: number;
}

export interface Sensitivity {
  /** What the figures are halved and doubled for. */
  what: string;
  base: number;
  rows: Array<{ figure: FigureName; half: number; double: number }>;
}

/** A figure of the page. Names beginning with "document" are drawn as what they are compared with. */
export interface PlotData {
  title: string;
  kind: 'lines' | 'bars';
  /** Of the horizontal axis. */
  categories: string[];
  axis: string;
  unit: string;
  isLogarithmic: boolean;
  /** `null`: there is no value. The range over seeds is drawn where there is one. */
  series: Array<{ name: string; values: Array<number | null>; ranges?: Array<Pick<Spread, 'min' | 'max'>> }>;
}

/** What an experiment says. */
export interface Findings {
  machine: MachineModel[];
  claims: Claim[];
  sensitivity: Sensitivity | null;
  plots: PlotData[];
  /** What is inferred, or read in one of several ways. */
  notes: string[];
  /** What is not reproduced, and why. */
  notReproduced: string[];
}

/** Over all of its simulations. */
export interface Totals {
  violations: number;
  accesses: number;
  wallMs: number;
}

export interface Experiment {
  id: string;
  title: string;
  run(laboratory: Laboratory, scale: Scale): Findings;
}

export type Report = Pick<Experiment, 'id' | 'title'> & Findings & Totals;

export function perform(experiment: Experiment, scale: Scale): Report {
  const laboratory = new Laboratory(scale);
  const findings = experiment.run(laboratory, scale);
  const { id, title } = experiment;
  const { violations, accesses, wallMs } = laboratory;
  return { id, title, ...findings, violations, accesses, wallMs };
}

export const ratio = (low: number, high: number): Band => ({ of: 'ratio', low, high });
export const value = (low: number, high: number): Band => ({ of: 'value', low, high });
export const within = (share: number): Band => ratio(1 - share, 1 + share);

export function claim(what: string, document: number | null, values: number[], band: Band | null = null): Claim {
  return { what, document, simulated: spreadOf(values), band };
}

export function verdictOf({ document, simulated, band }: Claim): 'within' | 'MISSED' | '' {
  if (band === null) return '';
  const compared = band.of === 'value' ? simulated.median : simulated.median / document!;
  return compared >= band.low && compared <= band.high ? 'within' : 'MISSED';
}

/** Document and simulation of some claims side by side. */
export function bars(title: string, unit: string, claims: Array<[name: string, claim: Claim]>, isLogarithmic = false): PlotData {
  return {
    title,
    kind: 'bars',
    categories: claims.map(([name]) => name),
    axis: '',
    unit,
    isLogarithmic,
    series: [
      { name: 'document', values: claims.map(([, { document }]) => document) },
      { name: 'simulated', values: claims.map(([, { simulated }]) => simulated.median), ranges: claims.map(([, { simulated }]) => simulated) },
    ],
  };
}

/** What a comparison may change, and what not. */
export type Variant = Required<Pick<Scenario, 'policy' | 'lock'>>;
export type Load = Omit<Scenario, 'policy' | 'lock' | 'seed'>;

/** Runs scenarios and keeps the sums for the report. */
export class Laboratory implements Totals {
  violations = 0;
  accesses = 0;
  wallMs = 0;
  readonly #scale: Scale;

  constructor(scale: Scale) {
    this.#scale = scale;
  }

  once(scenario: Scenario): Outcome {
    const outcome = simulate(scenario);
    this.violations += outcome.violations;
    this.accesses += outcome.accesses;
    this.wallMs += outcome.wallMs;
    return outcome;
  }

  /** One outcome for each seed. */
  run(load: Load, variant: Variant): Outcome[] {
    return Array.from({ length: this.#scale.seeds }, (_, seed) => this.once({ ...load, ...variant, seed: seed + 1 }));
  }

  /** Before and after: the same machine, load and seeds. Only the lock's policy can differ, or the lock. */
  compare<V extends Variant[]>(load: Load, ...variants: V): { [index in keyof V]: Outcome[] } {
    return variants.map((variant) => this.run(load, variant)) as { [index in keyof V]: Outcome[] };
  }
}
