/** What one run does: which threads, how often each of them reads, and what they do inside. */
import { formatSection, type Section } from './section.ts';

/** What comes with an acquisition: the critical section, and the pause after it. */
export interface Pace {
  section: Section;
  think: Section;
}

export interface Workload {
  /** One entry per thread: the share of its acquisitions that are reads, 0 to 100. */
  readPercents: number[];
  /** Readers and writers are different threads and are reported apart. */
  dedicated: boolean;
  reading: Pace;
  writing: Pace;
  /** Each acquisition takes one of so many, at random. */
  locks: number;
  /** Of `shapes.ts`, or null. */
  shape: string | null;
}

/** What need not be said: readers and writers alike, one lock. */
export type Extras = Partial<Pick<Workload, 'reading' | 'writing' | 'locks' | 'shape'>>;

export function uniformWorkload(threads: number, readPercent: number, section: Section, think: Section, extras: Extras = {}): Workload {
  const readPercents = Array.from({ length: threads }, () => readPercent);
  return { readPercents, dedicated: false, ...rest(section, think, extras) };
}

export function dedicatedWorkload(readers: number, writers: number, section: Section, think: Section, extras: Extras = {}): Workload {
  const readPercents = Array.from({ length: readers + writers }, (_, index) => (index < readers ? 100 : 0));
  return { readPercents, dedicated: true, ...rest(section, think, extras) };
}

function rest(section: Section, think: Section, extras: Extras) {
  const pace = { section, think };
  return { reading: pace, writing: pace, locks: 1, shape: null, ...extras };
}

/** Workloads that differ only in the number of threads have the same title. */
export function titleOf(workload: Workload): string {
  const { shape, reading, writing, locks } = workload;
  const parts = [mixOf(workload)];
  if (!readsOf(workload)) parts.push(describe(writing));
  else if (!writesOf(workload) || describe(reading) === describe(writing)) parts.push(describe(reading));
  else parts.push(`readers: ${describe(reading)}`, `writers: ${describe(writing)}`);
  if (locks > 1) parts.push(`${locks} locks`);
  return (shape === null ? '' : `${shape}: `) + parts.join(', ');
}

function describe({ section, think }: Pace): string {
  return `${formatSection(section)} section${think.kind === 'empty' ? '' : `, think ${formatSection(think)}`}`;
}

function mixOf({ dedicated, readPercents }: Workload): string {
  const readPercent = readPercents[0] ?? 0;
  if (dedicated) return 'dedicated readers and writers';
  if (readPercent === 0) return 'writers only';
  if (readPercent === 100) return 'readers only';
  if (readPercent === 50) return 'half and half';
  return `${readPercent} % reads`;
}

const readsOf = ({ readPercents }: Workload) => readPercents.some((percent) => percent > 0);
const writesOf = ({ readPercents }: Workload) => readPercents.some((percent) => percent < 100);

export function threadsLabel({ dedicated, readPercents }: Workload): string {
  if (!dedicated) return String(readPercents.length);
  const readers = readPercents.filter((percent) => percent === 100).length;
  return `${readers}R+${readPercents.length - readers}W`;
}

/** Anything that takes a microsecond or more dwarfs the clock, so every acquisition is timed then. */
const SAMPLE_EVERY_SHORT = 61; // prime to the pattern's length, so that samples visit all of it
export function defaultSampleEvery(workload: Workload): number {
  const slow = ({ kind, amount }: Section) => (kind === 'spins' ? amount >= 1000 : amount >= 1);
  const paces = [...(readsOf(workload) ? [workload.reading] : []), ...(writesOf(workload) ? [workload.writing] : [])];
  return paces.some(({ section, think }) => slow(section) || slow(think)) ? 1 : SAMPLE_EVERY_SHORT;
}
