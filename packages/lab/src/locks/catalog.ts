/** Every lock that `--locks` knows. A new one is a module beside this file and a line in here. */
import { ArgumentError } from '../bench/argument-error.ts';
import type { Competitor } from '../bench/competitor.ts';
import { programCompetitor } from '../bench/program-competitor.ts';
import { threadCompetitor } from '../bench/thread-competitor.ts';
import type { NamedPolicy } from './policy.ts';
import { pthreadBroken, pthreadDefault, pthreadPreferWriter } from './pthread.ts';

export const OURS = 'rwsem';

interface Entry {
  about: string;
  /** With the policy, if it is ours. */
  open(variant: NamedPolicy | null): Competitor;
}

const onThreads = (name: string, about: string): [string, Entry] => [
  name,
  {
    about,
    open: (variant) =>
      threadCompetitor(nameWith(name, variant), new URL(`./${name}.js`, import.meta.url).href, variant?.policy ?? {}),
  },
];

export const CATALOG: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  onThreads(OURS, 'this project, raw calls; --policy applies to it'),
  onThreads('futex-mutex', 'the textbook three-state mutex on Atomics; readers exclude one another'),
  ['pthread', { about: "glibc's pthread_rwlock in C, as initialised by default", open: () => programCompetitor(pthreadDefault) }],
  [
    'pthread-prefer-writer',
    { about: 'the same with PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP', open: () => programCompetitor(pthreadPreferWriter) },
  ],
  onThreads('broken-nothing', 'locks nothing at all: must be reported'),
  onThreads('broken-readers', 'lets readers in beside a writer: must be reported'),
  onThreads('broken-race', 'looks, then takes, in two steps: reported where threads run in parallel'),
  onThreads('broken-wakeup', 'never wakes a sleeper: must be reported'),
  ['broken-pthread', { about: 'the C program without its lock: must be reported', open: () => programCompetitor(pthreadBroken) }],
]);

function nameWith(name: string, variant: NamedPolicy | null): string {
  return variant === null ? name : `${name}{${variant.name}}`;
}

/** Ours appears once for every policy, so that policies can be compared in one run. */
export function openCompetitors(names: string[], policies: NamedPolicy[]): Competitor[] {
  const opened = names.flatMap((name) => {
    const entry = CATALOG.get(name);
    if (entry === undefined) {
      throw new ArgumentError(`no lock is called "${name}"; there are ${[...CATALOG.keys()].join(', ')}`);
    }
    const variants = name === OURS && policies.length > 0 ? policies : [null];
    return variants.map((variant) => entry.open(variant));
  });
  if (new Set(opened.map(({ name }) => name)).size < opened.length) throw new ArgumentError('a policy is given twice');
  return opened;
}
