/** The loops of a routine: a header, and all that can come back to it. The source has no other jumps, so every loop has one header. */
import { type Instruction, type Routine, successors } from './ir.ts';

export interface GraphLoop {
  header: number;
  body: ReadonlySet<number>;
}

/** The edges that lead back to an instruction under way, from those that a search from `starts` can reach. */
export function backEdges(code: readonly Instruction[], starts: readonly number[], next: (index: number) => readonly number[]): [from: number, to: number][] {
  const found: [number, number][] = [];
  const state = new Uint8Array(code.length); // 1: under way, 2: done
  for (const start of starts) {
    if (state[start] !== 0) continue;
    const path: { index: number; left: number[] }[] = [];
    const enter = (index: number): void => {
      state[index] = 1;
      path.push({ index, left: [...next(index)] });
    };
    enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const to = top.left.pop();
      if (to === undefined) {
        state[top.index] = 2;
        path.pop();
      } else if (state[to] === 0) enter(to);
      else if (state[to] === 1) found.push([top.index, to]);
    }
  }
  return found;
}

export function loopsOf({ entry, code }: Routine): GraphLoop[] {
  const predecessors: number[][] = code.map(() => []);
  code.forEach((instruction, index) => {
    for (const next of successors(instruction)) predecessors[next]!.push(index);
  });
  const bodies = new Map<number, Set<number>>();
  for (const [from, header] of backEdges(code, [entry], (index) => successors(code[index]!))) {
    const body = bodies.get(header) ?? new Set([header]);
    bodies.set(header, body);
    const todo = [from];
    for (let index = todo.pop(); index !== undefined; index = todo.pop()) {
      if (body.has(index)) continue;
      body.add(index);
      todo.push(...predecessors[index]!);
    }
  }
  return [...bodies].map(([header, body]) => ({ header, body }));
}
