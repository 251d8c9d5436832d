/**
 * Mutation operators: from the syntax trees of the built core to all mutants.
 *
 * Left alone are the files that only say where a word is (`layout`), reach it (`memory`) or count for people
 * (`events`, and all calls of it), and the order of two plain stores in a row: no step lies between them.
 */
import type { BinaryExpression, CallExpression, Expression, Node, Statement } from 'acorn';
import { CoreLibrary, type CoreModule } from '../../lower/module.ts';
import type { SourceFile } from '../../lower/source.ts';
import type { Mutant, OperatorName } from './mutant.ts';

const LEFT_ALONE = new Set(['layout.js', 'memory.js', 'events.js']);

/** Constants that could be taken for one another. Each is tried as the next of its kind. */
const KINDS: readonly (readonly string[])[] = [
  ['WRITER', 'WAITERS', 'HANDOFF', 'WAKING'],
  ['IDLE', 'WAITING', 'WOKEN', 'GRANTED'],
  ['BUSY', 'ACQUIRED', 'QUEUED', 'CANCELLED'],
  ['CANCELLED_SIGNALLED', 'CANCELLED'],
  ['TOO_MANY_READERS', 'BUSY'],
  ['WOULD_DEADLOCK', 'ACQUIRED'],
  ['NEXT', 'PREV'],
  ['HEAD', 'TAIL'],
  ['SPIN_NEXT', 'SPIN_PREV'],
  ['WAKE_ANY', 'WAKE_READERS', 'WAKE_READ_OWNED'],
  ['WRITE_WAITER', 'ASYNC_WAITER'],
  ['HANDOFF_TIMED', 'HANDOFF_AT_ONCE', 'HANDOFF_NEVER'],
  ['READER_OWNED', 'NONSPINNABLE'],
  ['WAKE_STEAL', 'WAKE_GRANT'],
  ['SPIN_OFF', 'SPIN_KNOWN_OWNER', 'SPIN_ANY_OWNER'],
];
const COUNTERS = new Set(['countEvent', 'countEvents']);
const COMPARISONS = new Set(['===', '!==', '<', '<=', '>', '>=']);
const BOUNDARY: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OTHER: Readonly<Record<string, string>> = { '+': '-', '-': '+', '&': '|', '|': '&', '<<': '>>', '>>': '<<' };
const OPPOSITE: Readonly<Record<string, string>> = { add: 'sub', sub: 'add', or: 'and', and: 'or' };
const SIGN: Readonly<Record<string, string>> = { add: '+', sub: '-', or: '|', and: '&' };

export function generateMutants(sources: readonly SourceFile[]): Mutant[] {
  const library = new CoreLibrary(sources);
  const found = [...library.modules.values()].filter(({ file }) => !LEFT_ALONE.has(file)).flatMap((module) => new FileMutants(library, module, sources).found);
  const times = new Map<string, number>();
  return found.map((mutant) => {
    const time = (times.get(mutant.id) ?? 0) + 1;
    times.set(mutant.id, time);
    return time === 1 ? mutant : { ...mutant, id: `${mutant.id} #${time}` };
  });
}

class FileMutants {
  readonly found: Mutant[] = [];
  readonly #library: CoreLibrary;
  readonly #module: CoreModule;
  readonly #code: string;
  readonly #seen = new Set<string>();
  #inside = '';

  constructor(library: CoreLibrary, module: CoreModule, sources: readonly SourceFile[]) {
    this.#library = library;
    this.#module = module;
    this.#code = sources.find(({ name }) => name === module.file)?.code ?? '';
    for (const [name, value] of module.constants) {
      this.#inside = name;
      // Masks, not tuning: the model has its own limits.
      if (typeof value !== 'number' && value.type === 'BinaryExpression' && (value.operator === '|' || value.operator === '&')) this.#value(value);
    }
    for (const { name, body } of module.functions.values()) {
      this.#inside = name;
      this.#block(body, true);
    }
  }

