/** A mutant: the built core with one small change, made by rule and not by hand. */
import type { SourceFile } from '../../lower/source.ts';

export interface Mutant {
  /** Tells it from all others, and stays the same while its function does. */
  id: string;
  /** The built file, `wake.js`. */
  file: string;
  /** Of the TypeScript. */
  line: number;
  operator: OperatorName;
  start: number;
  end: number;
  /** What comes in the place of the code from start to end: as many lines, so that places stay right. */
  replacement: string;
}

/** The mutation operators, by what they do to the code. */
export const OPERATORS = {
  drop: 'a statement is left out',
  order: 'two statements change places',
  else: 'the other branch is left out',
  condition: 'a condition is always true, or never',
  boundary: 'a comparison includes what it excluded, or the reverse',
  logic: '&& for ||, or the reverse',
  arithmetic: 'another operation, or one operand only',
  constant: 'a number one more or less, a boolean turned round, another constant of the same kind',
  atomic: 'an atomic operation does another thing, nothing, or what it does in two steps',
} as const;

export type OperatorName = keyof typeof OPERATORS;

export function mutate(sources: readonly SourceFile[], { file, start, end, replacement }: Mutant): SourceFile[] {
  return sources.map((source) => (source.name === file ? { ...source, code: source.code.slice(0, start) + replacement + source.code.slice(end) } : source));
}
