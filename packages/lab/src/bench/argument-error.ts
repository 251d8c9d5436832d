import { closeSync, openSync } from 'node:fs';

/** A value on the command line that cannot be used. Reported in one line, exit code 2. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

/** Before the run, not after it: a report that cannot be written would be lost. */
export function checkWritable(file: string): void {
  try {
    closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new ArgumentError(`cannot write ${file}: ${(error as Error).message}`);
  }
}
