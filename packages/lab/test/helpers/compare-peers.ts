/** `rwsem-lab peers` with locks that are named on the command line: ours, and those of others. */
import { runComparisons } from '../../dist/peers/comparison.js';

const [ours = '', others = '', ...parameters] = process.argv.slice(2);
process.exitCode = runComparisons({
  comparisons: [{ title: 'first', name: 'first', ours: ours.split(','), others: others.split(',') }],
  node: process.execPath,
  parameters,
  say() {},
});
