/** Numbers for people. */

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 12,345 · 123 · 12.3 · 1.23 · 0.012 */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value === 0) return '0';
  if (Math.abs(value) >= 99.95) return GROUPED.format(value);
  return value >= 9.995 ? value.toFixed(1) : value >= 0.0995 ? value.toFixed(2) : value.toPrecision(2);
}

export function formatNs(ns: number): string {
  if (!Number.isFinite(ns)) return '-';
  if (ns < 1000) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${short(ns / 1e3)} µs`;
  if (ns < 1e9) return `${short(ns / 1e6)} ms`;
  return `${short(ns / 1e9)} s`;
}

function short(value: number): string {
  return value >= 99.5 ? value.toFixed(0) : value >= 9.95 ? value.toFixed(1) : value.toFixed(2);
}

export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  return whole >= 100 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole} s`;
}

/** `sleepWriter 1,234` for everything that happened. */
export function formatEvents(events: Record<string, number>): string {
  const happened = Object.entries(events).filter(([, count]) => count !== 0);
  if (happened.length === 0) return 'none: nobody took a slow path';
  return happened.map(([name, count]) => `${name} ${GROUPED.format(count)}`).join('  ');
}
