/** glibc's pthread_rwlock, in C: what the same workload costs without JavaScript. */
import type { NativeProgram } from '../bench/program-competitor.ts';
import type { Section } from '../bench/section.ts';

const source = 'peers/pthread/rwlock-bench.c';
const argument = ({ kind, amount }: Section) => `${kind}:${amount}`;

function pthread(name: string, prefer: 'readers' | 'writers', flags: string[] = []): NativeProgram {
  return {
    name,
    source,
    flags,
    arguments: ({ seconds, warmUpMs, sampleEvery, verify, seed, workload: { locks, reading, writing, readPercents } }) => [
      ...[seconds, warmUpMs, sampleEvery, verify ? 1 : 0, locks, seed].map(String),
      prefer,
      ...[reading.section, reading.think, writing.section, writing.think].map(argument),
      ...readPercents.map(String),
    ],
  };
}

/** As glibc initialises it: readers overtake waiting writers, who may starve. */
export const pthreadDefault = pthread('pthread', 'readers');
export const pthreadPreferWriter = pthread('pthread-prefer-writer', 'writers');
/** Takes no lock at all. */
export const pthreadBroken = pthread('broken-pthread', 'readers', ['-DBROKEN']);
