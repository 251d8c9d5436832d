/** The suites, in the order of the table's columns. Each is a file of tests that `npm test` runs as well. */

export interface Suite {
  name: string;
  file: string;
  /** Left out of `--quick`: takes most of the time. */
  isLong?: boolean;
  /** Needs processes, or flags of a runtime: not for pages. */
  needsProcesses?: boolean;
  /** In a page: on its main thread, instead of in a worker. */
  onMainThreadOfPage?: boolean;
  /** In a page that is not cross-origin isolated. */
  withoutIsolation?: boolean;
}

export const SUITES: readonly Suite[] = [
  { name: 'conformance', file: 'conformance.test.js' },
  { name: 'without waitAsync', file: 'without-wait-async.test.js' },
  { name: 'threads', file: 'threads.test.js', isLong: true },
  { name: 'scenarios', file: 'scenarios.test.js', isLong: true },
  { name: 'without shared memory', file: 'without-shared-memory.test.js', withoutIsolation: true },
  { name: 'never parks', file: 'never-parks.test.js', onMainThreadOfPage: true },
  { name: 'process', file: 'process.test.js', needsProcesses: true },
];
