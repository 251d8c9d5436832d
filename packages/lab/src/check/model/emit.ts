/**
 * From lowered routines to JavaScript: one function per *stop*. A step runs from a stop, the access there
 * and all that is local after it, to the next stop. What lies between two stops nobody else can tell.
 *
 * Stops are the atomic operations. Two of Lipton's rules merge more, unless the mode is `split`: taking the
 * wait lock goes with the access after it, and dropping it with the one before; and words that only its
 * holder or their own thread touches are not looked at by anybody in between. That this is so is checked at
 * every access (I4, I7).
 */
import { addressOf } from '../../lower/expr.ts';
import { type Expr, type Instruction, type Routine, successors, definition } from '../../lower/ir.ts';
import type { Place } from '../../lower/module.ts';
import { liveness } from '../../lower/tidy.ts';
import { DOWNGRADING, INSIDE, type Layout, LOCK_AT, SLEEP } from './layout.ts';
import type { Mode } from './mode.ts';
import { delayedAccess, delayedExchange } from './emit-delayed.ts';
import { isPrivate, isRelaxed } from './reach.ts';
import type { Choice, Frames, Stop } from './stop.ts';

/** Of a loop within one step: more than any queue of a program is long. */
const MOST_TURNS = 4096;

const RELEASES = new Set(['releaseRead', 'releaseWrite']);

export type Step = (block: number, me: number) => number;

export class Emitter {
  readonly #layout: Layout;
  readonly #mode: Mode;
  readonly #own: ReadonlySet<number>;
  readonly stops: Stop[] = [];
  readonly sources: string[] = [];
  /** By number: where a free choice is made, and among what. */
  readonly choices: Choice[] = [];
  readonly frames = new Map<Routine, Frames>();
  frameWords = 0;

  constructor(layout: Layout, mode: Mode) {
    this.#layout = layout;
    this.#mode = mode;
    this.#own = new Set([layout.word('BLOCKING_WAITER'), ...layout.asyncWaiters].map((record) => record + layout.word('GRANT')));
    // 0 is where a thread is that has done everything.
    this.#addStop({ routine: { name: '', entry: 0, code: [], locals: [] }, at: 0, chains: false, needsFreeWaitLock: false, timed: false, place: undefined, access: 'done', lingers: false });
    this.sources.push('return 0;');
  }

  /** Emits a routine; the number of the stop it starts at. */
  add(routine: Routine): number {
    return new RoutineEmitter(this, routine).entry;
  }

