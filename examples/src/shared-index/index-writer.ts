import {
  DOCUMENT_WORDS,
  LISTS_USED,
  LISTS_WASTED,
  NAME_LENGTH,
  NAME_TEXT,
  POSTINGS,
  POSTINGS_CAPACITY,
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
  TEXT_USED,
  VERSION,
} from './layout.ts';
import { hashOf, SharedIndex } from './shared-index.ts';
import type { Update } from './workload.ts';

/** Rebuild when this share of what is cut off the lists is waste. */
const WASTE_LIMIT = 1 / 4;

/** The block a new term starts with, in words. Most terms occur in few documents. */
const FIRST_CAPACITY = 4;

/**
 * The index as its one writer sees it. Every method but `waitForReaders` and `check` needs the lock
 * for writing, from its first step to its last: in between the index contradicts itself.
 */
export class IndexWriter extends SharedIndex {
  /** Parks until so many threads have begun, so that there is somebody to disturb. */
  waitForReaders(count: number): void {
    const { header } = this.regions;
    for (let ready = 0; (ready = Atomics.load(header, READY)) < count; ) Atomics.wait(header, READY, ready);
  }

  /** Applies an update and gives the index the version it leads to. */
  apply(update: Update, version: number): void {
    if (update.kind === 'put') this.put(update.document, update.name, update.terms);
    else this.remove(update.document);
    Atomics.store(this.regions.header, VERSION, version);
  }

  /** Adds a document, or replaces it. `terms` has no term twice. */
  put(document: number, name: string, terms: readonly string[]): void {
    this.remove(document);
    this.makeRoom(name, terms);
    const { documents, header, lists } = this.regions;
    const list = header[LISTS_USED]!;
    header[LISTS_USED] = list + terms.length;
    terms.forEach((term, i) => {
      const id = this.findOrAdd(term);
      lists[list + i] = id;
      this.addPosting(id, document);
    });
    const record = document * DOCUMENT_WORDS;
    documents[record + NAME_TEXT] = this.addText(name);
    documents[record + NAME_LENGTH] = name.length;
    documents[record + TERM_LIST] = list;
    documents[record + TERM_LIST_LENGTH] = terms.length;
  }

  /** Takes a document out; nothing happens if it is not there. Its terms stay until a rebuild. */
  remove(document: number): void {
    const { documents, header, lists, terms } = this.regions;
    const record = document * DOCUMENT_WORDS;
    const start = documents[record + TERM_LIST]!;
    const length = documents[record + TERM_LIST_LENGTH]!;
    for (let i = start; i < start + length; i++) {
      const id = lists[i]!;
      const end = terms[id * TERM_WORDS + POSTINGS]! + this.postingsLength(id);
      const at = this.searchPostings(id, document);
      lists.copyWithin(at, at + 1, end);
      terms[id * TERM_WORDS + POSTINGS_LENGTH]!--;
    }
    header[LISTS_WASTED]! += length;
    documents.fill(0, record, record + DOCUMENT_WORDS);
  }

  /**
   * Lays out everything anew without waste: terms that occur nowhere go, ids change, the table is
   * cleared and filled. No answer changes, so the version does not either.
   */
  rebuild(): void {
    const { documents, header, lists, table, terms, text } = this.regions;
    const old = { lists: lists.slice(), terms: terms.slice(), text: text.slice(), termCount: this.termCount };
    header[LISTS_USED] = header[LISTS_WASTED] = header[TEXT_USED] = header[TERM_COUNT] = 0;
    table.fill(0);

    const newIds = new Int32Array(old.termCount);
    for (let oldId = 0; oldId < old.termCount; oldId++) {
      const from = oldId * TERM_WORDS;
      const length = old.terms[from + POSTINGS_LENGTH]!;
      if (length === 0) continue;
      const start = old.terms[from + TERM_TEXT]!;
      const bytes = old.text.subarray(start, start + old.terms[from + TERM_TEXT_LENGTH]!);
      const id = (newIds[oldId] = this.addTerm(String.fromCharCode(...bytes), Math.max(FIRST_CAPACITY, length)));
      const postings = old.terms[from + POSTINGS]!;
      lists.set(old.lists.subarray(postings, postings + length), terms[id * TERM_WORDS + POSTINGS]!);
      terms[id * TERM_WORDS + POSTINGS_LENGTH] = length;
    }

    for (let record = 0; record < documents.length; record += DOCUMENT_WORDS) {
      const length = documents[record + TERM_LIST_LENGTH]!;
      if (length === 0) continue;
      const from = documents[record + TERM_LIST]!;
      const list: number = header[LISTS_USED]!;
      documents[record + TERM_LIST] = list;
      header[LISTS_USED] = list + length;
      for (let i = 0; i < length; i++) lists[list + i] = newIds[old.lists[from + i]!]!;
      const name = documents[record + NAME_TEXT]!;
      const bytes = old.text.subarray(name, name + documents[record + NAME_LENGTH]!);
      documents[record + NAME_TEXT] = this.addText(String.fromCharCode(...bytes));
    }
    header[REBUILDS]!++;
  }

