/**
 * Where everything lies in the one SharedArrayBuffer of this example.
 *
 *    byte 0      indexOffset
 *    ┌───────────┬────────┬───────┬─────────┬───────────┬───────────┬──────────┐
 *    │ lock space│ header │ table │  terms  │ documents │   lists   │   text   │
 *    └───────────┴────────┴───────┴────┬────┴─────┬─────┴───────────┴──────────┘
 *                             │        │          │        ▲    ▲        ▲
 *                    term + 1 └─▶      ├──────────┼────────┘    │        │
 *                                      └──────────┴── term ids ─┴─ bytes ┘
 *
 * The table is open addressing with linear probing: a slot holds a term id plus one, or 0. A term
 * owns a block of `lists` with the documents it occurs in, ascending. A document owns a block of
 * `lists` with its term ids. Blocks are cut off the end of `lists`; one that is outgrown or given
 * up stays behind as waste until a rebuild. The same holds for `text`.
 *
 * Nothing here is atomic: whoever reads a word holds the lock for reading, whoever changes one
 * holds it for writing. (The exceptions are VERSION and READY, which say why.)
 */

/** How much fits. */
export interface IndexCapacity {
  readonly documents: number;
  readonly terms: number;
  readonly listWords: number;
  readonly textBytes: number;
}

// Words of the header.
/** The number of the last update that is complete. */
export const VERSION = 0;
/** Threads that have begun; the writer waits for all of them, outside the lock. */
export const READY = 1;
export const TERM_COUNT = 2;
/** Words of `lists` that are cut off, and how many of them nobody owns any more. */
export const LISTS_USED = 3;
export const LISTS_WASTED = 4;
export const TEXT_USED = 5;
export const REBUILDS = 6;
export const HEADER_WORDS = 16;

// Words of a term.
export const TERM_HASH = 0;
export const TERM_TEXT = 1;
export const TERM_TEXT_LENGTH = 2;
export const POSTINGS = 3;
export const POSTINGS_LENGTH = 4;
export const POSTINGS_CAPACITY = 5;
export const TERM_WORDS = 6;

// Words of a document. It is in the index if it has terms.
export const NAME_TEXT = 0;
export const NAME_LENGTH = 1;
export const TERM_LIST = 2;
export const TERM_LIST_LENGTH = 3;
export const DOCUMENT_WORDS = 4;

/** One typed array per region. */
export interface IndexRegions {
  readonly header: Int32Array;
  readonly table: Int32Array;
  readonly terms: Int32Array;
  readonly documents: Int32Array;
  readonly lists: Int32Array;
  readonly text: Uint8Array;
}

/** A power of two, so that a hash is masked, and at most half full, so that probes are short. */
function tableSlots(terms: number): number {
  return 2 ** Math.ceil(Math.log2(terms * 2));
}

function wordsBeforeText(capacity: IndexCapacity): number {
  return (
    HEADER_WORDS +
    tableSlots(capacity.terms) +
    capacity.terms * TERM_WORDS +
    capacity.documents * DOCUMENT_WORDS +
    capacity.listWords
  );
}

export function indexByteLength(capacity: IndexCapacity): number {
  return wordsBeforeText(capacity) * Int32Array.BYTES_PER_ELEMENT + capacity.textBytes;
}

export function openRegions(buffer: SharedArrayBuffer, indexOffset: number, capacity: IndexCapacity): IndexRegions {
  let at = indexOffset;
  const words = (length: number): Int32Array => {
    const region = new Int32Array(buffer, at, length);
    at += region.byteLength;
    return region;
  };
  return {
    header: words(HEADER_WORDS),
    table: words(tableSlots(capacity.terms)),
    terms: words(capacity.terms * TERM_WORDS),
    documents: words(capacity.documents * DOCUMENT_WORDS),
    lists: words(capacity.listWords),
    text: new Uint8Array(buffer, at, capacity.textBytes),
  };
}
