/** What the suites use of `node:test`, for pages and their workers: tests run one after the other. */

interface Options {
  timeout?: number;
  skip?: boolean | string;
}
interface Context {
  diagnostic(message: string): void;
}
type Body = (context: Context) => unknown;

interface Test {
  name: string;
  options: Options;
  body: Body;
}

export interface Results {
  passed: number;
  skipped: number;
  failures: string[];
}

const LIMIT_MS = 60_000;

const tests: Test[] = [];
const finalHooks: Array<() => unknown> = [];
let names: string[] = [];
let inherited: Options = {};

function split<F>(given: [F] | [Options, F]): { options: Options; body: F } {
  return given.length === 1 ? { options: {}, body: given[0] } : { options: given[0], body: given[1] };
}

export function test(name: string, ...given: [Body] | [Options, Body]): void {
  const { options, body } = split(given);
  tests.push({ name: [...names, name].join(' > '), options: { ...inherited, ...options }, body });
}

export function describe(name: string, ...given: [() => void] | [Options, () => void]): void {
  const { options, body } = split(given);
  const outside = { names, inherited };
  names = [...names, name];
  inherited = { ...inherited, ...options };
  body();
  ({ names, inherited } = outside);
}

/** Only as the suites use it: at the end of a file. */
export function after(hook: () => unknown): void {
  finalHooks.push(hook);
}

/** Rejections and errors that nobody handles count against the test during which they come up. */
let stray: string[] = [];
const global = globalThis as unknown as EventTarget;
global.addEventListener('unhandledrejection', (event) => stray.push(`unhandled rejection: ${describeError((event as PromiseRejectionEvent).reason)}`));
global.addEventListener('error', (event) => stray.push(`unhandled error: ${describeError((event as ErrorEvent).error ?? (event as ErrorEvent).message)}`));

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Firefox leaves the message out of the stack.
  const cause = error.cause === undefined ? '' : `\ncaused by ${describeError(error.cause)}`;
  return `${error.name}: ${error.message}\n${error.stack ?? ''}${cause}`;
}

async function attempt({ options, body }: Test): Promise<string[]> {
  stray = [];
  const limitMs = options.timeout ?? LIMIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([body({ diagnostic: () => {} }), late]);
    return stray;
  } catch (error) {
    return [describeError(error), ...stray];
  } finally {
    clearTimeout(timer);
  }
}

/** Runs what has been declared. */
export async function runTests(onStart: (name: string) => void): Promise<Results> {
  const results: Results = { passed: 0, skipped: 0, failures: [] };
  for (const test of tests) {
    if (test.options.skip) {
      results.skipped++;
      continue;
    }
    onStart(test.name);
    const problems = await attempt(test);
    if (problems.length === 0) results.passed++;
    else results.failures.push(`${test.name}\n${problems.join('\n')}`);
  }
  for (const hook of finalHooks) await hook();
  return results;
}
