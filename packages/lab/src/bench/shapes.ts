/**
 * The five workloads that decided the history of the kernel's lock, and the default set of `bench`.
 * Each is small enough for two cores and is run with more threads than that, because most of what
 * separates locks happens when the holder may be off its processor.
 */
import { parseSection, type Section } from './section.ts';
import { dedicatedWorkload, uniformWorkload, type Extras, type Workload } from './workload.ts';

export interface Shape {
  about: string;
  /** Numbers of threads, or of readers and as many writers; null: the shape has its own. */
  threads: readonly number[] | null;
  reading: { section: Section; think: Section };
  writing: { section: Section; think: Section };
  make(threads: number, extras: Extras): Workload;
}

const empty = parseSection('empty');
const alike = (section: string) => ({ section: parseSection(section), think: empty });

export const SHAPES: Readonly<Record<string, Shape>> = {
  writers: {
    about: 'all write, short section: lock stealing',
    threads: [1, 2, 8],
    reading: alike('100spins'),
    writing: alike('100spins'),
    make: (threads, extras) => uniformWorkload(threads, 0, empty, empty, extras),
  },
  sleepers: {
    about: 'all write and sleep 5 µs inside: fairness',
    threads: [8],
    reading: alike('5us-sleep'),
    writing: alike('5us-sleep'),
    make: (threads, extras) => uniformWorkload(threads, 0, empty, empty, extras),
  },
  mixed: {
    about: 'everybody reads and writes in turn: what a wake-up costs',
    threads: [2, 8],
    reading: alike('100spins'),
    writing: alike('100spins'),
    make: (threads, extras) => uniformWorkload(threads, 50, empty, empty, extras),
  },
  dedicated: {
    about: 'N readers and N writers: herds and domination',
    threads: [4],
    reading: alike('100spins'),
    writing: alike('100spins'),
    make: (threads, extras) => dedicatedWorkload(threads, threads, empty, empty, extras),
  },
  reacquire: {
    // The reader is inside nearly always; the writer comes back a moment after each write.
    about: 'one writer, and one reader that comes back at once: a starved writer',
    threads: null,
    reading: alike('20us'),
    writing: { section: parseSection('5us'), think: parseSection('20us') },
    make: (_, extras) => dedicatedWorkload(1, 1, empty, empty, extras),
  },
};
