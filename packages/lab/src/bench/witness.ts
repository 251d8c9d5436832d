/**
 * Two plain words that tell whether the lock excluded.
 *
 *   ENTERED  a writer adds 1 on its way in
 *   LEFT     a writer adds 1 on its way out
 *
 * V1. Whoever is inside, reader or writer, finds ENTERED = LEFT on arrival: no writer is inside.
 * V2. Whoever is inside finds both words as it left them when it goes: no writer came in meanwhile.
 * V3. At the end both equal the number of write sections: no read-modify-write was lost.
 *
 * A lock that lets a writer in beside anyone breaks V1 or V2 whenever the two sections overlap in
 * these accesses, and readers write nothing, so that they do not disturb one another as a counter
 * of their own would. A sound lock cannot break any: its own atomics order the plain accesses.
 *
 * The price is four loads for a reader, four loads and two stores for a writer, all in one cache
 * line that is not the lock's. `--verify off` measures without; `rwsem-lab cost` prints the price.
 */
export const WITNESS_BYTES = 128;
const ENTERED = 0;
const LEFT = 1;

export interface Witness {
  insideRead(): void;
  insideWrite(): void;
  /** How often V1 or V2 did not hold in this thread. */
  violations(): number;
}

export function makeWitness(words: Int32Array, readSection: () => void, writeSection = readSection): Witness {
  let violations = 0;
  return {
    insideRead() {
      const entered = words[ENTERED]!;
      const left = words[LEFT]!;
      if (entered !== left) violations++;
      readSection();
      if (words[ENTERED] !== entered || words[LEFT] !== left) violations++;
    },
    insideWrite() {
      const before = words[ENTERED]!;
      const left = words[LEFT]!;
      if (before !== left) violations++;
      const entered = (before + 1) | 0;
      words[ENTERED] = entered;
      writeSection();
      if (words[ENTERED] !== entered || words[LEFT] !== left) violations++;
      words[LEFT] = (left + 1) | 0;
    },
    violations: () => violations,
  };
}

/** The same for sections that are left later; `end` returns how often V1 or V2 did not hold. */
export interface Visit {
  end(): number;
}

export function insideRead(words: Int32Array): Visit {
  const entered = words[ENTERED]!;
  const left = words[LEFT]!;
  return { end: () => Number(entered !== left) + Number(words[ENTERED] !== entered || words[LEFT] !== left) };
}

export function insideWrite(words: Int32Array): Visit {
  const before = words[ENTERED]!;
  const left = words[LEFT]!;
  const entered = (before + 1) | 0;
  words[ENTERED] = entered;
  return {
    end() {
      const violations = Number(before !== left) + Number(words[ENTERED] !== entered || words[LEFT] !== left);
      words[LEFT] = (left + 1) | 0;
      return violations;
    },
  };
}

export function makeBlindWitness(readSection: () => void, writeSection = readSection): Witness {
  return { insideRead: readSection, insideWrite: writeSection, violations: () => 0 };
}

/**
 * V3: how many write sections left no trace, in the words of one lock or of several in a row. The words
 * wrap around, hence `| 0`.
 */
export function lostWrites(words: Int32Array, writes: number): number {
  let entered = 0;
  let left = 0;
  for (let at = 0; at < words.length; at += WITNESS_BYTES / Int32Array.BYTES_PER_ELEMENT) {
    entered = (entered + words[at + ENTERED]!) | 0;
    left = (left + words[at + LEFT]!) | 0;
  }
  return Math.max(Math.abs((writes - entered) | 0), Math.abs((writes - left) | 0));
}
