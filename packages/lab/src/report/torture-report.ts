/** The torture's result as data, and its progress and verdict as text. */
import { createLogUpdate } from 'log-update';
import pc from 'picocolors';
import type { Leg, TortureObserver, TortureOptions, TortureResult } from '../torture/torture.ts';
import { formatNumber, formatSeconds } from './format.ts';
import type { Provenance } from './provenance.ts';

export interface TortureReport extends TortureResult {
  kind: 'rwsem-lab torture';
  schema: 1;
  provenance: Provenance;
  options: Omit<TortureOptions, 'policies'> & { policies: string[] };
}

const COUNTED = ['writes', 'reads', 'downgrades', 'timeouts', 'aborts', 'misses', 'refusals', 'longHolds'] as const;

/** All legs together, by what was done. */
export function totalsOf(legs: Leg[]): Record<string, number> {
  const totals: Record<string, number> = { rounds: 0, operations: 0, ...Object.fromEntries(COUNTED.map((name) => [name, 0])) };
  for (const { report } of legs) {
    if (report === null) continue;
    for (const name of Object.keys(totals)) {
      const value = report[name as keyof typeof report] as number | number[];
      totals[name] = (totals[name] as number) + (Array.isArray(value) ? value.reduce((a, b) => a + b, 0) : value);
    }
  }
  return totals;
}

/** The least and the most operations of a thread, relative to the mean, in races; `???` as the kernel's torture marks it. */
export function fairnessOf({ report }: Leg): string {
  if (report === null || report.fairness === null || report.fairness.mean === 0) return '';
  const { min, mean, max } = report.fairness;
  return `${(min / mean).toFixed(2)}..${(max / mean).toFixed(2)}${max > 2 * min ? ' ???' : ''}`;
}

export function legLine(leg: Leg): string {
  const what = `${leg.policy === '' ? 'default' : leg.policy}, seed ${leg.seed}`;
  if (leg.report === null) return pc.red(`${what}: FAILED`);
  const { rounds, operations } = leg.report;
  return `${what}: ${formatNumber(rounds)} rounds, ${formatNumber(operations)} operations, fairness ${fairnessOf(leg) || 'not looked at'}`;
}

export function createTortureProgress(stream: NodeJS.WriteStream, totalSeconds: number): TortureObserver & { done(): void } {
  const live = stream.isTTY ? createLogUpdate(stream) : null;
  const line = (text: string) => {
    live?.clear();
    stream.write(`${text}\n`);
  };
  return {
    moment({ policy, seed, number }, rounds, operations, elapsed) {
      const left = Math.max(0, totalSeconds - elapsed);
      live?.(
        `${pc.dim(`leg ${number + 1}`)} ${pc.bold(policy)} seed ${seed} · round ${formatNumber(rounds)} · ` +
          `${formatNumber(operations)} operations ${pc.dim(`· ${formatSeconds(elapsed)}, about ${formatSeconds(left)} left`)}`,
      );
    },
    brokenDone: (failure) => line(failure === null ? pc.red('the broken lock was not found out') : `the broken lock was found out: ${firstLine(failure)}`),
    legDone: (leg) => line(legLine(leg)),
    done() {
      live?.clear();
      live?.done();
    },
  };
}

export function renderVerdict({ verdict, legs, interrupted, options }: TortureReport): string {
  if (verdict === 'BLIND') {
    return pc.red('The torture is blind: it did not find a lock that excludes nobody. Nothing can be said about any other.');
  }
  const totals = Object.entries(totalsOf(legs)).map(([name, count]) => `${name} ${formatNumber(count)}`);
  const failed = legs.find(({ failure }) => failure !== null);
  if (failed !== undefined) {
    const { threads, longHoldMs, hangMs, starveMs } = options;
    const again = `rwsem-lab torture --seed ${failed.seed} --policy ${failed.policy} --threads ${threads} --long-hold-ms ${longHoldMs} --hang-ms ${hangMs} --starve-ms ${starveMs}`;
    return `${pc.red(failed.failure as string)}\n\nFAILED. The same mixture again (threads race, so it may take several runs):\n  ${again}`;
  }
  const seconds = legs.reduce((sum, leg) => sum + leg.seconds, 0);
  return `${totals.join('  ')}\n${pc.green('held')}: nothing found in ${legs.length} legs, ${formatSeconds(seconds)}${interrupted ? ', stopped early' : ''}`;
}

const firstLine = (text: string) => text.split('\n')[0] as string;
