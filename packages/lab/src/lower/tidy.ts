/** Which locals are still needed where; and away with what nobody needs. */
import { definition, type Instruction, type Routine, successors, uses } from './ir.ts';

/** For each instruction the locals that are needed when it starts. */
export function liveness(routine: Routine): Set<number>[] {
  const { code } = routine;
  const live = code.map(() => new Set<number>());
  for (let changed = true; changed; ) {
    changed = false;
    for (let index = code.length - 1; index >= 0; index--) {
      const instruction = code[index] as Instruction;
      const here = live[index] as Set<number>;
      const before = here.size;
      const written = definition(instruction);
      for (const next of successors(instruction)) for (const id of live[next] as Set<number>) if (id !== written) here.add(id);
      for (const id of uses(instruction)) here.add(id);
      if (here.size !== before) changed = true;
    }
  }
  return live;
}

/** Drops assignments and choices whose result is never read, and jumps over jumps. */
export function tidy(routine: Routine): Routine {
  let { code } = routine;
  for (let changed = true; changed; ) {
    const live = liveness({ ...routine, code });
    changed = false;
    code = code.map((instruction): Instruction => {
      if (instruction.op !== 'set' && instruction.op !== 'choose') return instruction;
      if (live[instruction.next]?.has(instruction.to)) return instruction;
      changed = true;
      return { op: 'nop', next: instruction.next };
    });
  }
  const target = (index: number): number => {
    const seen = new Set<number>();
    for (let at = index; ; ) {
      const instruction = code[at];
      if (instruction?.op !== 'nop' || seen.has(at)) return at; // an empty endless loop stays one
      seen.add(at);
      at = instruction.next;
    }
  };
  const order = new Map<number, number>();
  const entry = target(routine.entry);
  const todo = [entry];
  for (let index = todo.pop(); index !== undefined; index = todo.pop()) {
    if (order.has(index)) continue;
    order.set(index, order.size);
    todo.push(...successors(code[index] as Instruction).map(target).reverse());
  }
  const moved = (index: number): number => order.get(target(index)) as number;
  const kept = [...order.keys()].map((index): Instruction => {
    const instruction = code[index] as Instruction;
    if (instruction.op === 'branch') return { ...instruction, yes: moved(instruction.yes), no: moved(instruction.no) };
    return 'next' in instruction ? { ...instruction, next: moved(instruction.next) } : instruction;
  });
  return { ...routine, entry: 0, code: kept };
}
