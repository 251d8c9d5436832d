import {
  DOCUMENT_WORDS,
  type IndexCapacity,
  type IndexRegions,
  NAME_LENGTH,
  NAME_TEXT,
  openRegions,
  POSTINGS,
  POSTINGS_LENGTH,
  READY,
  REBUILDS,
  TERM_COUNT,
  TERM_HASH,
  TERM_LIST,
  TERM_LIST_LENGTH,
  TERM_TEXT,
  TERM_TEXT_LENGTH,
  TERM_WORDS,
  VERSION,
} from './layout.ts';
import { formatAnswer, LISTED, type Query } from './query.ts';

/** FNV-1a over the characters. */
export function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  return hash | 0;
}

/**
 * An inverted index in shared memory, as its readers see it. Every method but `ready` reads memory
 * that a writer changes in many steps, so call it only while you hold the lock.
 *
 * Loops are bounded by what they read at their start. A reader that looks without the lock gets
 * wrong answers, which is what `--no-lock` shows, but it does not hang.
 */
export class SharedIndex {
  protected readonly regions: IndexRegions;

  constructor(buffer: SharedArrayBuffer, indexOffset: number, capacity: IndexCapacity) {
    this.regions = openRegions(buffer, indexOffset, capacity);
  }

  /** Atomic only so that the run without a lock ends as well: the readers' loops end by it. */
  get version(): number {
    return Atomics.load(this.regions.header, VERSION);
  }

  get termCount(): number {
    return this.regions.header[TERM_COUNT]!;
  }

  get rebuilds(): number {
    return this.regions.header[REBUILDS]!;
  }

  /** Says that this thread has begun. Needs no lock: the writer waits for this before it takes one. */
  ready(): void {
    Atomics.add(this.regions.header, READY, 1);
    Atomics.notify(this.regions.header, READY);
  }

  answer(query: Query): string {
    if (query.kind === 'about') {
      const terms = this.termsOf(query.document).sort();
      return formatAnswer(terms.length, terms.slice(0, LISTED));
    }
    const found = query.kind === 'all' ? this.withAll(query.terms) : this.withAny(query.terms);
    return formatAnswer(found.length, found.slice(0, LISTED).map((document) => this.nameOf(document)));
  }

  /** The documents in which every term occurs, ascending. */
  withAll(terms: readonly string[]): number[] {
    const ids = terms.map((term) => this.find(term));
    if (ids.includes(-1)) return [];
    // From the rarest term on, so that few candidates are looked up in the long lists.
    ids.sort((a, b) => this.postingsLength(a) - this.postingsLength(b));
    const [rarest, ...others] = ids;
    if (rarest === undefined) return [];
    return Array.from(this.postings(rarest).filter((document) => others.every((id) => this.occursIn(id, document))));
  }

  /** The documents in which at least one term occurs, ascending. */
  withAny(terms: readonly string[]): number[] {
    const found = new Set<number>();
    for (const term of terms) {
      const id = this.find(term);
      if (id >= 0) for (const document of this.postings(id)) found.add(document);
    }
    return [...found].sort((a, b) => a - b);
  }

  /** The terms of a document in no particular order; none if it is not in the index. */
  termsOf(document: number): string[] {
    const { documents, lists, terms } = this.regions;
    const record = document * DOCUMENT_WORDS;
    const start = documents[record + TERM_LIST]!;
    const names: string[] = [];
    for (let i = 0; i < documents[record + TERM_LIST_LENGTH]!; i++) {
      const term = lists[start + i]! * TERM_WORDS;
      names.push(this.textAt(terms[term + TERM_TEXT]!, terms[term + TERM_TEXT_LENGTH]!));
    }
    return names;
  }

  nameOf(document: number): string {
    const { documents } = this.regions;
    const record = document * DOCUMENT_WORDS;
    return this.textAt(documents[record + NAME_TEXT]!, documents[record + NAME_LENGTH]!);
  }

  /** The id of a term, or -1. */
  protected find(term: string): number {
    return this.regions.table[this.slotOf(term, hashOf(term))]! - 1;
  }

  /** The slot that holds the term, or the empty one that ends its probes. */
  protected slotOf(term: string, hash: number): number {
    const { table, terms } = this.regions;
    const mask = table.length - 1;
    let slot = hash & mask;
    for (let probes = 0; probes < table.length; probes++, slot = (slot + 1) & mask) {
      const id = table[slot]! - 1;
      if (id < 0) break;
      const record = id * TERM_WORDS;
      if (terms[record + TERM_HASH] === hash && this.isText(record, term)) break;
    }
    return slot;
  }

  /** A view, not a copy: good for as long as the lock is held. */
  protected postings(id: number): Int32Array {
    const { terms, lists } = this.regions;
    const start = terms[id * TERM_WORDS + POSTINGS]!;
    return lists.subarray(start, start + this.postingsLength(id));
  }

  protected postingsLength(id: number): number {
    return this.regions.terms[id * TERM_WORDS + POSTINGS_LENGTH]!;
  }

  protected occursIn(id: number, document: number): boolean {
    const at = this.searchPostings(id, document);
    const record = id * TERM_WORDS;
    const { terms, lists } = this.regions;
    return at < terms[record + POSTINGS]! + terms[record + POSTINGS_LENGTH]! && lists[at] === document;
  }

  /** The place in `lists` of the document among the postings of a term, or where it belongs. */
  protected searchPostings(id: number, document: number): number {
    const { terms, lists } = this.regions;
    let low = terms[id * TERM_WORDS + POSTINGS]!;
    let high = low + this.postingsLength(id);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lists[middle]! < document) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private isText(record: number, term: string): boolean {
    const { terms, text } = this.regions;
    if (terms[record + TERM_TEXT_LENGTH] !== term.length) return false;
    const start = terms[record + TERM_TEXT]!;
    for (let i = 0; i < term.length; i++) if (text[start + i] !== term.charCodeAt(i)) return false;
    return true;
  }

  /** Terms and names are ASCII. TextDecoder does not take shared memory everywhere. */
  private textAt(start: number, length: number): string {
    const { text } = this.regions;
    let ascii = '';
    for (let i = start; i < start + length; i++) ascii += String.fromCharCode(text[i]!);
    return ascii;
  }
}
