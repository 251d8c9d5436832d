/** Locks in C and Rust: what the same workload costs without JavaScript. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { NativeProgram } from '../bench/program-competitor.ts';
import type { Section } from '../bench/section.ts';

const peers = (path: string) => fileURLToPath(new URL(`../../peers/${path}`, import.meta.url));
const C_FLAGS = ['-std=gnu11', '-O2', '-pthread'];
/** Where Debian's librust-…-dev packages put crates, for use without network. */
const DEBIAN_CRATES = '/usr/share/cargo/registry';

/** `variant` is what the programs call PREFER; all of them take the same arguments. */
function native(name: string, variant: string, build: NativeProgram['build']): NativeProgram {
  const argument = ({ kind, amount }: Section) => `${kind}:${amount}`;
  return {
    name,
    build,
    arguments: ({ seconds, warmUpMs, sampleEvery, verify, seed, workload: { locks, reading, writing, readPercents } }) => [
      ...[seconds, warmUpMs, sampleEvery, verify ? 1 : 0, locks, seed].map(String),
      variant,
      ...[reading.section, reading.think, writing.section, writing.think].map(argument),
      ...readPercents.map(String),
    ],
  };
}

function inC(name: string, prefer: 'readers' | 'writers', flags: string[] = []): NativeProgram {
  return native(name, prefer, async (directory) => {
    const compiler = process.env['CC'] || 'cc';
    const executable = join(directory, name);
    const all = [...C_FLAGS, ...flags];
    await tool(compiler, [...all, '-o', executable, peers('pthread/rwlock-bench.c')], 'no C compiler');
    return { executable, settings: { compiler, flags: all.join(' ') } };
  });
}

function inRust(name: string, variant: 'std' | 'broken'): NativeProgram {
  return native(name, variant, async (directory) => {
    const executable = join(directory, name);
    const flags = ['--edition', '2021', '-O'];
    await tool('rustc', [...flags, '-o', executable, peers('rust/src/main.rs')], 'no Rust compiler');
    return { executable, settings: { compiler: 'rustc', flags: flags.join(' ') } };
  });
}

/** As glibc initialises it: readers overtake waiting writers, who may starve. */
export const pthreadDefault = inC('pthread', 'readers');
export const pthreadPreferWriter = inC('pthread-prefer-writer', 'writers');
/** Takes no lock at all. */
export const pthreadBroken = inC('broken-pthread', 'readers', ['-DBROKEN']);
export const rustStd = inRust('rust-std', 'std');
export const rustBroken = inRust('broken-rust', 'broken');
export const parkingLot = native('parking-lot', 'parking-lot', async (directory) => {
  if (!existsSync(DEBIAN_CRATES)) throw new Error('needs the crate from Debian\'s librust-parking-lot-dev, which "rwsem-lab peers" installs where it may');
  // Cargo writes beside the manifest.
  const source = join(directory, 'parking-lot');
  cpSync(peers('rust'), source, { recursive: true });
  const crates = ['source.crates-io.replace-with="debian"', `source.debian.directory="${DEBIAN_CRATES}"`].flatMap((setting) => ['--config', setting]);
  const flags = ['build', '--offline', '--release', '--features', 'parking-lot'];
  const parameters = [...flags, '--manifest-path', join(source, 'Cargo.toml'), '--target-dir', join(source, 'target'), ...crates];
  await tool('cargo', parameters, 'no cargo');
  return { executable: join(source, 'target', 'release', 'rwlock-bench'), settings: { compiler: 'cargo', flags: flags.join(' ') } };
});

async function tool(command: string, parameters: string[], missing: string): Promise<void> {
  try {
    await promisify(execFile)(command, parameters);
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(absent ? `${missing} ("${command}") found` : `does not compile here: ${String(error)}`);
  }
}
