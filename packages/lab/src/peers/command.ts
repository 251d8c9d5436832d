/** `rwsem-lab peers`: installs what this machine allows, says what is absent, and compares with the rest. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import pc from 'picocolors';
import { ArgumentError } from '../bench/argument-error.ts';
import { installDebianPackage } from '../debian.ts';
import { NPM_PEERS } from '../locks/npm-peer.ts';
import { runComparisons, type Comparison } from './comparison.ts';

const directory = (name: string) => fileURLToPath(new URL(`../../peers/${name}/`, import.meta.url));

const COMPARISONS: readonly Comparison[] = [
  {
    title: 'Between threads',
    name: 'threads',
    ours: ['rwsem', 'rwsem-async'],
    others: ['futex-mutex', 'pthread', 'pthread-prefer-writer', 'rust-std', 'parking-lot', 'navigator.locks'],
  },
  {
    title: 'Tasks on one event loop; every section spans a turn of it',
    name: 'loop',
    ours: ['loop:rwsem'],
    others: Object.keys(NPM_PEERS).map((name) => `loop:${name}`),
  },
];
/** Of bench, and decided here: both runs would take the same. */
const DECIDED = ['--locks', '--html', '--json'];

export function addPeersCommand(program: Command): void {
  program
    .command('peers')
    .description('install the locks of others that this machine allows, and run bench against all of them')
    .option('--no-install', 'with what is there already')
    .argument('[bench options...]', 'after --, for both runs; default: the shape mixed')
    .addHelpText(
      'after',
      "\nWrites bench-report.threads and bench-report.loop, .html and .json.\nExit code: 0 our locks held; 1 one of ours let two in, hung or failed; 2 bad arguments. What a lock of others did is said in its row and at the end.",
    )
    .action((parameters: string[], { install }: { install: boolean }) => {
      process.exitCode = peers(parameters, install);
    });
}

function peers(parameters: string[], install: boolean): number {
  for (const option of DECIDED) {
    if (!parameters.some((text) => text === option || text.startsWith(`${option}=`))) continue;
    throw new ArgumentError(`${option} is not for peers, which names locks and reports itself; use "rwsem-lab bench ${option} ..."`);
  }
  if (install) {
    for (const name of ['npm', 'node']) installInto(directory(name), name);
    installDebianPackage('librust-parking-lot-dev', say);
  }
  const node = newerNode() ?? process.execPath;
  if (node !== process.execPath) say(`running on ${node}, which has navigator.locks`);
  return runComparisons({ comparisons: COMPARISONS, node, parameters: parameters.length > 0 ? parameters : ['--shape', 'mixed'], say });
}

/** By npm, from the lock file beside the manifest, without running anybody's install scripts. */
function installInto(cwd: string, name: string): void {
  say(`npm ci in peers/${name}`);
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--workspaces=false', '--loglevel=error'];
  const { status, error } = spawnSync('npm', options, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) say(`not installed: ${error?.message ?? `npm ended with ${status}`}; what is missing will be absent below`);
}

/** Of `peers/node`, if the running one lacks what it is there for. */
function newerNode(): string | null {
  if ('locks' in ((globalThis as { navigator?: object }).navigator ?? {})) return null;
  const modules = join(directory('node'), 'node_modules');
  if (!existsSync(modules)) return null;
  return readdirSync(modules).map((name) => join(modules, name, 'bin', 'node')).find(existsSync) ?? null;
}

function say(text: string): void {
  process.stderr.write(`${pc.bold(text)}\n`);
}
