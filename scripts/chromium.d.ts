export const CHROMIUM: readonly string[];
export function findOnPath(programs: readonly string[]): string | null;
export function findChromium(): string | null;
export function chromiumArguments(): string[];
