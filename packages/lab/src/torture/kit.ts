/** What the operations of one thread have in common, blocking or awaited. */
import type { RwSem } from 'rwsem';
import { Activity } from './activity.ts';
import { Cell, Violation } from './cell.ts';
import { Random } from '../random.ts';

export type Library = typeof import('rwsem');

/** What the operations of a round are like. */
export interface Mix {
  /** Operations per thread. */
  operations: number;
  /** How many of the locks are used. */
  locks: number;
  /** The share of writers among them. */
  writes: number;
  /** Once in a long while somebody sleeps inside for so long. 0: never. */
  longHoldMs?: number;
  /** Ends the round before its operations are done. */
  isOver?: () => boolean;
}

/** What came of the operations. */
export interface Tally {
  writes: number[];
  reads: number;
  timeouts: number;
  aborts: number;
  refusals: number;
  misses: number;
  downgrades: number;
  longHolds: number;
}

/** An inspect() that took longer may have looked without the wait lock. */
const CERTAIN_MS = 40;

export class Kit {
  readonly tally: Tally;
  readonly library: Library;
  readonly locks: readonly RwSem[];
  readonly cells: readonly Cell[];
  readonly random: Random;
  readonly activity: Activity;
  readonly mayBlock: boolean;

  constructor(
    library: Library,
    locks: readonly RwSem[],
    cells: Int32Array,
    activity: Int32Array,
    /** From 0; what it writes into cells is one more. */
    index: number,
    seed: number,
    mayBlock: boolean,
  ) {
    this.library = library;
    this.locks = locks;
    this.cells = locks.map((_, i) => new Cell(cells, i, index + 1));
    this.random = new Random(seed);
    this.activity = new Activity(activity, index);
    this.mayBlock = mayBlock;
    this.tally = { writes: locks.map(() => 0), reads: 0, timeouts: 0, aborts: 0, refusals: 0, misses: 0, downgrades: 0, longHolds: 0 };
  }

  /** The readers in front of the queue have joined by the time `downgrade` returns, and so do later ones. */
  afterDowngrade(i: number): void {
    this.tally.downgrades++;
    const start = performance.now();
    const { waiters } = (this.locks[i] as RwSem).inspect();
    const tookMs = performance.now() - start;
    if (waiters[0]?.mode === 'read' && tookMs < CERTAIN_MS) {
      throw new Violation(`lock ${i}: a downgrade left a reader waiting in front: ${JSON.stringify(waiters)}`);
    }
  }
}
