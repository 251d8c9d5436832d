/** The modes of a run (`mutations/mutation.ts` says what each is). */
import { CheckArgumentError } from '../check-error.ts';

export interface Mode {
  text: string;
  grant: boolean;
  spin: boolean;
  anyOwner: boolean;
  oneCore: boolean;
  readerSteal: boolean;
  handoff: 'free' | 'now' | 'off' | 'due' | 'not-yet';
  batch: number;
  /** 0: as many as the count takes. 3: no batch beside a reader, too. */
  readers: 0 | 1 | 3;
  owner: boolean;
  waitLock: boolean;
  spurious: boolean;
  split: boolean;
  /** Plain accesses may take effect late, or early; who is inside uses the users' data. */
  delayed: boolean;
  ready: boolean;
  /** How many overtake who has asked for handoff. */
  bypass: boolean;
  /** A thread that is alone, which nothing may be refused. */
  alone: boolean;
  /** Starvation too. */
  fair: boolean;
  /** A thread gives up its node in the spinner queue after one turn, instead of never. */
  impatient: boolean;
  /** A thread in line in the spinner queue never gives up, instead of at any moment. */
  patient: boolean;
  /** Threads that may not block, as a page's main thread: they spin on the wait lock, however long it takes. */
  noPark: boolean;
  /** A thread that goes on alone comes to its end or to a sleep (I14). */
  bounded: boolean;
  /** The same where turns are not counted: as soon as the clock says that it is late. */
  byClock: boolean;
}

const WORDS = 'grant, spin, any-owner, one-core, no-reader-steal, handoff:now, handoff:due, handoff:not-yet, handoff:off, batch:N, readers:1, readers:3, owner, wait-lock, spurious, split, delayed, ready, bypass, alone, fair, impatient, patient, no-park, bounded, by-clock';

/** Words that switch something on. */
const SWITCHES = {
  grant: 'grant', spin: 'spin', 'one-core': 'oneCore', owner: 'owner', 'wait-lock': 'waitLock', spurious: 'spurious', split: 'split', delayed: 'delayed', ready: 'ready', bypass: 'bypass', alone: 'alone',
  fair: 'fair', impatient: 'impatient', patient: 'patient', 'no-park': 'noPark', bounded: 'bounded', 'by-clock': 'byClock',
} as const satisfies Record<string, keyof Mode>;
type SwitchWord = keyof typeof SWITCHES;

export function parseMode(text: string): Mode {
  const off = Object.fromEntries(Object.values(SWITCHES).map((name) => [name, false])) as Record<(typeof SWITCHES)[SwitchWord], boolean>;
  const mode: Mode = { ...off, text: text.trim(), anyOwner: false, readerSteal: true, handoff: 'free', batch: 256, readers: 0 };
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const batch = /^batch:([1-9]\d{0,2})$/.exec(word)?.[1];
    if (Object.hasOwn(SWITCHES, word)) mode[SWITCHES[word as SwitchWord]] = true;
    else if (word === 'any-owner') mode.anyOwner = mode.spin = true;
    else if (word === 'no-reader-steal') mode.readerSteal = false;
    else if (word === 'handoff:now') mode.handoff = 'now';
    else if (word === 'handoff:due') mode.handoff = 'due';
    else if (word === 'handoff:not-yet') mode.handoff = 'not-yet';
    else if (word === 'handoff:off') mode.handoff = 'off';
    else if (word === 'readers:1') mode.readers = 1;
    else if (word === 'readers:3') [mode.readers, mode.batch] = [3, 1];
    else if (batch !== undefined && Number(batch) <= 256) mode.batch = Number(batch);
    else throw new CheckArgumentError(`there is no mode "${word}"; modes are: ${WORDS}`);
  }
  if (mode.delayed) mode.split = true;
  if (mode.delayed && (mode.fair || mode.bounded)) throw new CheckArgumentError('delayed is about the order of accesses, fair and bounded about runs that never end, in which a delay is not to be without end: one of them at a time');
  if (mode.spin && mode.oneCore) throw new CheckArgumentError('mode one-core is the one that does not spin: not together with spin or any-owner');
  if (mode.patient && (!mode.spin || mode.impatient)) throw new CheckArgumentError('patient is who waits in the spinner queue: only with spin or any-owner, and not with impatient');
  if (mode.noPark && (!mode.waitLock || mode.bounded)) throw new CheckArgumentError('no-park is about the wait lock, on which it spins without a bound: only with wait-lock, and not with bounded');
  if (mode.bounded && (mode.fair || mode.ready)) throw new CheckArgumentError('bounded looks for threads that spin for ever, ready for an end that is out of reach, fair for starvation: one of them at a time');
  if (mode.byClock && (!mode.bounded || !mode.spin)) throw new CheckArgumentError('by-clock is about bounds of spinning: only with spin or any-owner, and with bounded');
  if (mode.bounded && mode.spin && !mode.impatient) throw new CheckArgumentError('waiting for a neighbour in the spinner queue has a bound only in the mode impatient: give it with bounded');
  if (mode.fair && mode.waitLock) throw new CheckArgumentError('the wait lock is test-and-set and starves by itself: the mode fair looks for starvation modulo the wait lock, so leave out wait-lock');
  if (mode.fair && (mode.handoff === 'free' || mode.handoff === 'not-yet')) throw new CheckArgumentError('a deadline that never passes starves anybody: with the mode fair give handoff:now or handoff:due, and all have passed, or handoff:off');
  return mode;
}
