/** The published experiments. */
import { d1 } from './d1.ts';
import { d2 } from './d2.ts';
import { d3 } from './d3.ts';
import { d4 } from './d4.ts';
import type { Experiment } from './experiment.ts';

export const EXPERIMENTS: readonly Experiment[] = [d1, d2, d3, d4];