  #text(node: Node): string {
    return this.#code.slice(node.start, node.end);
  }

  /** Of the same operands, each in parentheses, which the tree knows nothing of. */
  #withOperator({ left, right }: BinaryExpression, operator: string): string {
    return `(${this.#text(left)}) ${operator} (${this.#text(right)})`;
  }

  /** The same as it reads best: with the parentheses that were there. */
  #shownWith({ start, end, left, operator }: BinaryExpression, other: string): string {
    const at = this.#code.indexOf(operator, left.end);
    return this.#code.slice(start, at) + other + this.#code.slice(at + operator.length, end);
  }

  #add(operator: OperatorName, node: { start: number; end: number }, replacement: string, at: Node, shown = replacement): void {
    const from = this.#code.slice(node.start, node.end);
    const padded = replacement + '\n'.repeat(Math.max(0, from.split('\n').length - replacement.split('\n').length));
    const key = `${node.start} ${node.end} ${padded}`;
    if (this.#seen.has(key) || replacement === from) return;
    this.#seen.add(key);
    const { file, line } = this.#module.place(at);
    const short = (text: string): string => text.replace(/\s*\/\/.*$/gm, '').replace(/\s+/g, ' ').trim();
    const id = `${file.replace('.ts', '')} ${this.#inside}: ${short(from)} -> ${short(shown)}`;
    this.found.push({ id, file: this.#module.file, line, operator, start: node.start, end: node.end, replacement: padded });
  }

  #block(statements: readonly Statement[], isDroppable: boolean): void {
    statements.forEach((statement, index) => {
      const next = statements[index + 1];
      if (next && this.#canChangePlaces(statement, next)) {
        const [first, between, second] = [this.#text(statement), this.#code.slice(statement.end, next.start), this.#text(next)];
        this.#add('order', { start: statement.start, end: next.end }, second + between + first, statement, 'swapped');
      }
      this.#statement(statement, isDroppable || statements.length > 1);
    });
  }

  #canChangePlaces(first: Statement, second: Statement): boolean {
    const [one, other] = [calledBy(first), calledBy(second)];
    if (first.type !== 'ExpressionStatement' || second.type !== 'ExpressionStatement') return false;
    return !COUNTERS.has(one) && !COUNTERS.has(other) && !(one === 'relaxedStore' && other === 'relaxedStore');
  }

  /** `isDroppable`: leaving it out is not the same as never getting there. */
  #statement(node: Statement, isDroppable: boolean): void {
    switch (node.type) {
      case 'BlockStatement':
        return this.#block(node.body, isDroppable);
      case 'ExpressionStatement':
        if (COUNTERS.has(calledBy(node))) return;
        if (isDroppable) this.#add('drop', node, '{}', node, 'dropped');
        return this.#effect(node.expression);
      case 'VariableDeclaration':
        for (const { init } of node.declarations) if (init) this.#value(init);
        return;
      case 'IfStatement':
        this.#condition(node.test);
        this.#statement(node.consequent, node.alternate != null);
        if (!node.alternate) return;
        this.#add('else', node.alternate, '{}', node.alternate, 'dropped');
        return this.#statement(node.alternate, false);
      case 'WhileStatement':
        this.#condition(node.test);
        return this.#statement(node.body, true);
      case 'ForStatement':
        if (node.init?.type === 'VariableDeclaration') this.#statement(node.init, false);
        if (node.test) this.#condition(node.test);
        if (node.update) this.#effect(node.update);
        return this.#statement(node.body, true);
      case 'ReturnStatement':
        if (node.argument) this.#value(node.argument);
        else if (isDroppable) this.#add('drop', node, '{}', node, 'dropped');
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
        if (isDroppable) this.#add('drop', node, '{}', node, 'dropped');
        return;
    }
  }

  #effect(node: Expression): void {
    if (node.type === 'AssignmentExpression') this.#value(node.right);
    else if (node.type === 'CallExpression') this.#call(node, false);
  }

  #condition(node: Expression): void {
    if (node.type === 'LogicalExpression') {
      this.#logic(node);
      this.#condition(node.left);
      return this.#condition(node.right);
    }
    if (node.type === 'UnaryExpression' && node.operator === '!') return this.#condition(node.argument);
    this.#truth(node);
    this.#parts(node);
  }

  #logic(node: Expression & { type: 'LogicalExpression' }): void {
    const operator = node.operator === '&&' ? '||' : '&&';
    this.#add('logic', node, `(${this.#text(node.left)}) ${operator} (${this.#text(node.right)})`, node, `${this.#text(node.left)} ${operator} ${this.#text(node.right)}`);
  }

  #truth(node: Expression): void {
    this.#add('condition', node, 'true', node);
    this.#add('condition', node, 'false', node);
    // Negated it would differ more often than either, and be found by what finds them.
    if (node.type !== 'BinaryExpression') return;
    const other = BOUNDARY[node.operator];
    if (other !== undefined) this.#add('boundary', node, this.#withOperator(node, other), node, this.#shownWith(node, other));
  }

  #value(node: Expression): void {
    const isTruth = node.type === 'LogicalExpression' || (node.type === 'UnaryExpression' && node.operator === '!') || (node.type === 'BinaryExpression' && COMPARISONS.has(node.operator));
    if (isTruth) return this.#condition(node);
    this.#parts(node);
  }

  /** What is inside an expression, and the whole as a number. */
  #parts(node: Expression): void {
    switch (node.type) {
      case 'Literal':
        if (typeof node.value === 'boolean') this.#add('constant', node, String(!node.value), node);
        else if (typeof node.value === 'number') for (const value of [node.value + 1, node.value - 1]) this.#add('constant', node, value < 0 ? `(${value})` : String(value), node, String(value));
        return;
      case 'Identifier':
      case 'MemberExpression':
        return this.#constant(node);
      case 'UnaryExpression':
        if (node.operator === '~') this.#add('arithmetic', node, `(${this.#text(node.argument)})`, node, this.#text(node.argument));
        return this.#value(node.argument);
      case 'BinaryExpression':
        return this.#binary(node);
      case 'ConditionalExpression':
        this.#condition(node.test);
        this.#value(node.consequent);
        return this.#value(node.alternate);
      case 'CallExpression':
        return this.#call(node, true);
      case 'ParenthesizedExpression':
        return this.#value(node.expression);
    }
  }

  /** `isTested`: a mask in a test for zero, which would be as good as true or false. */
  #binary(node: BinaryExpression, isTested = false): void {
    if (node.left.type === 'PrivateIdentifier') return;
    // `(x | 0)` is a number of 32 bits, and no operation.
    const isCoercion = node.operator === '|' && node.right.type === 'Literal' && node.right.value === 0;
    if (isCoercion) return this.#value(node.left);
    const other = OTHER[node.operator];
    if (other !== undefined && !isTested) {
      this.#add('arithmetic', node, `(${this.#withOperator(node, other)})`, node, this.#shownWith(node, other));
      if (!node.operator.includes('<') && !node.operator.includes('>')) {
        this.#add('arithmetic', node, this.#text(node.left), node);
        if (node.operator !== '-') this.#add('arithmetic', node, this.#text(node.right), node);
      }
    }
    if (isTested) this.#add('arithmetic', node, this.#text(node.left), node);
    const isTest = COMPARISONS.has(node.operator) && node.right.type === 'Literal';
    const left = node.left.type === 'ParenthesizedExpression' ? node.left.expression : node.left;
    if (isTest && left.type === 'BinaryExpression' && left.operator === '&') this.#binary(left, true);
    else this.#value(node.left);
    // Equal to 1 instead of 0 is never true, or nearly.
    if (!isTest) this.#value(node.right);
  }

  #constant(node: Expression & { type: 'Identifier' | 'MemberExpression' }): void {
    const name = node.type === 'Identifier' ? node.name : node.property.type === 'Identifier' ? node.property.name : '';
    const kind = KINDS.find((names) => names.includes(name));
    if (!kind) return;
    const next = kind[(kind.indexOf(name) + 1) % kind.length] as string;
    this.#add('constant', node, String(this.#library.constantNamed(next)), node, next);
  }

  #call(node: CallExpression, isWanted: boolean): void {
    const { callee } = node;
    const isAtomic = callee.type === 'MemberExpression' && callee.property.type === 'Identifier';
    if (isAtomic) this.#atomic(node, (callee.property as { name: string }).name, isWanted);
    const isAccess = isAtomic || (callee.type === 'Identifier' && callee.name.startsWith('relaxed'));
    node.arguments.forEach((argument, index) => {
      if (argument.type === 'SpreadElement') return;
      if (isAccess && index === 1) this.#address(argument);
      else this.#value(argument);
    });
  }

  /** Another word of the same kind. A sum or difference would lie outside every record, or be any word. */
  #address(node: Expression): void {
    if (node.type === 'BinaryExpression' && node.left.type !== 'PrivateIdentifier') {
      this.#address(node.left);
      this.#address(node.right);
    } else if (node.type === 'Identifier' || node.type === 'MemberExpression') this.#constant(node);
  }

  #atomic(node: CallExpression, name: string, isWanted: boolean): void {
    const [memory, at, first, second] = node.arguments.map((argument) => this.#text(argument));
    const place = `${memory}, ${at}`;
    const opposite = OPPOSITE[name];
    if (opposite !== undefined) {
      this.#add('atomic', node, `Atomics.${opposite}(${place}, ${first})`, node);
      if (isWanted) this.#add('atomic', node, `(Atomics.${name}(${place}, ${first}) ${SIGN[name]} (${first}))`, node, `its result, not the value before`);
      else this.#add('atomic', node, `Atomics.store(${place}, Atomics.load(${place}) ${SIGN[name]} (${first}))`, node, 'in two steps');
    }
    if (name === 'compareExchange') {
      this.#add('atomic', node, `Atomics.exchange(${place}, ${second})`, node);
      this.#add('atomic', node, `Atomics.compareExchange(${place}, ${second}, ${first})`, node);
    }
    if (isWanted && name !== 'load') this.#add('atomic', node, `Atomics.load(${place})`, node);
  }
}

/** The function that a statement calls, if that is all it does. */
function calledBy(node: Statement): string {
  const call = node.type === 'ExpressionStatement' && node.expression.type === 'CallExpression' ? node.expression : undefined;
  return call?.callee.type === 'Identifier' ? call.callee.name : '';
}
