/** Loads a file of tests and runs it, in a page or in a worker of it. */
import { type Results, runTests } from './test.ts';

export type Progress = { started: string } | { results: Results };

export async function runSuite(file: string, tell: (progress: Progress) => void): Promise<void> {
  try {
    await import(file);
    tell({ results: await runTests((name) => tell({ started: name })) });
  } catch (error) {
    const { name, message, stack } = error as Error;
    tell({ results: { passed: 0, skipped: 0, failures: [`${file} did not load: ${name}: ${message}\n${stack ?? ''}`] } });
  }
}
