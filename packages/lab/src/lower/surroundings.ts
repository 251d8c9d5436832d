/** What whoever runs the lowered core says about the world around it. */
import type { AccessKind, Expr } from './ir.ts';
import type { Address } from './expr.ts';

/** How an access is to be seen. */
export type Treatment =
  /** As it is. */
  | { kind: 'memory' }
  /** The word never changes, or its value does not matter. What is written to it is forgotten. */
  | { kind: 'constant'; value: number }
  /** A hint that is not kept: a load finds any of these. What is written to it is forgotten. */
  | { kind: 'any'; values: readonly number[] };

export type CallTreatment =
  /** Go in. */
  | { kind: 'inline' }
  | { kind: 'value'; value: Expr }
  | { kind: 'any'; values: readonly number[] }
  | { kind: 'intrinsic'; hasResult: boolean };

export interface Surroundings {
  access(access: AccessKind, address: Address, inside: string): Treatment;
  /** `target`: the name of the constant or local that takes the result, if that is all that happens to it. */
  call(name: string, target: string): CallTreatment;
  /** Locals that count the turns of a loop which only waits: not kept, and so without effect. */
  isFrozen(inside: string, local: string): boolean;
}
