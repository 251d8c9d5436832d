/** `rwsem-lab doctor [URL]`: can rwsem work here, or in the page of that address, and what is to be done? */
import { type Command, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { plainTable } from '../report/terminal.ts';
import type { Finding } from './finding.ts';
import { checkPage } from './page.ts';
import { checkRuntime } from './runtime.ts';

interface Arguments {
  worker: URL[];
  resource: URL[];
  json?: boolean;
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check whether rwsem works in this runtime, or in the page of an address by its headers; exit code 1 if not')
    .argument('[url]', 'a page, by http or https', address)
    .option('--worker <url>', 'with a page: the script of a worker of it; repeatable', addresses, [])
    .option('--resource <url>', 'with a page: what it loads from elsewhere; repeatable', addresses, [])
    .option('--json', 'print the findings as JSON')
    .action(doctor);
}

function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('It must be an address with http:// or https://.');
  return url;
}

function addresses(text: string, before: URL[]): URL[] {
  return [...before, address(text)];
}

async function doctor(page: URL | undefined, { worker, resource, json }: Arguments, command: Command): Promise<void> {
  if (page === undefined && worker.length + resource.length > 0) command.error('error: --worker and --resource need the address of a page');
  const findings = page === undefined ? await checkRuntime() : await checkPage(page, worker, resource);
  const works = findings.every(({ status }) => status !== 'bad');
  if (json) process.stdout.write(`${JSON.stringify({ kind: 'rwsem-lab doctor', schema: 1, page: page?.href ?? null, works, findings }, null, 2)}\n`);
  else process.stdout.write(`${render(findings)}\n\n${verdict(works, page !== undefined)}\n`);
  if (!works) process.exitCode = 1;
}

const SIGNS = { good: pc.green('ok'), note: pc.yellow('note'), bad: pc.bold(pc.red('BAD')) };

function render(findings: Finding[]): string {
  return plainTable([], ['left', 'left', 'left', 'left'], findings.map(({ what, status, found, advice }) => [SIGNS[status], what, found, advice]));
}

function verdict(works: boolean, isPage: boolean): string {
  const where = isPage ? 'in this page' : 'here';
  return works ? pc.green(`rwsem works ${where}.`) : pc.red(`rwsem cannot work ${where}: do what stands beside BAD.`);
}
