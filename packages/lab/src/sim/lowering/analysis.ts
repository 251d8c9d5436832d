/** What has to be known about functions before they are lowered: which of them stop, and where spin loops are. */
import type { AnyNode, CallExpression } from 'acorn';
import type { Binding, LinkedProgram, Module, SourceFunction } from './modules.ts';
import { PAUSE } from './operations.ts';

export function children(node: AnyNode): AnyNode[] {
  const found: AnyNode[] = [];
  for (const value of Object.values(node) as unknown[]) {
    if (Array.isArray(value)) for (const item of value) if (isNode(item)) found.push(item);
    if (isNode(value)) found.push(value);
  }
  return found;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

export function some(node: AnyNode, test: (node: AnyNode) => boolean): boolean {
  return test(node) || children(node).some((child) => some(child, test));
}

export function collect<T extends AnyNode>(node: AnyNode, test: (node: AnyNode) => node is T): T[] {
  return [...(test(node) ? [node] : []), ...children(node).flatMap((child) => collect(child, test))];
}

/** What a call calls: `f()` or `module.f()`. */
export function calleeOf(module: Module, call: CallExpression): Binding | 'atomics' | undefined {
  const { callee } = call;
  if (callee.type === 'Identifier') return module.bindings.get(callee.name);
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier' || callee.property.type !== 'Identifier') return undefined;
  if (callee.object.name === 'Atomics') return 'atomics';
  const namespace = module.bindings.get(callee.object.name);
  return namespace?.kind === 'namespace' ? namespace.module.bindings.get(callee.property.name) : undefined;
}

export class Analysis {
  readonly stopping: ReadonlySet<string>;
  readonly pausing: ReadonlySet<string>;

  constructor(program: LinkedProgram) {
    this.stopping = closure(program, (binding) => binding === 'atomics' || binding.kind === 'intrinsic');
    this.pausing = closure(program, isPause);
  }

  /** Does evaluating this stop? */
  stops(module: Module, node: AnyNode): boolean {
    return some(node, (part) => {
      if (part.type !== 'CallExpression') return false;
      const callee = calleeOf(module, part);
      if (callee === undefined) return false; // refused when it is lowered
      return callee === 'atomics' || callee.kind === 'intrinsic' || (callee.kind === 'function' && this.stopping.has(callee.key));
    });
  }

  /** 0: a spin loop. 1: a loop around one. null: neither. */
  spinLevel(module: Module, loop: AnyNode): 0 | 1 | null {
    let level: 0 | 1 | null = null;
    some(loop, (part) => {
      if (part.type !== 'CallExpression') return false;
      const callee = calleeOf(module, part);
      if (callee === undefined || callee === 'atomics') return false;
      if (isPause(callee)) level = 0;
      else if (level === null && callee.kind === 'function' && this.pausing.has(callee.key)) level = 1;
      return level === 0;
    });
    return level;
  }
}

function isPause(binding: Binding | 'atomics'): boolean {
  return binding !== 'atomics' && binding.kind === 'intrinsic' && binding.operation === PAUSE;
}

/** The functions that contain such a call, or call a function that does. */
function closure(program: LinkedProgram, test: (binding: Binding | 'atomics') => boolean): Set<string> {
  const found = new Set<string>();
  const reaches = ({ module, node }: SourceFunction) =>
    some(node, (part) => {
      if (part.type !== 'CallExpression') return false;
      const callee = calleeOf(module, part);
      if (callee === undefined) return false;
      return test(callee) || (callee !== 'atomics' && callee.kind === 'function' && found.has(callee.key));
    });
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const source of program.functions.values()) if (reaches(source)) found.add(source.key);
  }
  return found;
}
