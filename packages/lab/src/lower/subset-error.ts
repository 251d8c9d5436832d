/** The source is outside the portable subset (DESIGN.md, "The portable core"). */
export class SubsetError extends Error {
  override readonly name = 'SubsetError';
  readonly file: string;
  readonly line: number;

  constructor(file: string, line: number, reason: string) {
    super(`${file}:${line} is outside the portable subset: ${reason}`);
    this.file = file;
    this.line = line;
  }
}
