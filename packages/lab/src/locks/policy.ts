/** Policies of the lock by name, or as settings such as `handoffAfterMs=4,spin=off`. */
import { ArgumentError } from '../bench/argument-error.ts';
import type { PolicyOptions } from './lock.ts';

/** A policy and what it is called in tables. */
export interface NamedPolicy {
  name: string;
  policy: PolicyOptions;
}

/**
 * The releases and patches that the kernel's published experiments compare. Two that belong together
 * differ in one setting: v3.16-spin-any and v5.2-no-handoff in whether a writer spins where no owner
 * is recorded; v5.2-no-handoff and v5.3-handoff in handoff; the two of 2023 in who takes the lock for a
 * woken writer. Readers steal since 5.11. All run on the present count word and queue.
 */
export const POLICIES: Readonly<Record<string, { about: string; policy: PolicyOptions }>> = {
  'v3.16-spin-any': {
    about: 'a writer also spins where no owner is recorded; no handoff, readers do not steal',
    policy: { spin: 'any-owner', handoffAfterMs: Infinity, readerSteal: false },
  },
  'v5.2-no-handoff': {
    about: 'a writer spins on a known owner only; no handoff, readers do not steal',
    policy: { spin: 'known-owner', handoffAfterMs: Infinity, readerSteal: false },
  },
  'v5.3-handoff': {
    about: 'the same with handoff after 4 ms in the queue',
    policy: { spin: 'known-owner', handoffAfterMs: 4, readerSteal: false },
  },
  '2023-grant-in-wake': { about: 'the waker gives the lock to the sleeping writer', policy: { writerWake: 'grant' } },
  '2023-restored': { about: 'the woken writer takes it by itself, and may be overtaken', policy: { writerWake: 'steal' } },
  default: { about: 'as the package ships', policy: {} },
};

export function policyNamed(name: string): NamedPolicy {
  const entry = Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined;
  if (entry === undefined) throw new ArgumentError(`no policy is called "${name}"; there are ${Object.keys(POLICIES).join(', ')}`);
  return { name, policy: entry.policy };
}

const CHOICES: Record<'writerWake' | 'spin' | 'readerSteal', readonly string[]> = {
  writerWake: ['steal', 'grant'],
  spin: ['off', 'known-owner', 'any-owner'],
  readerSteal: ['true', 'false'],
};
const LONGEST_MS = 2_000_000_000;
const NAMES = ['handoffAfterMs', ...Object.keys(CHOICES)];

/** A name of `POLICIES`, or settings, which are their own name. */
export function namedOrParsed(text: string): NamedPolicy {
  if (!text.includes('=')) return policyNamed(text);
  const policy = parsePolicy(text);
  return { name: formatPolicy(policy), policy };
}

export function parsePolicy(text: string): PolicyOptions {
  const policy: Record<string, number | string | boolean> = {};
  for (const entry of text.split(',')) {
    const [name = '', value = ''] = entry.split('=', 2).map((part) => part.trim());
    if (name in policy) throw new ArgumentError(`policy "${name}" is given twice`);
    policy[name] = parseValue(name, value);
  }
  return policy;
}

function parseValue(name: string, value: string): number | string | boolean {
  if (name === 'handoffAfterMs') {
    const handoffAfterMs = value === '' ? NaN : Number(value);
    if (!(handoffAfterMs >= 0 && (handoffAfterMs <= LONGEST_MS || handoffAfterMs === Infinity))) {
      throw new ArgumentError(`handoffAfterMs must be 0 to ${LONGEST_MS} or Infinity, not "${value}"`);
    }
    return handoffAfterMs;
  }
  const choices = Object.hasOwn(CHOICES, name) ? CHOICES[name as keyof typeof CHOICES] : null;
  if (choices === null) throw new ArgumentError(`no setting of a policy is called "${name}"; there are ${NAMES.join(', ')}`);
  if (!choices.includes(value)) throw new ArgumentError(`${name} must be ${choices.join(' or ')}, not "${value}"`);
  return name === 'readerSteal' ? value === 'true' : value;
}

export function formatPolicy(policy: PolicyOptions): string {
  return Object.entries(policy)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
