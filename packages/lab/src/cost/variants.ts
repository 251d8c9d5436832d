/**
 * What is compared, as source text: every loop is compiled on its own, so that no two share inline
 * caches, and all have the same shape.
 */
import { RwSem } from 'rwsem';
import { makeBlindWitness, makeWitness, WITNESS_BYTES } from '../bench/witness.ts';

export interface Variant {
  name: string;
  /** One operation. May use `sem`, `words`, `witness`, and add to `x`, which is consumed. */
  body: string;
  /** Of the group's other variants to this one is the ratio; the first of a group. */
  target?: number;
  async?: boolean;
  blind?: boolean;
}

export interface Group {
  title: string;
  baseline: Variant;
  variants: Variant[];
}

const RAW_WRITE = 'x += Atomics.compareExchange(words, 0, 0, 1); Atomics.sub(words, 0, 1)';
const RAW_READ = 'x += Atomics.add(words, 0, 256); Atomics.sub(words, 0, 256)';
const AWAIT = 'x += await Promise.resolve(i)';

/** Node from 24 and Deno have it; an acquisition there is a callback that ends when the promise it returns does. */
const WEB_LOCKS: Group[] =
  'locks' in ((globalThis as { navigator?: object }).navigator ?? {})
    ? [
        {
          title: 'async, navigator.locks',
          baseline: {
            name: 'navigator.locks, acquire + release',
            body: "(await new Promise((held) => navigator.locks.request('rwsem-lab cost', () => new Promise((release) => held(release)))))(); x++",
            async: true,
          },
          variants: [{ name: '(await writeAsync()).release()', body: '(await sem.writeAsync()).release()', async: true, target: 0.01 }],
        },
        {
          title: 'callback, navigator.locks',
          baseline: { name: 'await navigator.locks.request(body)', body: "await navigator.locks.request('rwsem-lab cost', () => { x++ })", async: true },
          variants: [{ name: 'await withWrite(body)', body: 'await sem.withWrite(() => { x++ })', async: true }],
        },
      ]
    : [];

export const GROUPS: Group[] = [
  {
    title: 'write, raw calls',
    baseline: { name: 'Atomics.compareExchange + sub', body: RAW_WRITE },
    variants: [
      { name: 'downWrite + upWrite', body: 'sem.downWrite(); sem.upWrite()', target: 1.15 },
      { name: 'tryDownWrite + upWrite', body: 'if (sem.tryDownWrite()) sem.upWrite(); else x++' },
    ],
  },
  {
    title: 'read, raw calls',
    baseline: { name: 'Atomics.add + sub', body: RAW_READ },
    variants: [
      { name: 'downRead + upRead', body: 'sem.downRead(); sem.upRead()', target: 1.15 },
      { name: 'tryDownRead + upRead', body: 'if (sem.tryDownRead()) sem.upRead(); else x++' },
    ],
  },
  {
    title: 'write, guards',
    baseline: { name: 'downWrite + upWrite', body: 'sem.downWrite(); sem.upWrite()' },
    variants: [
      { name: 'write().release()', body: 'sem.write().release()', target: 1.5 },
      { name: 'tryWrite().release()', body: 'const guard = sem.tryWrite(); if (guard !== null) guard.release(); else x++' },
    ],
  },
  {
    title: 'read, guards',
    baseline: { name: 'downRead + upRead', body: 'sem.downRead(); sem.upRead()' },
    variants: [
      { name: 'read().release()', body: 'sem.read().release()', target: 1.5 },
      { name: 'tryRead().release()', body: 'const guard = sem.tryRead(); if (guard !== null) guard.release(); else x++' },
    ],
  },
  {
    title: 'async',
    baseline: { name: 'await Promise.resolve(x)', body: AWAIT, async: true },
    variants: [
      { name: '(await writeAsync()).release()', body: '(await sem.writeAsync()).release()', async: true, target: 2 },
      { name: '(await readAsync()).release()', body: '(await sem.readAsync()).release()', async: true, target: 2 },
      { name: 'await withWrite(body)', body: 'await sem.withWrite(() => { x++ })', async: true },
      { name: 'await withRead(body)', body: 'await sem.withRead(() => { x++ })', async: true },
    ],
  },
  ...WEB_LOCKS,
  {
    title: "the bench's own check, write",
    baseline: { name: 'downWrite + upWrite', body: 'sem.downWrite(); witness.insideWrite(); sem.upWrite()', blind: true },
    variants: [{ name: 'the same, verified', body: 'sem.downWrite(); witness.insideWrite(); sem.upWrite()' }],
  },
  {
    title: "the bench's own check, read",
    baseline: { name: 'downRead + upRead', body: 'sem.downRead(); witness.insideRead(); sem.upRead()', blind: true },
    variants: [{ name: 'the same, verified', body: 'sem.downRead(); witness.insideRead(); sem.upRead()' }],
  },
];

/** Runs so many operations; what it returns depends on all of them. */
export type Loop = (operations: number) => number | Promise<number>;

const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

export function compile({ body, async = false, blind = false }: Variant): Loop {
  const make = async ? AsyncFunction : Function;
  const loop = new make('sem', 'words', 'witness', 'n', `let x = 0; for (let i = 0; i < n; i++) { ${body}; x = (x + i) | 0; } return x;`);
  const sem = RwSem.create();
  const words = new Int32Array(new SharedArrayBuffer(128));
  const section = () => {};
  const witness = blind ? makeBlindWitness(section) : makeWitness(new Int32Array(new SharedArrayBuffer(WITNESS_BYTES)), section);
  return (operations) => loop(sem, words, witness, operations) as number | Promise<number>;
}
