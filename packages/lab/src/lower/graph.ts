/** Builds the graph of a routine: instructions in order, with ends that are still open. */
import type { Expr, Instruction } from './ir.ts';

/** Something that goes on to whatever is emitted next. */
export type OpenEnd = (target: number) => void;

export class GraphBuilder {
  readonly code: Instruction[] = [];
  readonly locals: string[] = [];
  /** Locals that are assigned more than once: what they hold now may not be what they hold later. */
  readonly mutable = new Set<number>();
  /** What leads to the next instruction. Empty: nothing does, what follows is never reached. */
  open: OpenEnd[] = [];
  entry = 0;

  constructor() {
    this.open = [(target) => (this.entry = target)];
  }

  get isReachable(): boolean {
    return this.open.length > 0;
  }

  newLocal(name: string, mutable: boolean): number {
    const id = this.locals.push(name) - 1;
    if (mutable) this.mutable.add(id);
    return id;
  }

  /** Adds an instruction, and leaves its way out open. Nothing if it cannot be reached. */
  emit(instruction: Instruction): void {
    if (!this.isReachable) return;
    const index = this.code.push(instruction) - 1;
    this.#close(index);
    if ('next' in instruction) this.open = [(target) => (instruction.next = target)];
  }

  /** A place to jump back to. */
  label(): number {
    this.emit({ op: 'nop', next: -1 });
    return this.code.length - 1;
  }

  jumpTo(ends: readonly OpenEnd[], target: number): void {
    for (const end of ends) end(target);
  }

  /** The ways on, by the outcome of the test. */
  branch(test: Expr): { yes: OpenEnd[]; no: OpenEnd[] } {
    const here = this.open;
    if (!this.isReachable) return { yes: [], no: [] };
    if (test.kind === 'number') {
      this.open = [];
      return test.value === 0 ? { yes: [], no: here } : { yes: here, no: [] };
    }
    const instruction: Instruction = { op: 'branch', test, yes: -1, no: -1 };
    this.emit(instruction);
    this.open = [];
    return { yes: [(target) => (instruction.yes = target)], no: [(target) => (instruction.no = target)] };
  }

  #close(index: number): void {
    for (const end of this.open) end(index);
    this.open = [];
  }
}
