/** `rwsem-lab cost`: what one uncontended operation costs, in ratios to what it is made of. */
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createLogUpdate } from 'log-update';
import pc from 'picocolors';
import { checkWritable } from '../bench/argument-error.ts';
import { wholeNumber } from '../bench/plan.ts';
import { toJson } from '../report/bench-report.ts';
import { formatNumber } from '../report/format.ts';
import { collectProvenance } from '../report/provenance.ts';
import { plainTable } from '../report/terminal.ts';
import { measureCosts, type GroupCost } from './measure.ts';

interface Arguments {
  rounds: number;
  json?: string;
}

export function addCostCommand(program: Command): void {
  program
    .command('cost')
    .description('measure single operations without contention, relative to the bare atomics or promises they stand on')
    .option('--rounds <n>', 'rounds of every variant, in turn', wholeNumber('--rounds', 1, 10_000), 25)
    .option('--json <file>', 'write the figures')
    .action(cost);
}

async function cost({ rounds, json }: Arguments): Promise<void> {
  if (json !== undefined) checkWritable(json);
  const live = process.stderr.isTTY ? createLogUpdate(process.stderr) : null;
  const groups = await measureCosts(rounds, (round) => live?.(round < 0 ? 'warming up' : `round ${round + 1}/${rounds}`));
  live?.clear();
  live?.done();
  const provenance = collectProvenance();
  process.stdout.write(`${render(groups)}\n\n`);
  process.stdout.write(
    pc.dim(
      `Nanoseconds per pair of acquisition and release, one thread; medians and ranges over ${rounds} alternating rounds; ratios within rounds.\n` +
        `${provenance.cpuModel}, ${provenance.runtime}, core ${provenance.core.sha256.slice(0, 12)}.\n`,
    ),
  );
  if (json !== undefined) writeFileSync(json, toJson({ kind: 'rwsem-lab cost', schema: 1, provenance, options: { rounds }, groups }));
}

function render(groups: GroupCost[]): string {
  const rows = groups.flatMap(({ title, variants }) =>
    variants.map(({ name, ns, ratio, target }, index) => [
      index === 0 ? pc.bold(title) : '',
      name,
      formatNumber(ns.median),
      pc.dim(`${formatNumber(ns.min)}..${formatNumber(ns.max)}`),
      index === 0 ? '1' : decimals(ratio.median),
      index === 0 ? '' : pc.dim(`${decimals(ratio.min)}..${decimals(ratio.max)}`),
      target === null ? '' : `<= ${target}`,
      target === null ? '' : ratio.median <= target ? pc.green('met') : pc.yellow('above'),
    ]),
  );
  const head = ['', '', 'ns', 'range', 'ratio', 'range', 'target', ''].map((title) => pc.dim(title));
  return plainTable(head, ['left', 'left', 'right', 'right', 'right', 'right', 'left', 'left'], rows);
}

const decimals = (ratio: number) => ratio.toFixed(ratio < 0.1 ? 4 : 2);
