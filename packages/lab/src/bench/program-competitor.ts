/**
 * A competitor that is a program of its own: compiled on demand, started once a round, prints one
 * JSON object. Its rows stand in the same table, in the same alternation, as the locks on workers.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { failedRound, type Competitor, type RoundRequest, type RoundResult } from './competitor.ts';
import type { AgentCounts } from './protocol.ts';

export interface NativeProgram {
  name: string;
  /** C source, relative to the package. */
  source: string;
  /** For the compiler, e.g. `-DBROKEN`. */
  flags: string[];
  arguments(request: RoundRequest): string[];
}

/** What the program prints. */
interface Printed {
  seconds: number;
  agents: AgentCounts[];
  overlaps: number;
  lostWrites: number;
}

export function programCompetitor(program: NativeProgram): Competitor {
  let executable: string | null = null;
  return {
    name: program.name,
    async prepare() {
      executable = await compile(program);
      return { compiler: compiler(), flags: [...FLAGS, ...program.flags].join(' ') };
    },
    run(request) {
      if (executable === null) throw new Error(`${program.name} has not been compiled`);
      return runProgram(executable, program.arguments(request), request);
    },
  };
}

/** Made anew for every run of the lab: 0.3 s, and nothing stale or foreign is ever executed. */
let directory: string | null = null;
function buildDirectory(): string {
  if (directory === null) {
    const made = (directory = mkdtempSync(join(tmpdir(), 'rwsem-lab-')));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  }
  return directory;
}

const FLAGS = ['-std=gnu11', '-O2', '-pthread'];
const compiler = () => process.env['CC'] || 'cc';

async function compile({ name, source, flags }: NativeProgram): Promise<string> {
  const path = fileURLToPath(new URL(`../../${source}`, import.meta.url));
  const executable = join(buildDirectory(), `${name}-${basename(source, '.c')}`);
  try {
    await promisify(execFile)(compiler(), [...FLAGS, ...flags, '-o', executable, path]);
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(absent ? `no C compiler ("${compiler()}") found` : `does not compile here: ${String(error)}`);
  }
  return executable;
}

async function runProgram(executable: string, parameters: string[], request: RoundRequest): Promise<RoundResult> {
  const limitMs = request.seconds * 1000 + request.warmUpMs + request.graceMs;
  const child = spawn(executable, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
  let overdue = false;
  const timer = setTimeout(() => {
    overdue = true;
    child.kill('SIGKILL');
  }, limitMs);
  let output = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const progress = /^progress (\d+) ([\d.]+)$/m.exec(text);
    if (progress === null) complaint += text;
    else request.onProgress?.(Number(progress[1]), Number(progress[2]));
  });
  const code = await new Promise<number | string | null>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', resolve);
  });
  clearTimeout(timer);
  if (overdue) return failedRound('HUNG', `did not end within ${limitMs} ms`);
  if (code !== 0) return failedRound('FAILED', `ended with ${code}: ${complaint.trim()}`);
  const printed = JSON.parse(output) as Printed;
  const violations = printed.overlaps + printed.lostWrites;
  return {
    seconds: printed.seconds,
    agents: printed.agents,
    verdict: request.verify ? (violations > 0 ? 'VIOLATED' : 'held') : 'unchecked',
    violations,
    detail: violations > 0 ? `${printed.overlaps} overlaps seen inside the lock, ${printed.lostWrites} writes lost` : null,
    events: null,
  };
}
