/** The suites, in the order of the table's columns. Each is a file of tests that `npm test` runs as well. */

export interface Suite {
  name: string;
  file: string;
  /** Needs processes, or flags of a runtime: not for pages. */
  needsProcesses?: boolean;
  /** Takes the place of the main thread of a page, so it makes sense in a page only. */
  onMainThreadOfPage?: boolean;
  /** In a page that is not cross-origin isolated. */
  withoutIsolation?: boolean;
}

export const SUITES: readonly Suite[] = [
  { name: 'conformance', file: 'conformance.test.js' },
  { name: 'without waitAsync', file: 'without-wait-async.test.js' },
  { name: 'threads', file: 'threads.test.js' },
  { name: 'scenarios', file: 'scenarios.test.js' },
  { name: 'without shared memory', file: 'without-shared-memory.test.js', withoutIsolation: true },
  { name: 'process', file: 'process.test.js', needsProcesses: true },
];