  /**
   * Looks at every list from both sides and says what contradicts, or null. Only reads, so the lock
   * held for reading is enough: the writer downgrades and lets the readers go on meanwhile.
   */
  check(): string | null {
    const { documents, lists } = this.regions;
    let postings = 0;
    for (let id = 0; id < this.termCount; id++) {
      const list = this.postings(id);
      postings += list.length;
      for (let i = 1; i < list.length; i++) {
        if (list[i - 1]! >= list[i]!) return `postings of term ${id} are not ascending`;
      }
    }
    for (let record = 0; record < documents.length; record += DOCUMENT_WORDS) {
      const document = record / DOCUMENT_WORDS;
      const start = documents[record + TERM_LIST]!;
      for (let i = 0; i < documents[record + TERM_LIST_LENGTH]!; i++, postings--) {
        if (!this.occursIn(lists[start + i]!, document)) return `document ${document} is missing in one of its terms`;
      }
    }
    return postings === 0 ? null : `${postings} postings too many`;
  }

  /** Rebuilds if the update does not fit, or if too much of the lists is waste. */
  private makeRoom(name: string, terms: readonly string[]): void {
    const { header } = this.regions;
    if (this.fits(name, terms) && header[LISTS_WASTED]! <= header[LISTS_USED]! * WASTE_LIMIT) return;
    this.rebuild();
    if (!this.fits(name, terms)) throw new RangeError('the index is full: give it more capacity');
  }

  private fits(name: string, added: readonly string[]): boolean {
    const { header, lists, terms, text } = this.regions;
    let listWords = added.length;
    let textBytes = name.length;
    let newTerms = 0;
    for (const term of added) {
      const id = this.find(term);
      if (id < 0) {
        newTerms++;
        listWords += FIRST_CAPACITY;
        textBytes += term.length;
      } else if (this.postingsLength(id) === terms[id * TERM_WORDS + POSTINGS_CAPACITY]!) {
        listWords += this.postingsLength(id) * 2;
      }
    }
    return (
      header[LISTS_USED]! + listWords <= lists.length &&
      header[TEXT_USED]! + textBytes <= text.length &&
      (this.termCount + newTerms) * TERM_WORDS <= terms.length
    );
  }

  private findOrAdd(term: string): number {
    const id = this.find(term);
    return id >= 0 ? id : this.addTerm(term, FIRST_CAPACITY);
  }

  private addTerm(term: string, capacity: number): number {
    const { header, table, terms } = this.regions;
    const id = header[TERM_COUNT]!++;
    const hash = hashOf(term);
    const record = id * TERM_WORDS;
    terms[record + TERM_HASH] = hash;
    terms[record + TERM_TEXT] = this.addText(term);
    terms[record + TERM_TEXT_LENGTH] = term.length;
    terms[record + POSTINGS] = header[LISTS_USED]!;
    terms[record + POSTINGS_LENGTH] = 0;
    terms[record + POSTINGS_CAPACITY] = capacity;
    header[LISTS_USED]! += capacity;
    table[this.slotOf(term, hash)] = id + 1;
    return id;
  }

  private addPosting(id: number, document: number): void {
    const { header, lists, terms } = this.regions;
    const record = id * TERM_WORDS;
    const length = terms[record + POSTINGS_LENGTH]!;
    if (length === terms[record + POSTINGS_CAPACITY]!) {
      const start = terms[record + POSTINGS]!;
      lists.copyWithin(header[LISTS_USED]!, start, start + length);
      terms[record + POSTINGS] = header[LISTS_USED]!;
      terms[record + POSTINGS_CAPACITY] = length * 2;
      header[LISTS_USED]! += length * 2;
      header[LISTS_WASTED]! += length;
    }
    const at = this.searchPostings(id, document);
    lists.copyWithin(at + 1, at, terms[record + POSTINGS]! + length);
    lists[at] = document;
    terms[record + POSTINGS_LENGTH] = length + 1;
  }

  private addText(ascii: string): number {
    const { header, text } = this.regions;
    const start = header[TEXT_USED]!;
    for (let i = 0; i < ascii.length; i++) text[start + i] = ascii.charCodeAt(i);
    header[TEXT_USED] = start + ascii.length;
    return start;
  }
}
