// Chromium for tests that need a page: where it is, and what it has to be told.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The program, or null if there is none on the PATH. */
export function findChromium() {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const programs = ['chromium', 'chromium-browser', 'google-chrome'];
  return programs.flatMap((program) => folders.map((folder) => join(folder, program))).find((path) => existsSync(path)) ?? null;
}

/** Chromium's sandbox does not work for root. */
export function chromiumArguments() {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}
