// Chromium for tests that need a page: where it is, and what it has to be told.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The names that it goes by. */
export const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome'];

/** The first of these programs that is in a folder of the PATH, or null. */
export function findOnPath(programs) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return programs.flatMap((program) => folders.map((folder) => join(folder, program))).find((path) => existsSync(path)) ?? null;
}

export function findChromium() {
  return findOnPath(CHROMIUM);
}

/** Chromium's sandbox does not work for root. */
export function chromiumArguments() {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}
