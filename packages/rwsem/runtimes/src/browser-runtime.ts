/** Browsers, without a window: suites run in a worker of a cross-origin isolated page, or on its main thread. */
import { chromiumArguments, findOnPath } from '../../../../scripts/chromium.js';
import type { Runtime } from './command-runtime.ts';
import type { Outcome } from './outcome.ts';
import type { Results } from './page/test.ts';
import { type Browser, driver } from './packages.ts';
import { serve, type Server } from './server.ts';
import type { Suite } from './suites.ts';

/** The names that it goes by. */
export const FIREFOX = ['firefox-esr', 'firefox'];

const LIMIT_MS = 150_000;
const LOOK_MS = 100;

export function browserRuntime(name: string, browser: 'chrome' | 'firefox', programs: readonly string[]): Runtime {
  let open: { browser: Browser; isolated: Server; plain: Server } | undefined;
  return {
    name,
    async probe() {
      const executablePath = findOnPath(programs);
      if (executablePath === null) return { absent: `no ${programs.join(' or ')} on the PATH` };
      try {
        const { launch } = await driver();
        const args = browser === 'chrome' ? chromiumArguments() : [];
        const started = await launch({ browser, executablePath, headless: true, args, protocolTimeout: LIMIT_MS });
        open = { browser: started, isolated: await serve({ isolated: true }), plain: await serve({ isolated: false }) };
        return { version: /\d+(\.\d+)*/.exec(await started.version())?.[0] ?? '' };
      } catch (error) {
        return { absent: `does not start: ${String(error).split('\n')[0]}` };
      }
    },
    async run(suite) {
      if (suite.needsProcesses) return { kind: 'absent', reason: 'no processes' };
      if (!open) throw new Error(`${name} has not been started`);
      return runInPage(open.browser, (suite.withoutIsolation ? open.plain : open.isolated).origin, suite);
    },
    async close() {
      await open?.browser.close();
      await open?.isolated.close();
      await open?.plain.close();
      open = undefined;
    },
  };
}

async function runInPage(browser: Browser, origin: string, suite: Suite): Promise<Outcome> {
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  const page = await browser.newPage();
  const file = `/rwsem/dist-test/${suite.file}`;
  try {
    await page.goto(`${origin}/?${new URLSearchParams({ file, thread: suite.onMainThreadOfPage ? 'main' : 'worker' })}`);
    for (;;) {
      // Looks, rather than being told: a page that hangs has to end as well.
      const progress = await page.evaluate<string | undefined>('JSON.stringify(globalThis.progress)');
      const { running, results } = JSON.parse(progress ?? '{}') as { running?: string; results?: Results };
      if (results) return outcome(results, seconds());
      if (seconds() * 1000 > LIMIT_MS) {
        return { kind: 'failed', reason: `not done after ${LIMIT_MS / 1000} s`, output: `in ${running || 'loading'}`, seconds: seconds() };
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  } catch (error) {
    return { kind: 'failed', reason: 'the page', output: String((error as Error).stack), seconds: seconds() };
  } finally {
    await page.close().catch(() => {});
  }
}

function outcome({ passed, skipped, failures }: Results, seconds: number): Outcome {
  if (failures.length > 0) {
    return { kind: 'failed', reason: `${failures.length} of ${passed + failures.length}`, output: failures.slice(0, 12).join('\n\n'), seconds };
  }
  if (passed === 0) return { kind: 'failed', reason: 'no test ran', output: '', seconds };
  return { kind: 'passed', tests: passed, skipped, seconds };
}
