/** Every lock that `--locks` knows. A new one is a module beside this file and a line in here. */
import { ArgumentError } from '../bench/argument-error.ts';
import type { Competitor } from '../bench/competitor.ts';
import { programCompetitor } from '../bench/program-competitor.ts';
import { threadCompetitor } from '../bench/thread-competitor.ts';
import type { World } from './lock.ts';
import { NPM_PEERS } from './npm-peer.ts';
import type { NamedPolicy } from './policy.ts';
import { retuned, type Constant } from './retuned.ts';
import { parkingLot, pthreadBroken, pthreadDefault, pthreadPreferWriter, rustBroken, rustStd } from './native.ts';

export const OURS = 'rwsem';
const OURS_IN_ANY_FORM = new Set([OURS, 'rwsem-async', 'loop:rwsem']);

/** Of our lock: a policy by name, or a constant of another value under the default policy. */
export type Variant = NamedPolicy | Constant;

interface Entry {
  about: string;
  world: World;
  /** As this variant, if it is ours. */
  open(variant: Variant | null): Competitor;
}

const onThreads = (name: string, about: string, module = name, world: World = 'threads'): [string, Entry] => [
  name,
  {
    about,
    world,
    open(variant) {
      const file = moduleFile(module);
      const shipped = new URL(`./${file}`, import.meta.url).href;
      if (variant === null) return threadCompetitor(name, shipped, {}, world);
      if ('policy' in variant) return threadCompetitor(`${name}{${variant.name}}`, shipped, variant.policy, world);
      return threadCompetitor(`${name}{${variant.name}=${variant.value}}`, retuned(file, variant), {}, world);
    },
  },
];

export const CATALOG: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  onThreads(OURS, 'this project, raw calls; --policy applies to it'),
  onThreads('futex-mutex', 'the textbook three-state mutex on Atomics; readers exclude one another'),
  ['pthread', { world: 'threads', about: "glibc's pthread_rwlock in C, as initialised by default", open: () => programCompetitor(pthreadDefault) }],
  [
    'pthread-prefer-writer',
    { world: 'threads', about: 'the same with PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP', open: () => programCompetitor(pthreadPreferWriter) },
  ],
  ['rust-std', { world: 'threads', about: "Rust's std::sync::RwLock", open: () => programCompetitor(rustStd) }],
  ['parking-lot', { world: 'threads', about: "Rust's parking_lot::RwLock, of Debian's package", open: () => programCompetitor(parkingLot) }],
  onThreads('rwsem-async', 'this project, awaited in every thread', 'rwsem-async', 'awaiting'),
  onThreads('navigator.locks', 'the web locks, awaited in every thread; Node from 24', 'web-locks', 'awaiting'),
  onThreads('loop:rwsem', 'this project, awaited by tasks on one event loop', 'rwsem-async', 'loop'),
  ...Object.keys(NPM_PEERS).map((name) => onThreads(`loop:${name}`, `the npm package ${name}, in the same way`, `npm-peer?peer=${name}`, 'loop')),
  onThreads('loop:broken', 'gives the lock to everybody at once: must be reported', 'broken-async', 'loop'),
  onThreads('broken-nothing', 'locks nothing at all: must be reported'),
  onThreads('broken-readers', 'lets readers in beside a writer: must be reported'),
  onThreads('broken-race', 'looks, then takes, in two steps: reported where threads run in parallel'),
  onThreads('broken-wakeup', 'never wakes a sleeper: must be reported'),
  ['broken-pthread', { world: 'threads', about: 'the C program without its lock: must be reported', open: () => programCompetitor(pthreadBroken) }],
  ['broken-rust', { world: 'threads', about: 'the Rust program without its lock: must be reported', open: () => programCompetitor(rustBroken) }],
]);

/** `name?query` stands for `name.js?query`. */
function moduleFile(module: string): string {
  const [file = '', query] = module.split('?');
  return `${file}.js${query === undefined ? '' : `?${query}`}`;
}

/** Ours appears once for every variant, so that they can be compared in one run. */
export function openCompetitors(names: string[], requested: Variant[]): Competitor[] {
  const opened = names.flatMap((name) => {
    const entry = CATALOG.get(name);
    if (entry === undefined) {
      throw new ArgumentError(`no lock is called "${name}"; there are ${[...CATALOG.keys()].join(', ')}`);
    }
    if ((entry.world === 'loop') !== (CATALOG.get(names[0]!)?.world === 'loop')) {
      throw new ArgumentError(`${names[0]} and ${name} cannot be compared: one is for tasks on one event loop, the other for threads`);
    }
    const variants = OURS_IN_ANY_FORM.has(name) && requested.length > 0 ? requested : [null];
    return variants.map((variant) => entry.open(variant));
  });
  if (new Set(opened.map(({ name }) => name)).size < opened.length) throw new ArgumentError('a policy or constant is given twice');
  return opened;
}
