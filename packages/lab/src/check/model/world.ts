/**
 * The world of the model: what stands for the header, the clock, hints and limits of loops. Here is every
 * abstraction of the checker; the README lists them.
 */
import type { AccessKind } from '../../lower/ir.ts';
import { binary, ME, number, type Address } from '../../lower/expr.ts';
import type { CoreLibrary } from '../../lower/module.ts';
import type { CallTreatment, Surroundings, Treatment } from '../../lower/surroundings.ts';
import { ASYNC_WAITERS_AT, type Layout, LOCK_AT } from './layout.ts';
import type { Mode } from './mode.ts';

const MEMORY: Treatment = { kind: 'memory' };
const NOTHING: Treatment = { kind: 'constant', value: 0 };
const INLINE: CallTreatment = { kind: 'inline' };

/** Limits of loops that only wait or watch: small, since every turn of them is a state. */
export function overridesFor(mode: Mode): Map<string, number> {
  // Where bounds are looked at, a count of turns that has got stuck at 1 is to be seen, and a gap that shrinks.
  const few = mode.bounded ? 2 : 1;
  const overrides = new Map<string, number>([
    ['SPINS', mode.bounded ? few : 0],
    ['SPIN_LIMIT_TURNS', mode.byClock ? 0x7fffffff : mode.bounded ? 5 : 2],
    ['FIRST_GAP_TURNS', few],
    ['MAX_GAP_TURNS', few * few],
    ['HANDOFF_GAP_TURNS', few],
    ['TURNS_PER_CLOCK', 1],
    ['NEIGHBOUR_SPINS', mode.impatient ? few : 0x7fffffff],
  ]);
  if (mode.patient) overrides.set('SPIN_LIMIT_US', 2000); // of a clock that says 1000 at most
  if (mode.readers > 0) overrides.set('READER', 2 ** 31 / (mode.readers + 1)); // one more reaches the sign
  // `isNearlyFull` moves along: with one reader in the count there is no room for a batch of one and two that arrive.
  if (mode.readers === 3) overrides.set('WAKE_LIST_WORDS', (2 ** 23 - 2 ** 21) / 2);
  return overrides;
}

export class ModelWorld implements Surroundings {
  readonly #mode: Mode;
  readonly #layout: Layout;
  readonly #header = new Map<number, number>();
  readonly #word: (name: string) => number;
  readonly #ownerValues: readonly number[];

  constructor(library: CoreLibrary, layout: Layout, mode: Mode) {
    this.#mode = mode;
    this.#layout = layout;
    this.#word = (name) => library.constantNamed(name);
    const word = this.#word;
    const set = (name: string, value: number) => this.#header.set(word(name), value);
    set('POLICY_HANDOFF_AFTER_MS', mode.handoff === 'now' ? 0 : mode.handoff === 'off' ? word('NEVER_MS') : 1);
    set('POLICY_WRITER_WAKE', word(mode.grant ? 'WAKE_GRANT' : 'WAKE_STEAL'));
    set('POLICY_SPIN', word(mode.anyOwner ? 'SPIN_ANY_OWNER' : mode.spin || mode.oneCore ? 'SPIN_KNOWN_OWNER' : 'SPIN_OFF'));
    set('POLICY_READER_STEAL', Number(mode.readerSteal));
    set('READER_BATCH', mode.batch);
    set('AGENTS_AT', layout.agentAt(0));
    const read = word('READER_OWNED');
    this.#ownerValues = mode.spin ? [0, read, read | word('NONSPINNABLE'), 1 << word('AGENT_ID_SHIFT')] : [0, read];
  }

