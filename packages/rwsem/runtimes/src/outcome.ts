/** What became of one suite on one runtime. */

export type Outcome =
  | { kind: 'passed'; tests: number; skipped: number; seconds: number }
  | { kind: 'failed'; reason: string; output: string; seconds: number }
  | { kind: 'absent'; reason: string };

export function describeOutcome(outcome: Outcome): string {
  if (outcome.kind === 'absent') return `absent: ${outcome.reason}`;
  if (outcome.kind === 'failed') return `FAILED: ${outcome.reason}`;
  const skipped = outcome.skipped > 0 ? `, ${outcome.skipped} skipped` : '';
  return `${outcome.tests} passed${skipped}`;
}