  #addStop(stop: Stop): number {
    return this.stops.push(stop) - 1;
  }

  addStop(stop: Stop): number {
    return this.#addStop(stop);
  }

  /** A stop that goes on at one of these. */
  addDecision(entries: readonly number[]): number {
    const number = this.#addStop({ ...(this.stops[0] as Stop), chains: true, access: 'entry', alternatives: entries });
    this.sources[number] = `return [${entries.join(', ')}][R.choose(${entries.length})];`;
    return number;
  }

  isStop(instruction: Instruction): boolean {
    if (instruction.op === 'intrinsic') return instruction.name === 'lockWaitLock' || instruction.name === 'linger';
    if (instruction.op !== 'access') return false;
    const { access, at, inside } = instruction;
    const { base, offset } = addressOf(at);
    if (isRelaxed(access)) {
      // Read by a sleeper of its own record, while others may write it under the wait lock.
      if (this.#mode.spin && inside === 'writeSlow' && offset === this.#layout.word('BLOCKING_WAITER') + this.#layout.word('HANDOFF_SET')) return true;
      return this.#mode.split && !isPrivate(at, this.#layout);
    }
    if (this.#mode.split) return true;
    if (access === 'store' && base === 'me' && this.#own.has(offset)) return false;
    // Nobody is parked on it.
    return !((access === 'exchange' || access === 'notify') && inside === 'unlockWaitLock' && !this.#mode.waitLock);
  }

  /** Accesses are those of `delays.ts`. */
  get delays(): boolean {
    return this.#mode.delayed;
  }

  get countsBypasses(): boolean {
    return this.#mode.bypass;
  }

  /** A wait of no time is no sleep, on which a thread could go round for ever. */
  get looksAtBounds(): boolean {
    return this.#mode.bounded;
  }

  get layout(): Layout {
    return this.#layout;
  }

  /** Acquiring the wait lock does not chain if every access is to be a step. */
  get chainsAcquire(): boolean {
    return !this.#mode.split;
  }
}

class RoutineEmitter {
  readonly entry: number;
  readonly #emitter: Emitter;
  readonly #routine: Routine;
  readonly #live: Set<number>[];
  readonly #frame = new Map<number, number>();
  readonly #numbers = new Map<string, number>();
  readonly #todo: { number: number; at: number; isAccess: boolean }[] = [];

  constructor(emitter: Emitter, routine: Routine) {
    this.#emitter = emitter;
    this.#routine = routine;
    this.#live = liveness(routine);
    this.#assignFrame();
    emitter.frames.set(routine, { live: this.#live, places: this.#frame });
    this.entry = this.#stopAt(routine.entry, 'entry');
    for (let next = this.#todo.pop(); next; next = this.#todo.pop()) {
      emitter.sources[next.number] = this.#step(next.at, next.isAccess);
    }
  }

  /** Locals that are needed at one and the same stop get different places. */
  #assignFrame(): void {
    const together = new Map<number, Set<number>>();
    this.#routine.code.forEach((instruction, index) => {
      const sets: Set<number>[] = [];
      if (this.#emitter.isStop(instruction)) sets.push(this.#live[index] as Set<number>);
      if (instruction.op === 'access' && instruction.access === 'wait') sets.push(this.#live[instruction.next] as Set<number>);
      for (const live of sets) {
        for (const id of live) {
          const others = together.get(id) ?? new Set<number>();
          together.set(id, others);
          for (const other of live) if (other !== id) others.add(other);
        }
      }
    });
    for (const [id, others] of together) {
      const taken = new Set([...others].map((other) => this.#frame.get(other)));
      let place = 0;
      while (taken.has(place)) place++;
      this.#frame.set(id, place);
      this.#emitter.frameWords = Math.max(this.#emitter.frameWords, place + 1);
    }
  }

  #stopAt(at: number, kind: 'entry' | 'resume' | 'access', timed = false, place?: Place): number {
    const key = `${kind === 'access' ? 'access' : 'local'} ${at} ${timed}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const instruction = this.#routine.code[at] as Instruction;
    const isAcquire = kind === 'access' && instruction.op === 'intrinsic' && instruction.name === 'lockWaitLock';
    const number = this.#emitter.addStop({
      routine: this.#routine,
      at,
      chains: kind !== 'access' || (isAcquire && this.#emitter.chainsAcquire),
      needsFreeWaitLock: isAcquire,
      timed,
      place: kind === 'access' && 'place' in instruction ? instruction.place : place,
      access: kind !== 'access' ? kind : instruction.op === 'access' ? instruction.access : isAcquire ? 'acquire' : 'linger',
      lingers: kind === 'access' && (instruction.op === 'access' ? RELEASES.has(instruction.inside) : !isAcquire),
    });
    this.#numbers.set(key, number);
    this.#todo.push({ number, at, isAccess: kind === 'access' });
    return number;
  }

  #step(start: number, isAccess: boolean): string {
    const { code } = this.#routine;
    const isStop = (index: number): boolean => this.#emitter.isStop(code[index] as Instruction);
    // All that can be reached before the next stop, and where ways meet.
    const reached = new Map<number, number>();
    const meets = new Set<number>();
    const todo = [start];
    const defined = new Set<number>();
    const enter = (index: number): void => {
      if (index === start || reached.has(index)) meets.add(index);
      else if (!isStop(index)) todo.push(index);
      if (!isStop(index)) reached.set(index, 1);
    };
    reached.set(start, 1);
    for (let index = todo.pop(); index !== undefined; index = todo.pop()) {
      const instruction = code[index] as Instruction;
      if (index !== start && isStop(index)) continue;
      if (index === start && !isAccess && isStop(index)) continue;
      const written = definition(instruction);
      if (written >= 0) defined.add(written);
      for (const next of successors(instruction)) if (!isStop(next)) enter(next);
    }
    const liveHere = this.#live[start] as Set<number>;
    const labels = new Map<number, number>();
    for (const index of meets) if (!isStop(index)) labels.set(index, labels.size + 1);
    const goTo = (index: number): string => {
      if (isStop(index)) return this.#leave(index, liveHere, defined);
      const label = labels.get(index);
      return label === undefined ? this.#straight(index, goTo, liveHere, defined) : `{ L = ${label}; continue; }`;
    };
    const first = !isAccess && isStop(start) ? this.#leave(start, liveHere, defined) : this.#straight(start, goTo, liveHere, defined);
    const inFrame = [...liveHere].filter((id) => this.#frame.has(id)).map((id) => `let v${id} = S[b + ${this.#slot(id)}];`);
    const others = [...defined].filter((id) => !liveHere.has(id)).map((id) => `let v${id} = 0;`);
    const head = [...inFrame, ...others].join(' ');
    if (labels.size === 0) return `${head}\n${first}`;
    const cases = [...labels].map(([index, label]) => `case ${label}: ${this.#straight(index, goTo, liveHere, defined)}`);
    return `${head}\nlet L = 0; for (let turns = 0; ; turns++) { if (turns > ${MOST_TURNS}) return R.neverEnds(); switch (L) { case 0: ${first}\n${cases.join('\n')} } }`;
  }

  #slot(id: number): number {
    return this.#emitter.layout.frameAt + (this.#frame.get(id) as number);
  }

  /** One instruction and what follows it. */
  #straight(index: number, goTo: (index: number) => string, liveHere: Set<number>, defined: Set<number>): string {
    const instruction = this.#routine.code[index] as Instruction;
    switch (instruction.op) {
      case 'end':
        return `${this.#save(new Set(), liveHere, defined)} return -1;`;
      case 'nop':
        return goTo(instruction.next);
      case 'set':
        return `v${instruction.to} = ${js(instruction.value)};\n${goTo(instruction.next)}`;
      case 'branch':
        return `if (${js(instruction.test)}) { ${goTo(instruction.yes)} } else { ${goTo(instruction.no)} }`;
      case 'choose':
        return `v${instruction.to} = [${instruction.values.join(', ')}][R.choose(${instruction.values.length}, ${this.#choiceAt(instruction)})];\n${goTo(instruction.next)}`;
      case 'intrinsic':
        return `${this.#intrinsic(instruction.name, instruction.args)}\n${goTo(instruction.next)}`;
      case 'access':
        if (instruction.access === 'wait') return this.#wait(instruction, goTo, liveHere, defined);
        return `${this.#access(instruction)}\n${goTo(instruction.next)}`;
    }
  }

  #choiceAt({ to, place, values }: Instruction & { op: 'choose' }): number {
    return this.#emitter.choices.push({ name: this.#routine.locals[to] ?? '', place, values }) - 1;
  }

  #intrinsic(name: string, args: Expr[]): string {
    const { layout } = this.#emitter;
    const waitLock = layout.lockSlots.get(layout.word('WAIT_LOCK')) as number;
    switch (name) {
      case 'lockWaitLock': return this.#emitter.delays ? `{ const o = S[${waitLock}]; S[${waitLock}] = me; R.delays.exchanged(${LOCK_AT + layout.word('WAIT_LOCK')}, ${waitLock}, o, true, b); }` : `S[${waitLock}] = me;`;
      case 'usesData': return 'R.data.read(b);';
      case 'changesData': return 'R.data.write(b);';
      case 'linger': return '';
      case 'entered': return `R.collected(b, 0); S[b + ${INSIDE}] += ${js(args[0] as Expr)};${this.#emitter.countsBypasses ? ' R.overtakes(b);' : ''}${layout.hasBeenInAt < 0 ? '' : ` S[b + ${layout.hasBeenInAt}] = 1;`}`;
      case 'collected': return `R.collected(b, ${layout.recordOf(addressOf(args[0] as Expr).offset)});`;
      case 'left': return `S[b + ${INSIDE}] -= ${js(args[0] as Expr)};`;
      case 'downgrading': return `S[b + ${INSIDE}] = ${DOWNGRADING};`;
      case 'strayedSignal': return `R.fail('INVARIANT', 'I13: a signal has come for a record that was given back');`;
      case 'wrongAnswer': return `R.fail('ANSWER', 'an operation has ended with a status that it is not to end with');`;
      case 'triedInVain': return `R.triedInVain(${js(args[0] as Expr)});`;
      case 'wouldDeadlock': return `R.wouldDeadlock(${layout.writerWasFirstAt < 0 ? 'R.isWriterFirst()' : `S[b + ${layout.writerWasFirstAt}]`});`;
      default: throw new Error(`no intrinsic ${name}`);
    }
  }

  #wait(instruction: Instruction & { op: 'access' }, goTo: (index: number) => string, liveHere: Set<number>, defined: Set<number>): string {
    const { at, args, next, place } = instruction;
    const { base, offset } = addressOf(at);
    // The park on the wait lock ends by itself only to survive terminated threads: here it has to be woken.
    const timed = args.length === 2 && !(base === 'absolute' && offset === LOCK_AT + this.#emitter.layout.word('WAIT_LOCK'));
    const resume = this.#stopAt(next, 'resume', timed, place);
    const save = this.#save(this.#live[next] as Set<number>, liveHere, defined);
    const lasts = timed && this.#emitter.looksAtBounds ? ` && ${js(args[1] as Expr)} > 0` : '';
    const compared = this.#emitter.delays ? ' R.delays.compared(p, b);' : '';
    return `{ const p = ${this.#placeOf(at, 'bell')};${compared} if (S[p] === ${js(args[0] as Expr)}${lasts}) { S[b + ${SLEEP}] = p + 1; ${save} return ${resume}; } }
${goTo(next)}`;
  }

  #placeOf(at: Expr, how: 'place' | 'bell'): string {
    const { base, offset } = addressOf(at);
    const { layout } = this.#emitter;
    if (base === 'absolute') {
      const slot = layout.lockSlots.get(offset - LOCK_AT);
      if (slot !== undefined) return String(slot);
    } else if (base === 'me') {
      const slot = layout.agentSlots.get(offset);
      if (slot !== undefined) return `b + ${slot}`;
    }
    return how === 'place' ? `R.place(${js(at)}, me)` : `R.bell(${js(at)})`;
  }

  #access(instruction: Instruction & { op: 'access' }): string {
    const { access, at, args, to, inside } = instruction;
    const { base, offset } = addressOf(at);
    const { layout, delays } = this.#emitter;
    const delayed = delays ? delayedAccess(instruction, this.#routine, layout, { js, place: this.#placeOf(at, 'place'), bell: this.#placeOf(at, 'bell') }) : null;
    if (delayed !== null) return delayed;
    const result = to >= 0 ? `v${to} = ` : '';
    const [a, b] = args.map(js);
    const isQueueWord = base === 'absolute' && (offset === LOCK_AT + layout.word('HEAD') || offset === LOCK_AT + layout.word('TAIL'));
    const guard = isQueueWord ? 'R.needWaitLock(me); ' : '';
    if (access === 'notify') return `R.notify(${this.#placeOf(at, 'bell')}, ${a ?? 'Infinity'});`;
    const place = this.#placeOf(at, 'place');
    const isDirect = !place.startsWith('R.');
    if (access === 'load' || access === 'relaxedLoad') return `${guard}${result}${isDirect ? `S[${place}]` : `R.load(${js(at)}, me)`};`;
    if (access === 'store' || access === 'relaxedStore') {
      const isCount = base === 'absolute' && offset === LOCK_AT;
      if (!isCount) return `${guard}S[${place}] = ${a};${isDirect ? '' : ` R.signalled(${js(at)}, ${a});`}`;
      return `{ const o = S[0]; S[0] = ${a}; R.countChanged(o, me, b); }`;
    }
    const changed: Record<string, string> = { add: `o + (${a})`, sub: `o - (${a})`, and: `o & (${a})`, or: `o | (${a})`, exchange: `${a}` };
    const isCount = base === 'absolute' && offset === LOCK_AT;
    // What follows in this step takes the waiter out.
    const takes = isCount && access === 'compareExchange' && inside === 'tryWriteQueued' ? ` if (o === (${a})) R.tookFromQueue(o, me, b);` : '';
    // A nested read without a probe, where it does not queue.
    const joins = isCount && access === 'add' && inside === 'enqueueRead' && args[0]?.kind === 'number' ? ' R.joins();' : '';
    const drops = inside === 'unlockWaitLock' && layout.writerWasFirstAt >= 0 ? ` S[b + ${layout.writerWasFirstAt}] = R.isWriterFirst();` : '';
    const after = isCount ? ` R.countChanged(o, me, b);${takes}${joins}` : isDirect ? '' : ` if (o !== S[p]) R.signalled(${js(at)}, S[p]);`;
    const modulo = offset === layout.word('BELL') && base === 'unknown' && access === 'add' ? ' % R.bellModulus' : '';
    const write = access === 'compareExchange' ? `if (o === (${a})) S[p] = ${b};` : `S[p] = (${changed[access]})${modulo};`;
    const tell = delays ? delayedExchange(instruction, js) : { before: '', after: '' };
    return `{ const p = ${place}; const o = S[p];${tell.before} ${write} ${result}${to >= 0 ? 'o;' : ''}${after}${drops}${tell.after} }`;
  }

  #leave(stop: number, liveHere: Set<number>, defined: Set<number>): string {
    const number = this.#stopAt(stop, 'access');
    return `${this.#save(this.#live[stop] as Set<number>, liveHere, defined)} return ${number};`;
  }

  /** Into the frame what is needed there; out of it what is not. */
  #save(needed: Set<number>, liveHere: Set<number>, defined: Set<number>): string {
    const parts: string[] = [];
    const kept = new Set<number>();
    for (const id of needed) {
      kept.add(this.#slot(id));
      if (defined.has(id)) parts.push(`S[b + ${this.#slot(id)}] = v${id};`);
    }
    for (const id of liveHere) {
      const slot = this.#slot(id);
      if (!kept.has(slot)) parts.push(`S[b + ${slot}] = 0;`);
    }
    return parts.join(' ');
  }
}

function js(expr: Expr): string {
  switch (expr.kind) {
    case 'number': return String(expr.value);
    case 'local': return `v${expr.id}`;
    case 'me': return 'me';
    case 'unary': return expr.operator === '!' ? `(${js(expr.operand)} ? 0 : 1)` : `(${expr.operator} ${js(expr.operand)})`;
    case 'binary': return `(${js(expr.left)} ${expr.operator} ${js(expr.right)})`;
  }
}
