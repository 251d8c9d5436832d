/** Runs a lock module on worker threads, or on the event loop of one, one round at a time. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AsyncLockModule, LockModule, PolicyOptions, World } from '../locks/lock.ts';
import { failedRound, type Competitor, type RoundRequest, type RoundResult } from './competitor.ts';
import { Crew, CrewError } from './crew.ts';
import { controlBytes, LEAVING, MEASURING, progressWord, setPhase, STOPPED, WARM, WARMING } from './protocol.ts';
import { lostWrites, WITNESS_BYTES } from './witness.ts';

const STARTING_MS = 30_000;
const PROGRESS_MS = 200;

/**
 * A thread is warm when it has run for so long itself. With 200 ms for 8 fresh threads on 2 cores,
 * rounds measured 9 to 10 M operations a second that came to 15 to 20 M with all code compiled.
 */
export function scaledWarmUpMs(warmUpMs: number, threads: number, cores: number): number {
  return warmUpMs * Math.max(1, threads / cores);
}

export function threadCompetitor(name: string, lockModule: string, policy: PolicyOptions = {}, world: World = 'threads'): Competitor {
  return {
    name,
    async prepare() {
      const { create } = (await import(lockModule)) as LockModule | AsyncLockModule;
      const shared = await create({ agents: 1, locks: 1, policy });
      shared.dispose?.();
      return shared.settings ?? {};
    },
    run: (request) => runRound(lockModule, policy, world, request),
  };
}

async function runRound(lockModule: string, policy: PolicyOptions, world: World, request: RoundRequest): Promise<RoundResult> {
  const { workload, verify, sampleEvery, seed, graceMs } = request;
  const threads = workload.readPercents.length;
  const control = new Int32Array(new SharedArrayBuffer(controlBytes(threads)));
  const witness = new SharedArrayBuffer(workload.locks * WITNESS_BYTES);
  const module = (await import(lockModule)) as LockModule | AsyncLockModule;
  const shared = await module.create({ agents: threads + 1, locks: workload.locks, policy });
  const everyone = workload.readPercents.map((readPercent, index) => ({ index, readPercent }));
  const crews = world === 'loop' ? [everyone] : everyone.map((agent) => [agent]);
  const crew = new Crew(
    crews.map((agents) => ({
      lockModule,
      handle: shared.handle,
      control: control.buffer as SharedArrayBuffer,
      witness,
      world,
      agents,
      reading: workload.reading,
      writing: workload.writing,
      seed,
      sampleEvery,
      verify,
    })),
  );
  try {
    await crew.all('attached', STARTING_MS);
    setPhase(control, WARMING);
    await sleep(scaledWarmUpMs(request.warmUpMs, crews.length, availableParallelism()));
    setPhase(control, WARM);
    const warm = await crew.all('warm', graceMs);

    const eventsBefore = shared.events?.() ?? null;
    for (let index = 0; index < threads; index++) control[progressWord(index)] = 0;
    setPhase(control, MEASURING);
    const fromMs = performance.now();
    await watch(crew, control, fromMs, request);
    setPhase(control, STOPPED);
    const measuredMs = performance.now() - fromMs;
    const done = await crew.all('done', graceMs);

    const events = eventsBefore === null ? null : difference(shared.events?.() ?? {}, eventsBefore);
    setPhase(control, LEAVING);
    await crew.gone();

    const agents = done.flatMap(({ counts }) => counts);
    const writes = sum(warm.map((message) => message.writes)) + sum(agents.map((agent) => agent.writes));
    const overlaps = sum(done.map((message) => message.violations));
    const lost = verify ? lostWrites(new Int32Array(witness), writes) : 0;
    return {
      seconds: measuredMs / 1000,
      agents,
      verdict: verify ? (overlaps + lost > 0 ? 'VIOLATED' : 'held') : 'unchecked',
      violations: overlaps + lost,
      detail: overlaps + lost > 0 ? `${overlaps} overlaps seen inside the lock, ${lost} writes lost` : null,
      events,
    };
  } catch (error) {
    if (error instanceof CrewError) return failedRound(error.verdict, error.message);
    throw error;
  } finally {
    await crew.terminate();
    shared.dispose?.();
  }
}

/** Waits for the end of the round and meanwhile reports how far the threads have come. */
async function watch(crew: Crew, control: Int32Array, fromMs: number, request: RoundRequest): Promise<void> {
  const threads = request.workload.readPercents.length;
  for (;;) {
    const leftMs = fromMs + request.seconds * 1000 - performance.now();
    if (leftMs <= 0) return;
    await Promise.race([sleep(Math.min(leftMs, PROGRESS_MS)), crew.failure]);
    let operations = 0;
    for (let index = 0; index < threads; index++) operations += control[progressWord(index)]! >>> 0;
    request.onProgress?.(operations, (performance.now() - fromMs) / 1000);
  }
}

function difference(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
