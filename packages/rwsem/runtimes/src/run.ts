/**
 * `npm run test:runtimes`: the suites on every runtime that this machine has or can get, as a table.
 * Exit code 1 if something fails. What is absent is no failure; the table says why.
 *
 * `--only NAME` (repeatable: runtimes, by the beginning of the name), `--suite NAME` (repeatable),
 * `--no-install`: takes what is there. `--quick`: for a check of every change; without the long suites,
 * and without the runtime that runs this, which `npm test` is for.
 */
import { parseArgs } from 'node:util';
import { CHROMIUM } from '../../../../scripts/chromium.js';
import { browserRuntime, FIREFOX } from './browser-runtime.ts';
import { BUN, commandRuntime, DENO, modules, nodeDialect, type Runtime } from './command-runtime.ts';
import { installBrowsers, installPackages } from './install.ts';
import { describeOutcome, type Outcome } from './outcome.ts';
import { SUITES } from './suites.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    suite: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    'no-install': { type: 'boolean', default: false },
  },
});

const thisMajor = Number(process.versions.node.split('.')[0]);
const NODES = [22, 24, 26].filter((major) => major !== thisMajor);

const THIS_NODE = `Node ${thisMajor}`;
const RUNTIMES: Runtime[] = [
  commandRuntime(nodeDialect(THIS_NODE, process.execPath)),
  ...NODES.map((major) => commandRuntime(nodeDialect(`Node ${major}`, modules(`node${major}-${process.platform}-${process.arch}/bin/node`)))),
  commandRuntime(BUN),
  commandRuntime(DENO),
  browserRuntime('Chromium', 'chrome', CHROMIUM),
  browserRuntime('Firefox', 'firefox', FIREFOX),
];

/** What was asked for, or everything; a name that fits nothing, or only what `--quick` leaves out, is a mistake to be told. */
function chosen<T extends { name: string }>(all: readonly T[], isLeftOut: (one: T) => boolean, names: string[], option: string): T[] {
  const fits = (one: T, name: string): boolean => one.name.toLowerCase().startsWith(name.toLowerCase());
  const kept = all.filter((one) => !(values.quick && isLeftOut(one)));
  for (const name of names) {
    if (kept.some((one) => fits(one, name))) continue;
    const listed = (some: readonly T[]): string => some.map((one) => one.name).join(', ');
    console.error(
      all.some((one) => fits(one, name))
        ? `${option} ${name}: --quick leaves out ${listed(all.filter(isLeftOut))}; run it without --quick, or choose of ${listed(kept)}`
        : `${option} ${name}: there is ${listed(all)}`,
    );
    process.exit(2);
  }
  return names.length === 0 ? kept : kept.filter((one) => names.some((name) => fits(one, name)));
}

const runtimes = chosen(RUNTIMES, ({ name }) => name === THIS_NODE, values.only, '--only');
const suites = chosen(SUITES, ({ isLong }) => isLong === true, values.suite, '--suite');
if (!values['no-install']) {
  installPackages();
  installBrowsers();
}

const rows: string[][] = [];
let failures = 0;
for (const runtime of runtimes) {
  const found = await runtime.probe();
  if ('absent' in found) {
    rows.push([runtime.name, ...suites.map(() => `absent: ${found.absent}`)]);
    continue;
  }
  const label = `${runtime.name} (${found.version})`;
  const outcomes: Outcome[] = [];
  try {
    for (const suite of suites) {
      const outcome = await runtime.run(suite);
      outcomes.push(outcome);
      const took = 'seconds' in outcome ? `, ${outcome.seconds.toFixed(0)} s` : '';
      console.log(`${label}: ${suite.name}: ${describeOutcome(outcome)}${took}`);
      if (outcome.kind !== 'failed') continue;
      failures++;
      console.log(outcome.output.replace(/^/gm, '    '));
    }
  } finally {
    await runtime.close();
  }
  rows.push([label, ...outcomes.map(describeOutcome)]);
}

console.log(`\n${table(['runtime', ...suites.map(({ name }) => name)], rows)}`);
if (failures > 0) console.log(`\n${failures} failed`);
process.exit(failures > 0 ? 1 : 0);
