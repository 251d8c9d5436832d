/**
 * Latencies in log-linear buckets: 32 to an octave, so a percentile is right to 3 %; the maximum is
 * exact. Own code because the same buckets are filled by C programs, are merged over threads and
 * rounds, and go into the JSON; perf_hooks' histogram offers none of the three.
 */
const SUB_BITS = 5;
const SUB = 1 << SUB_BITS;
const LARGEST_NS = 2 ** 31 - 1;
export const BUCKETS = (31 - SUB_BITS + 1) * SUB;

export interface LatencySummary {
  samples: number;
  p50Ns: number;
  p99Ns: number;
  maxNs: number;
}

/** Sparse form, for JSON: pairs of bucket index and count. */
export interface HistogramData {
  maxNs: number;
  buckets: Array<[index: number, count: number]>;
}

export class Histogram {
  readonly #counts = new Float64Array(BUCKETS);
  #maxNs = 0;
  #samples = 0;

  get samples(): number {
    return this.#samples;
  }

  record(ns: number): void {
    if (ns > this.#maxNs) this.#maxNs = ns;
    this.#samples++;
    const index = bucketOf(ns);
    this.#counts[index] = this.#counts[index]! + 1;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#maxNs = 0;
    this.#samples = 0;
  }

  add(data: HistogramData): this {
    if (data.maxNs > this.#maxNs) this.#maxNs = data.maxNs;
    for (const [index, count] of data.buckets) {
      if (!(index >= 0 && index < BUCKETS)) throw new RangeError(`histogram bucket ${index} does not exist`);
      this.#counts[index] = this.#counts[index]! + count;
      this.#samples += count;
    }
    return this;
  }

  /** The middle of the bucket in which the given share (0..1) of all samples is reached. */
  quantile(share: number): number {
    if (this.#samples === 0) return NaN;
    if (share >= 1) return this.#maxNs;
    const rank = Math.max(1, Math.ceil(share * this.#samples));
    let seen = 0;
    for (let index = 0; index < BUCKETS; index++) {
      seen += this.#counts[index]!;
      if (seen >= rank) return Math.min(middleOf(index), this.#maxNs);
    }
    return this.#maxNs;
  }

  summary(): LatencySummary | null {
    if (this.#samples === 0) return null;
    return { samples: this.#samples, p50Ns: this.quantile(0.5), p99Ns: this.quantile(0.99), maxNs: this.#maxNs };
  }

  toData(): HistogramData {
    const buckets: HistogramData['buckets'] = [];
    this.#counts.forEach((count, index) => {
      if (count > 0) buckets.push([index, count]);
    });
    return { maxNs: this.#maxNs, buckets };
  }
}

// Below SUB every value has its own bucket; above, the SUB_BITS bits after the leading one choose.
// peers/pthread/rwlock-bench.c fills the same buckets.
function bucketOf(ns: number): number {
  const value = ns >= LARGEST_NS ? LARGEST_NS : ns | 0;
  if (value < SUB) return value < 0 ? 0 : value;
  const shift = 31 - Math.clz32(value) - SUB_BITS;
  return (shift + 1) * SUB + ((value >>> shift) - SUB);
}

function middleOf(index: number): number {
  if (index < SUB) return index;
  const shift = Math.floor(index / SUB) - 1;
  const lowest = (SUB + (index % SUB)) * 2 ** shift;
  return lowest + (2 ** shift - 1) / 2;
}
