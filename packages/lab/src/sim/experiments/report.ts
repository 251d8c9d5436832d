/** What `rwsem-lab sim` writes with `--json`, and the page is made from. */
import type { Provenance } from '../../report/provenance.ts';
import type { Claim, Report, Scale } from './experiment.ts';

export interface SimReport {
  kind: 'rwsem-lab sim';
  schema: 2;
  provenance: Provenance;
  settings: Scale;
  totals: { seconds: number; cpuSeconds: number };
  reports: Array<Omit<Report, 'claims'> & { claims: Array<Claim & { verdict: string }> }>;
}
