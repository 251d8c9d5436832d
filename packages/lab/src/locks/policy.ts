/** Reads a policy such as `handoffAfterMs=4,spin=off` from the command line. */
import { ArgumentError } from '../bench/argument-error.ts';
import type { PolicyOptions } from './lock.ts';

const CHOICES: Record<'writerWake' | 'spin' | 'readerSteal', readonly string[]> = {
  writerWake: ['steal', 'grant'],
  spin: ['off', 'known-owner', 'any-owner'],
  readerSteal: ['true', 'false'],
};
const LONGEST_MS = 2_000_000_000;
const NAMES = ['handoffAfterMs', ...Object.keys(CHOICES)];

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
  if (choices === null) throw new ArgumentError(`no policy is called "${name}"; there are ${NAMES.join(', ')}`);
  if (!choices.includes(value)) throw new ArgumentError(`${name} must be ${choices.join(' or ')}, not "${value}"`);
  return name === 'readerSteal' ? value === 'true' : value;
}

export function formatPolicy(policy: PolicyOptions): string {
  return Object.entries(policy)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
