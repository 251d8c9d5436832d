#!/usr/bin/env node
/** `rwsem-lab`: one command per experiment. Exit code 2 means that the arguments were wrong. */
import { Command, CommanderError } from 'commander';
import { addBenchCommand } from './bench/command.ts';
import { addCheckCommand } from './check/command.ts';
import { addCostCommand } from './cost/command.ts';
import { addDoctorCommand } from './doctor/command.ts';
import { addPeersCommand } from './peers/command.ts';
import { addReportCommand } from './report/command.ts';
import { addTortureCommand } from './torture/command.ts';
import { addSimCommand } from './sim/command.ts';
import { ArgumentError } from './bench/argument-error.ts';

/** As shells report it: 128 and the signal SIGPIPE. */
const BROKEN_PIPE = 141;

const program = new Command('rwsem-lab')
  .description('The laboratory of rwsem, a reader-writer lock for JavaScript threads')
  .exitOverride(); // commander would exit with 1, which means "a lock failed" here
addBenchCommand(program);
addCostCommand(program);
addPeersCommand(program);
addTortureCommand(program);
addCheckCommand(program);
addSimCommand(program);
addReportCommand(program);
addDoctorCommand(program);

// Whoever reads the output may stop, as `head` does: the end, without a word, with the code of a broken pipe unless
// the verdict is known already.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? BROKEN_PIPE);
  });
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof ArgumentError) process.stderr.write(`error: ${error.message}\n`);
  else if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}