  access(access: AccessKind, address: Address, inside: string): Treatment {
    const { base, offset } = address;
    if (base === 'absolute' && offset < LOCK_AT) return { kind: 'constant', value: this.#header.get(offset) ?? 0 };
    if (base === 'absolute' && offset === LOCK_AT + this.#word('OWNER') && !this.#mode.owner) {
      return access === 'load' ? { kind: 'any', values: this.#ownerValues } : NOTHING;
    }
    if (base === 'me') return this.#ownWord(offset);
    if (base === 'unknown' && inside === 'isHandoffDue' && offset === this.#word('HANDOFF_AT_MS')) return NOTHING;
    return MEMORY;
  }

  #ownWord(offset: number): Treatment {
    const word = this.#word;
    if (this.#layout.agentSlots.has(offset)) return MEMORY;
    // `#free`, the count that a write expects: any that a steal may have left there.
    if (offset === word('HELD')) return this.#mode.spin || this.#mode.oneCore ? { kind: 'any', values: [0, word('WAITERS'), word('WAITERS') | word('WAKING')] } : NOTHING;
    if (offset === word('CAN_BLOCK')) return { kind: 'constant', value: Number(!this.#mode.noPark) };
    if (offset === word('MAY_SPIN')) return { kind: 'constant', value: Number(!this.#mode.oneCore) };
    const isTag = offset === word('AGENT_TAG') || offset === word('BLOCKING_WAITER') + word('WAITER_TAG');
    if (isTag) return this.#mode.owner ? MEMORY : NOTHING;
    const isPeers = offset >= ASYNC_WAITERS_AT && [word('WAITER_TAG'), word('WAITER_AGENT')].includes((offset - ASYNC_WAITERS_AT) % word('WAITER_WORDS'));
    if (isPeers) return MEMORY;
    const isKnown = offset < this.#layout.agentWords || offset >= ASYNC_WAITERS_AT;
    return isKnown && offset >= 0 && !(offset >= word('WAKE_LIST') && offset < this.#layout.agentWords) ? NOTHING : MEMORY;
  }

  call(name: string, target: string): CallTreatment {
    switch (name) {
      case 'clockMs':
        // Before or after whatever it is compared with: all times that are stored are 0.
        if (this.#mode.handoff === 'due') return { kind: 'value', value: number(1) };
        if (this.#mode.handoff === 'not-yet') return { kind: 'value', value: number(-1) };
        return { kind: 'any', values: [-1, 1] };
      case 'spinClockUs':
        // A first look, then: hardly later, too late for readers, too late for all.
        return target === 'start' ? { kind: 'value', value: number(0) } : { kind: 'any', values: [0, 30, 1000] };
      case 'pause':
        return { kind: 'value', value: number(0) };
      case 'lockWaitLock':
        return this.#mode.waitLock ? INLINE : { kind: 'intrinsic', hasResult: false };
      case 'isOwnerRunning':
        return this.#mode.owner ? INLINE : { kind: 'any', values: [0, 1] };
      case 'setNonspinnable':
      case 'clearNonspinnable':
        return this.#mode.owner ? INLINE : { kind: 'value', value: number(0) };
      case 'choose':
        return { kind: 'any', values: [0, 1] };
      case 'mayOverflow':
        return { kind: 'value', value: number(Number(this.#mode.readers > 0)) };
      case 'mayTimeOut':
        return { kind: 'value', value: number(Number(this.#mode.handoff !== 'not-yet')) };
      case 'asyncWaiterA':
        return { kind: 'value', value: binary('+', ME, number(ASYNC_WAITERS_AT)) };
      case 'asyncWaiterB':
        return { kind: 'value', value: binary('+', ME, number(ASYNC_WAITERS_AT + this.#word('WAITER_WORDS'))) };
      case 'entered':
      case 'collected':
      case 'left':
      case 'downgrading':
      case 'linger':
      case 'strayedSignal':
      case 'wrongAnswer':
      case 'triedInVain':
      case 'wouldDeadlock':
        return { kind: 'intrinsic', hasResult: false };
      case 'usesData':
      case 'changesData':
        if (!this.#mode.delayed) return { kind: 'value', value: number(0) };
        return { kind: 'intrinsic', hasResult: false };
      default:
        return INLINE;
    }
  }

  isFrozen(inside: string, local: string): boolean {
    if (this.#mode.noPark && local === 'spins' && inside === 'lockWaitLockSlow') return true;
    if (local === 'turns' && (this.#mode.byClock || (this.#mode.patient && inside === 'enterSpinQueue'))) return true;
    return !this.#mode.impatient && local === 'spins' && (inside === 'removeFromSpinQueue' || inside === 'takeNext');
  }
}
