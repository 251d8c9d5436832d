/**
 * A competitor that is a program of its own: compiled on demand, started once a round, prints one
 * JSON object. Its rows stand in the same table, in the same alternation, as the locks on workers.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failedRound, type Competitor, type RoundRequest, type RoundResult, type Settings } from './competitor.ts';
import type { AgentCounts } from './protocol.ts';

export interface NativeProgram {
  name: string;
  /** Builds the program into the directory, or rejects with why that cannot be done here. */
  build(directory: string): Promise<{ executable: string; settings: Settings }>;
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
      const built = await program.build(buildDirectory());
      executable = built.executable;
      return built.settings;
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
