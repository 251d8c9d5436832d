/** SPIN and a C compiler: are they there, and where do they come from? */
import { spawnSync } from 'node:child_process';
import { installDebianPackage } from '../../debian.ts';

/** The second engine cannot run, or has broken off. */
export class SpinError extends Error {
  override readonly name = 'SpinError';
}

const TOOLS: readonly { command: string; flag: string; debian: string }[] = [
  { command: 'spin', flag: '-V', debian: 'spin' },
  { command: 'gcc', flag: '--version', debian: 'gcc' },
];

/** The commands that are not there. */
export function missingTools(): string[] {
  return TOOLS.filter(({ command, flag }) => spawnSync(command, [flag], { stdio: 'ignore' }).status !== 0).map(({ command }) => command);
}

/** Installs what is missing, where that can be done; the commands that are still not there. */
export function installTools(say: (text: string) => void): string[] {
  const missing = missingTools();
  for (const { command, debian } of TOOLS) if (missing.includes(command)) installDebianPackage(debian, say);
  return missing.length === 0 ? missing : missingTools();
}

export function needTools(): void {
  const missing = missingTools();
  if (missing.length > 0) throw new SpinError(`${missing.join(' and ')} not found; on Debian, as root: npm run install:spin`);
}
