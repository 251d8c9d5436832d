/** What one run does: which threads, how often each of them reads, and what they do inside. */
import { formatSection, type Section } from './section.ts';

export interface Workload {
  /** One entry per thread: the share of its acquisitions that are reads, 0 to 100. */
  readPercents: number[];
  /** Readers and writers are different threads and are reported apart. */
  dedicated: boolean;
  section: Section;
  think: Section;
}

export function uniformWorkload(threads: number, readPercent: number, section: Section, think: Section): Workload {
  return { readPercents: Array.from({ length: threads }, () => readPercent), dedicated: false, section, think };
}

export function dedicatedWorkload(readers: number, writers: number, section: Section, think: Section): Workload {
  const readPercents = Array.from({ length: readers + writers }, (_, index) => (index < readers ? 100 : 0));
  return { readPercents, dedicated: true, section, think };
}

/** Workloads that differ only in the number of threads have the same title. */
export function titleOf(workload: Workload): string {
  const { section, think } = workload;
  const thinking = think.kind === 'empty' ? '' : `, think ${formatSection(think)}`;
  return `${mixOf(workload)}, ${formatSection(section)} section${thinking}`;
}

function mixOf({ dedicated, readPercents }: Workload): string {
  const readPercent = readPercents[0] ?? 0;
  if (dedicated) return 'dedicated readers and writers';
  if (readPercent === 0) return 'writers only';
  if (readPercent === 100) return 'readers only';
  if (readPercent === 50) return 'half and half';
  return `${readPercent} % reads`;
}

export function threadsLabel({ dedicated, readPercents }: Workload): string {
  if (!dedicated) return String(readPercents.length);
  const readers = readPercents.filter((percent) => percent === 100).length;
  return `${readers}R+${readPercents.length - readers}W`;
}

/** Anything that takes a microsecond or more dwarfs the clock, so every acquisition is timed then. */
const SAMPLE_EVERY_SHORT = 61; // prime to the pattern's length, so that samples visit all of it
export function defaultSampleEvery({ section, think }: Workload): number {
  const slow = ({ kind, amount }: Section) => (kind === 'spins' ? amount >= 1000 : amount >= 1);
  return slow(section) || slow(think) ? 1 : SAMPLE_EVERY_SHORT;
}
