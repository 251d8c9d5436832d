/**
 * What can be asked of the index, and how an answer reads. Answers are strings on purpose: the
 * index in shared memory and the replay in plain JavaScript share nothing else, so comparing them
 * compares the whole way from a term to the names of its documents.
 */

export type Query =
  /** Documents in which every term occurs. */
  | { readonly kind: 'all'; readonly terms: readonly string[] }
  /** Documents in which at least one term occurs. */
  | { readonly kind: 'any'; readonly terms: readonly string[] }
  /** The terms of one document. */
  | { readonly kind: 'about'; readonly document: number };

/** How many names an answer lists; the total counts them all. */
export const LISTED = 8;

export function formatAnswer(total: number, names: readonly string[]): string {
  return `${total}: ${names.join(' ')}${total > names.length ? ' …' : ''}`;
}

export function formatQuery(query: Query): string {
  switch (query.kind) {
    case 'all':
      return query.terms.join(' AND ');
    case 'any':
      return query.terms.join(' OR ');
    case 'about':
      return `terms of document ${query.document}`;
  }
}

/** What a reader noted while it held the lock: at this version, that question had this answer. */
export interface RecordedAnswer {
  readonly version: number;
  readonly query: number;
  readonly answer: string;
}
