import { ArgumentError } from '../bench/argument-error.ts';

/** A program, mode or schedule that cannot be run; says what would do. */
export class CheckArgumentError extends ArgumentError {}
