/** The page of the lab's reports: of the files that are given or lie in the repository, or of a short run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ArgumentError } from '../../packages/lab/dist/bench/argument-error.js';
import { parseReport, renderReports } from '../../packages/lab/dist/report/combined-page.js';
import { REPORT_STYLE } from '../../packages/lab/dist/report/html.js';
import { repository } from './paths.ts';
import type { Page } from './template.ts';

const SHORT_RUN = ['bench', '--shape', 'mixed', '--threads', '1,2,4', '--seconds', '0.1', '--rounds', '3', '--warm-up-ms', '50', '--locks', 'rwsem,futex-mutex', '--no-html'];

/** `given`: JSON files that commands of the lab wrote. */
export function renderReportsPage(given: string[]): Page {
  const files = given.length > 0 ? given : foundReports();
  const reports = files.length > 0 ? files.map((file) => [file, read(file)] as const) : [['a short run, made with this page', runShort()] as const];
  const body = `<h1>Reports of the lab</h1>
<p>Made by <code>rwsem-lab</code> (<a href="lab.html">what its columns say</a>), each with the machine, the command and the version of the lock
that it comes from. For figures of your own machine run the lab, or the <a href="bench.html">benchmark in your browser</a>.</p>
${renderReports(reports.map(([file, text]) => parseReport(basename(file), text)))}`;
  return { path: 'reports.html', title: 'Reports · rwsem', body, head: `<style>${REPORT_STYLE}</style>\n`, wide: true };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ArgumentError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

/** What `--json` was told to write beside `bench-report.html`, where that is by default. */
function foundReports(): string[] {
  return readdirSync(repository)
    .filter((name) => /-report.*\.json$/.test(name))
    .sort()
    .map((name) => join(repository, name));
}

function runShort(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rwsem-site-'));
  try {
    const file = join(folder, 'report.json');
    const lab = join(repository, 'packages/lab/dist/cli.js');
    console.log('No report is given or found; measuring for a few seconds');
    const { status, stderr } = spawnSync(process.execPath, [lab, ...SHORT_RUN, '--json', file], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`rwsem-lab ${SHORT_RUN.join(' ')} ended with ${status}\n${stderr}`);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
