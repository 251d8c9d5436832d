/**
 * What the threads work on: the texts of all licenses in the SPDX list (CC0, from the package
 * `spdx-license-list`), a script of updates and a pool of queries. All of it follows from one seed,
 * so that the replay can do in one thread what the writer did among many.
 */

import licenses from 'spdx-license-list/full.js';

import type { Query } from './query.ts';
import { randomFrom } from './random.ts';

export interface LicenseText {
  readonly name: string;
  readonly terms: readonly string[];
}

export type Update =
  | { readonly kind: 'put'; readonly document: number; readonly name: string; readonly terms: readonly string[] }
  | { readonly kind: 'remove'; readonly document: number };

export interface Workload {
  /** How many documents there are in all; each is in the index or not. */
  readonly documents: number;
  readonly bytes: number;
  /** What the index holds at version 0. */
  readonly initial: readonly Update[];
  /** `updates[n]` leads from version n to n + 1. */
  readonly updates: readonly Update[];
  readonly queries: readonly Query[];
}

/** The distinct words of a text, in ASCII: letters lose their accents. */
function termsIn(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return [...new Set(plain.match(/[a-z][a-z0-9]*/g))];
}

/** A later edition of a license: a third of its words is gone, and it says so. */
function amend(license: LicenseText, edition: number): string[] {
  const kept = license.terms.filter((_, i) => (i + edition) % 3 !== 0);
  return [...new Set([...kept, 'amended', `edition${edition}`])];
}

export function planWorkload(seed: number, updateCount: number): Workload {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;

  let bytes = 0;
  const corpus: LicenseText[] = Object.entries(licenses)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { licenseText }]) => {
      bytes += licenseText.length;
      return { name, terms: termsIn(licenseText) };
    });

  const put = (document: number, terms = corpus[document]!.terms): Update => {
    return { kind: 'put', document, name: corpus[document]!.name, terms };
  };

  // Half of the licenses are there from the start; the others come and go.
  const inside: number[] = [];
  const outside: number[] = [];
  corpus.forEach((_, document) => (random(2) === 0 ? inside : outside).push(document));
  const initial = inside.map((document) => put(document));

  const updates: Update[] = [];
  const move = (from: number[], to: number[]): number => {
    const [document] = from.splice(random(from.length), 1);
    to.push(document!);
    return document!;
  };
  while (updates.length < updateCount) {
    const dice = random(3);
    if (dice === 0 && outside.length > 0) updates.push(put(move(outside, inside)));
    else if (dice === 1 && inside.length > 1) updates.push({ kind: 'remove', document: move(inside, outside) });
    else {
      const document = pick(inside);
      updates.push(put(document, amend(corpus[document]!, updates.length)));
    }
  }

  return { documents: corpus.length, bytes, initial, updates, queries: planQueries(corpus, random) };
}

/** Terms that are neither everywhere nor rare, so that most updates change some answer. */
function planQueries(corpus: readonly LicenseText[], random: (below: number) => number): Query[] {
  const frequency = new Map<string, number>();
  for (const { terms } of corpus) for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const between = (low: number, high: number): string[] => {
    return [...frequency].flatMap(([term, n]) => (n > corpus.length * low && n < corpus.length * high ? [term] : []));
  };
  const common = between(0.2, 0.9);
  const rare = between(0.01, 0.05);
  const some = (from: readonly string[], count: number): string[] => {
    return Array.from({ length: count }, () => from[random(from.length)]!);
  };

  const queries: Query[] = [{ kind: 'any', terms: ['amended'] }];
  for (let i = 0; i < 32; i++) queries.push({ kind: 'all', terms: some(common, 2 + (i % 2)) });
  for (let i = 0; i < 24; i++) queries.push({ kind: 'any', terms: some(rare, 3) });
  for (let i = 0; i < 8; i++) queries.push({ kind: 'about', document: random(corpus.length) });
  return queries;
}
