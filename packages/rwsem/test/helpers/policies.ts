/** The policies that tests run under, by what is particular to them. */
import type { Policy } from 'rwsem';

export const POLICIES: Record<string, Partial<Policy>> = {
  'the default policy': {},
  'handoff at once': { handoffAfterMs: 0 },
  'no handoff': { handoffAfterMs: Infinity },
  'grants in every wake': { writerWake: 'grant' },
  'no spinning': { spin: 'off' },
  'spinning without an owner': { spin: 'any-owner' },
  'no reader steals': { readerSteal: false },
};
