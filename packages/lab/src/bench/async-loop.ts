/**
 * The loop that is measured, for locks that are awaited: the same steps, the same witness (see
 * `witness.ts`), but a verified section spans a turn of the event loop, or no other task could ever be
 * inside at the same time. The turn costs every lock the same and is most of what an uncontended
 * section takes; `--verify off` measures without.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { AsyncLock } from '../locks/lock.ts';
import { Histogram } from './histogram.ts';
import { readPattern } from './loop.ts';
import { PHASE, progressWord, type AgentCounts } from './protocol.ts';
import { makeSection, type Section } from './section.ts';
import { lockPicker } from './sites.ts';
import { insideRead, insideWrite } from './witness.ts';
import type { Pace } from './workload.ts';

export interface AsyncSite {
  lock: AsyncLock;
  insideRead(): Promise<void>;
  insideWrite(): Promise<void>;
  violations(): number;
}

/** `words` are the witness's, or null if nothing is to be verified. */
export function makeAsyncSite(lock: AsyncLock, words: Int32Array | null, readSection: Section, writeSection: Section): AsyncSite {
  const read = makeAsyncSection(readSection);
  const write = makeAsyncSection(writeSection);
  if (words === null) return { lock, insideRead: read, insideWrite: write, violations: () => 0 };
  let violations = 0;
  const whole = (section: () => Promise<void>, { kind }: Section) => async () => {
    await section();
    if (kind !== 'sleep') await nextTurn();
  };
  const [readWhole, writeWhole] = [whole(read, readSection), whole(write, writeSection)];
  return {
    lock,
    async insideRead() {
      const visit = insideRead(words);
      await readWhole();
      violations += visit.end();
    },
    async insideWrite() {
      const visit = insideWrite(words);
      await writeWhole();
      violations += visit.end();
    },
    violations: () => violations,
  };
}

/** Timers of event loops are good to a millisecond; a shorter sleep takes that long. */
function makeAsyncSection(section: Section): () => Promise<void> {
  if (section.kind === 'sleep') return () => sleep(section.amount / 1000);
  const run = makeSection(section);
  return async () => run();
}

interface AsyncLoopParts {
  sites: AsyncSite[];
  reading: Pace;
  writing: Pace;
  control: Int32Array;
  index: number;
  readPercent: number;
  sampleEvery: number;
  seed: number;
}

export function makeAsyncLoop(parts: AsyncLoopParts) {
  const { sites, control, index, sampleEvery } = parts;
  const pattern = readPattern(parts.readPercent, parts.seed + index);
  const thinks = { read: makeThink(parts.reading.think), write: makeThink(parts.writing.think) };
  const progress = progressWord(index);
  const pick = lockPicker(sites.length, parts.seed + index);
  let position = 0;

  return {
    async run(phase: number): Promise<AgentCounts> {
      const latency = { read: new Histogram(), write: new Histogram() };
      const done = { read: 0, write: 0 };
      while (Atomics.load(control, PHASE) === phase) {
        position = (position + 1) % pattern.length;
        const mode = pattern[position] === 1 ? 'read' : 'write';
        const { lock, ...site } = sites[pick()]!;
        const isTimed = (done.read + done.write) % sampleEvery === 0;
        const fromMs = isTimed ? performance.now() : 0;
        const held = await lock[mode]();
        if (isTimed) latency[mode].record(Math.round((performance.now() - fromMs) * 1e6));
        await (mode === 'read' ? site.insideRead() : site.insideWrite());
        lock.release(held);
        done[mode]++;
        control[progress] = (done.read + done.write) | 0;
        const think = thinks[mode];
        if (think !== null) await think();
      }
      return { reads: done.read, writes: done.write, readLatency: latency.read.toData(), writeLatency: latency.write.toData() };
    },
  };
}

function makeThink(think: Section): (() => Promise<void>) | null {
  return think.kind === 'empty' ? null : makeAsyncSection(think);
}
