/** What lowering keeps of a call that it is putting in line. */
import type { Expression } from 'acorn';
import type { OpenEnd } from './graph.ts';
import type { Expr } from './ir.ts';
import type { CoreFunction } from './module.ts';

export interface Loop {
  breaks: OpenEnd[];
  continues: OpenEnd[];
}

/** One call being inlined. */
export interface Frame {
  definition: CoreFunction;
  names: Map<string, Expr>;
  loops: Loop[];
  /** What its `return` does. */
  leave(value: Expression | null | undefined, frame: Frame): void;
}

/** Where a condition leads. */
export interface Outcome {
  yes: OpenEnd[];
  no: OpenEnd[];
}
