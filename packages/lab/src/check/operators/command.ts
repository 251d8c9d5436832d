/** `rwsem-lab check --operators`: mutants made by rule; which does the checker not catch, and why? */
import { writeFileSync } from 'node:fs';
import { createLogUpdate } from 'log-update';
import { checkWritable } from '../../bench/argument-error.ts';
import { stopOnInterrupt } from '../../bench/interrupt.ts';
import { readShippedCore } from '../../lower/source.ts';
import { toJson } from '../../report/bench-report.ts';
import { collectProvenance } from '../../report/provenance.ts';
import { generateMutants } from './generate.ts';
import { findSurprises, renderMutants, selectMutants, tryMutants } from './run.ts';
import { readReasons } from './survivors.ts';

export interface OperatorsOptions {
  file?: readonly string[] | undefined;
  seconds: number;
  mostStates: number;
  workers: number;
  resume?: string | undefined;
  json?: string | undefined;
}

const EVERY_LINE = 100;

/** True: each survivor has its reason; false: not; null: not all were tried. */
export async function checkOperators({ file = [], seconds, mostStates, workers, resume, json }: OperatorsOptions): Promise<boolean | null> {
  for (const path of [resume, json]) if (path !== undefined) checkWritable(path);
  const all = generateMutants(readShippedCore());
  const reasons = readReasons(all);
  const mutants = selectMutants(all, file);
  const live = process.stderr.isTTY ? createLogUpdate(process.stderr) : null;
  const interrupt = stopOnInterrupt();
  let told = 0;
  const tried = await tryMutants(mutants, {
    workers,
    limits: { seconds, mostStates },
    resume,
    moved(done, moments) {
      live?.([`${done}/${mutants.length}`, ...moments.map(({ task, states }) => `${task.mutant.id}  ${states} states`)].join('\n'));
      if (live || done < told + EVERY_LINE) return;
      told = done;
      process.stderr.write(`${done}/${mutants.length}\n`);
    },
    signal: interrupt.signal,
  });
  live?.clear();
  live?.done();
  interrupt.release();
  const isPartial = tried.some(({ verdict }) => verdict === null);
  const rows = tried.map(({ id, file: name, line, operator, verdict }) => ({ id, file: name, line, operator, verdict, reason: reasons.get(id) ?? null }));
  if (json !== undefined) writeFileSync(json, toJson({ kind: 'rwsem-lab check operators', schema: 1, provenance: collectProvenance(), seconds, mostStates, mutants: rows }));
  process.stdout.write(`${renderMutants(tried, reasons)}\n`);
  if (isPartial) return null;
  const { unexplained, caughtAfterAll } = findSurprises(tried, reasons);
  return unexplained.length === 0 && caughtAfterAll.length === 0;
}
