/** `rwsem-lab report`: one page from the JSON of other commands. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ArgumentError, checkWritable } from '../bench/argument-error.ts';

export function addReportCommand(program: Command): void {
  program
    .command('report')
    .description('one static page from what other commands wrote with --json')
    .argument('<files...>', 'JSON reports')
    .option('--html <file>', 'where the page goes', 'lab-report.html')
    .action(async (files: string[], { html }: { html: string }) => {
      const { parseReport, renderCombined } = await import('./combined-page.ts'); // the plotting library takes 0.2 s to load
      const reports = files.map((file) => parseReport(file, read(file)));
      checkWritable(html);
      writeFileSync(html, renderCombined(reports));
      process.stdout.write(`${resolve(html)}\n`);
    });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ArgumentError(`cannot read ${file}: ${(error as Error).message}`);
  }
}
