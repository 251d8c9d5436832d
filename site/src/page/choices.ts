/** What the visitor chose, checked; the address of the page carries it, so that a run can be passed on. */
import { ArgumentError } from '../../../packages/lab/dist/bench/argument-error.js';
import { DEFAULTS, decimalNumber, listOf, wholeNumber } from '../../../packages/lab/dist/bench/plan.js';
import type { RunOptions } from '../../../packages/lab/dist/bench/run.js';
import { parseSection } from '../../../packages/lab/dist/bench/section.js';
import { uniformWorkload, type Workload } from '../../../packages/lab/dist/bench/workload.js';
import { LOCKS } from './locks.ts';

const MOST_THREADS = 64;

export interface Choices {
  locks: string[];
  workloads: Workload[];
  options: RunOptions;
}

/** Throws `ArgumentError`, which says what would have been right. */
export function readChoices(form: FormData): Choices {
  const text = (name: string) => String(form.get(name) ?? '');
  const threads = listOf(wholeNumber('Threads', 1, MOST_THREADS))(text('threads'));
  const section = parseSection(text('section'));
  if (section.kind === 'sleep') throw new ArgumentError('Threads cannot sleep inside here: take spins, such as 1000spins');
  const read = wholeNumber('The share of readers', 0, 100)(text('read'));
  const locks = form.getAll('lock').map(String).filter((name) => Object.hasOwn(LOCKS, name));
  if (locks.length === 0) throw new ArgumentError('Choose at least one lock');
  const nothing = parseSection('empty');
  return {
    locks,
    workloads: threads.map((count) => uniformWorkload(count, read, section, nothing)),
    options: {
      seconds: decimalNumber('The length of a round', 0, 60)(text('seconds')),
      rounds: wholeNumber('Rounds', 1, 100)(text('rounds')),
      warmUpMs: DEFAULTS.warmUpMs,
      graceMs: DEFAULTS.graceMs,
      verify: true,
      seed: DEFAULTS.seed,
    },
  };
}

/** Puts what the address says into the form; it may name what the form does not offer. */
export function fillForm(form: HTMLFormElement, said: URLSearchParams): void {
  for (const element of form.elements) {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLSelectElement) || !said.has(element.name)) continue;
    const value = said.get(element.name)!;
    if (element instanceof HTMLSelectElement) {
      if (![...element.options].some((option) => option.value === value)) element.add(new Option(value, value));
      element.value = value;
    } else if (element.type === 'checkbox') {
      element.checked = !element.disabled && said.getAll(element.name).includes(element.value);
    } else {
      element.value = value;
    }
  }
}
