/** Runs slices of the stress until one fails, and prints that failure. Anything else is an error. */

import type { SliceOptions } from '../helpers/stress-broken.ts';
import { runStress, StressFailure } from '../../../lab/dist/torture/stress.js';

const options = JSON.parse(process.argv[2] as string) as SliceOptions;
const endAt = performance.now() + options.forSeconds * 1000;
try {
  for (let { seed } = options; performance.now() < endAt; seed++) await runStress({ ...options, seed });
} catch (error) {
  if (!(error instanceof StressFailure)) throw error;
  await new Promise((resolve) => process.stdout.write(error.message, resolve));
}
process.exit(0);
