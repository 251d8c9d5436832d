/** A program ready to be explored, with a mistake of the catalogue in the core if one is named. */
import { parseMode } from '../../dist/check/model/mode.js';
import { type LoadedProgram, Model } from '../../dist/check/model/model.js';
import { parseProgram } from '../../dist/check/model/program.js';
import { sourcesWith } from '../../dist/check/task.js';

export function load(text: string, mode = '', mutation?: string): LoadedProgram {
  const program = parseProgram(text);
  return new Model(sourcesWith(mutation), parseMode(mode), [program]).load(program);
}
