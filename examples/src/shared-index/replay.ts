import { formatAnswer, LISTED, type Query, type RecordedAnswer } from './query.ts';
import type { Update, Workload } from './workload.ts';

/** The same index in one thread, in the plainest JavaScript there is. */
class Replay {
  readonly #documents = new Map<number, { name: string; terms: readonly string[] }>();
  readonly #postings = new Map<string, Set<number>>();

  apply(update: Update): void {
    for (const term of this.#documents.get(update.document)?.terms ?? []) {
      this.#postings.get(term)!.delete(update.document);
    }
    this.#documents.delete(update.document);
    if (update.kind === 'remove') return;
    this.#documents.set(update.document, update);
    for (const term of update.terms) {
      if (!this.#postings.has(term)) this.#postings.set(term, new Set());
      this.#postings.get(term)!.add(update.document);
    }
  }

  answer(query: Query): string {
    if (query.kind === 'about') {
      const terms = [...(this.#documents.get(query.document)?.terms ?? [])].sort();
      return formatAnswer(terms.length, terms.slice(0, LISTED));
    }
    const sets = query.terms.map((term) => this.#postings.get(term) ?? new Set<number>());
    const found =
      query.kind === 'all'
        ? [...sets[0]!].filter((document) => sets.every((set) => set.has(document)))
        : [...new Set(sets.flatMap((set) => [...set]))];
    found.sort((a, b) => a - b);
    return formatAnswer(found.length, found.slice(0, LISTED).map((document) => this.#documents.get(document)!.name));
  }
}

export interface Mismatch extends RecordedAnswer {
  readonly expected: string;
}

/** Replays all updates and returns the answers that no single-threaded run would have given. */
export function findMismatches(workload: Workload, recorded: readonly RecordedAnswer[]): Mismatch[] {
  const byVersion = new Map<number, RecordedAnswer[]>();
  for (const answer of recorded) {
    const sameVersion = byVersion.get(answer.version);
    if (sameVersion) sameVersion.push(answer);
    else byVersion.set(answer.version, [answer]);
  }

  const replay = new Replay();
  for (const update of workload.initial) replay.apply(update);
  const mismatches: Mismatch[] = [];
  for (let version = 0; version <= workload.updates.length; version++) {
    if (version > 0) replay.apply(workload.updates[version - 1]!);
    const expected = new Map<number, string>();
    for (const answer of byVersion.get(version) ?? []) {
      let right = expected.get(answer.query);
      if (right === undefined) expected.set(answer.query, (right = replay.answer(workload.queries[answer.query]!)));
      if (answer.answer !== right) mismatches.push({ ...answer, expected: right });
    }
    byVersion.delete(version);
  }
  // A version that no update leads to is wrong whatever the answer was.
  for (const rest of byVersion.values()) mismatches.push(...rest.map((answer) => ({ ...answer, expected: 'no such version' })));
  return mismatches;
}
