/** `rwsem-lab peers`: installs what this machine allows, says what is absent, and compares with the rest. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import pc from 'picocolors';
import { installDebianPackage } from '../debian.ts';
import { NPM_PEERS } from '../locks/npm-peer.ts';

const directory = (name: string) => fileURLToPath(new URL(`../../peers/${name}/`, import.meta.url));
const cli = fileURLToPath(new URL('../cli.js', import.meta.url));

const IN_THREADS = ['rwsem', 'rwsem-async', 'futex-mutex', 'pthread', 'pthread-prefer-writer', 'rust-std', 'parking-lot', 'navigator.locks'];
const ON_ONE_LOOP = ['loop:rwsem', ...Object.keys(NPM_PEERS).map((name) => `loop:${name}`)];

export function addPeersCommand(program: Command): void {
  program
    .command('peers')
    .description('install the locks of others that this machine allows, and run bench against all of them')
    .option('--no-install', 'with what is there already')
    .argument('[bench options...]', 'after --, for both runs; default: the shape mixed')
    .addHelpText('after', '\nExit code: the larger one of both runs of bench. A peer that lets two in makes it 1.')
    .action((parameters: string[], { install }: { install: boolean }) => {
      process.exitCode = peers(parameters, install);
    });
}

function peers(parameters: string[], install: boolean): number {
  if (install) {
    for (const name of ['npm', 'node']) installInto(directory(name), name);
    installDebianPackage('librust-parking-lot-dev', say);
  }
  const node = newerNode() ?? process.execPath;
  if (node !== process.execPath) say(`running on ${node}, which has navigator.locks`);
  const workload = parameters.length > 0 ? parameters : ['--shape', 'mixed'];
  const run = (locks: string[], page: string) =>
    spawnSync(node, [cli, 'bench', '--locks', locks.join(','), '--html', page, ...workload], { stdio: 'inherit' }).status ?? 1;
  say('Between threads');
  const threads = run(IN_THREADS, 'bench-report.threads.html');
  say('Tasks on one event loop; every section spans a turn of it');
  return Math.max(threads, run(ON_ONE_LOOP, 'bench-report.loop.html'));
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
