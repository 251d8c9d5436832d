/** What the suites use of `node:util`: how a console shows objects that know how they want to be shown. */

const CUSTOM = Symbol.for('nodejs.util.inspect.custom');

export function inspect(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const custom = (value as Record<symbol, unknown>)[CUSTOM];
  if (typeof custom === 'function') return String(custom.call(value));
  return `{ ${Object.entries(value).map(([key, inner]) => `${key}: ${inspect(inner)}`).join(', ')} }`;
}
