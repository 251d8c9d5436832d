/** Runtimes that are programs, with a test runner of their own behind `node:test`. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './outcome.ts';
import type { Suite } from './suites.ts';

export interface Runtime {
  name: string;
  /** What its version is, or why it is not there. */
  probe(): Promise<{ version: string } | { absent: string }>;
  run(suite: Suite): Promise<Outcome>;
  /** Frees what it took. */
  close(): Promise<void>;
}

interface Dialect {
  name: string;
  program: string;
  /** The arguments that run a file of tests. */
  arguments(file: string): string[];
  /** The numbers, from what it prints. */
  passed: RegExp;
  failed: RegExp;
  skipped: RegExp;
}

const LIMIT_MS = 150_000;
/** The end of what a failing run has printed is where the failures are. */
const SHOWN_CHARACTERS = 6000;

const TESTS = fileURLToPath(new URL('../../dist-test/', import.meta.url));

/** A directory of packages of this manifest. */
export function modules(path: string): string {
  return fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
}

export function nodeDialect(name: string, program: string): Dialect {
  return {
    name,
    program,
    arguments: (file) => ['--test', '--test-reporter=tap', file],
    passed: /^# pass (\d+)/m,
    failed: /^# fail (\d+)/m,
    skipped: /^# skipped (\d+)/m,
  };
}

export const BUN: Dialect = {
  name: 'Bun',
  program: modules('.bin/bun'),
  arguments: (file) => ['test', file],
  passed: /^ *(\d+) pass$/m,
  failed: /^ *(\d+) fail$/m,
  skipped: /^ *(\d+) skip$/m,
};

export const DENO: Dialect = {
  name: 'Deno',
  program: modules('.bin/deno'),
  arguments: (file) => ['test', '--allow-all', '--no-check', file],
  passed: /^\w+ \| (\d+) passed/m,
  failed: /\| (\d+) failed/m,
  skipped: /\| (\d+) ignored/m,
};

export function commandRuntime(dialect: Dialect): Runtime {
  return {
    name: dialect.name,
    async probe() {
      if (!existsSync(dialect.program)) return { absent: 'no package for this machine, or not installed' };
      const { code, output } = await execute(dialect.program, ['--version'], 20_000);
      if (code !== 0) return { absent: `does not start: ${output.trim().split('\n')[0]}` };
      return { version: /\d+\.\d+\.\d+/.exec(output)?.[0] ?? output.trim() };
    },
    run: (suite) => runFile(dialect, suite),
    close: async () => {},
  };
}

async function runFile(dialect: Dialect, suite: Suite): Promise<Outcome> {
  const start = performance.now();
  const { code, output } = await execute(dialect.program, dialect.arguments(`${TESTS}${suite.file}`), LIMIT_MS);
  const seconds = (performance.now() - start) / 1000;
  const count = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? 0);
  // Deno counts the tests inside of a `describe` apart.
  const tests = count(dialect.passed) + count(/passed \((\d+) steps?\)/);
  const shown = output.slice(-SHOWN_CHARACTERS);
  if (code === null) return { kind: 'failed', reason: `not done after ${LIMIT_MS / 1000} s`, output: shown, seconds };
  const failed = count(dialect.failed);
  if (code !== 0) return { kind: 'failed', reason: failed > 0 ? `${failed} of ${tests + failed}` : `exit code ${code}`, output: shown, seconds };
  if (tests === 0) return { kind: 'failed', reason: 'no test ran', output: shown, seconds };
  return { kind: 'passed', tests, skipped: count(dialect.skipped), seconds };
}

interface Ended {
  /** `null`: it had to be killed. */
  code: number | null;
  output: string;
}

export function execute(program: string, args: string[], limitMs: number): Promise<Ended> {
  return new Promise((resolve) => {
    // A group of its own, so that what it starts ends with it.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: { ...process.env, NO_COLOR: '1' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const limit = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, limitMs);
    child.on('error', (error) => (clearTimeout(limit), resolve({ code: 127, output: String(error) })));
    child.on('close', (code) => (clearTimeout(limit), resolve({ code, output })));
  });
}
