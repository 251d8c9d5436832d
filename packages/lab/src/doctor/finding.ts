/** What was looked at, what it is, and what to do about it. */

export interface Finding {
  what: string;
  /** `bad`: rwsem cannot work there. `note`: it works, differently. */
  status: 'good' | 'note' | 'bad';
  found: string;
  /** Empty if there is nothing to do or to know. */
  advice: string;
}

export function good(what: string, found: string): Finding {
  return { what, status: 'good', found, advice: '' };
}

export function note(what: string, found: string, advice: string): Finding {
  return { what, status: 'note', found, advice };
}

export function bad(what: string, found: string, advice: string): Finding {
  return { what, status: 'bad', found, advice };
}
