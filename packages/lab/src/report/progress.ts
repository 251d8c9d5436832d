/**
 * What is going on, on standard error, so that standard output can be piped.
 *
 * On a terminal one line that is always current; elsewhere (CI, a file) one line per workload.
 */
import { createLogUpdate } from 'log-update';
import pc from 'picocolors';
import type { Moment, WorkloadResult } from '../bench/run.ts';
import { threadsLabel, titleOf } from '../bench/workload.ts';
import { formatNumber, formatSeconds } from './format.ts';

export interface Progress {
  moment(moment: Moment): void;
  workloadDone(result: WorkloadResult): void;
  done(): void;
}

export function createProgress(stream: NodeJS.WriteStream, rounds: number): Progress {
  return stream.isTTY ? liveLine(stream, rounds) : plainLines(stream);
}

function liveLine(stream: NodeJS.WriteStream, rounds: number): Progress {
  const update = createLogUpdate(stream);
  const startedMs = performance.now();
  return {
    moment({ workload, lock, round, finished, total, kops }) {
      const elapsed = (performance.now() - startedMs) / 1000;
      const left = finished === 0 ? '' : `, about ${formatSeconds((elapsed / finished) * (total - finished))} left`;
      const rate = kops > 0 ? `${formatNumber(kops)} kops/s` : 'starting';
      update(
        `${pc.dim(`${finished}/${total}`)} ${titleOf(workload)}, threads ${threadsLabel(workload)} · ` +
          `${pc.bold(lock)} round ${round + 1}/${rounds} · ${rate} ${pc.dim(`· ${formatSeconds(elapsed)}${left}`)}`,
      );
    },
    workloadDone() {},
    done() {
      update.clear();
      update.done(); // gives the cursor back
    },
  };
}

function plainLines(stream: NodeJS.WriteStream): Progress {
  const startedMs = performance.now();
  return {
    moment() {},
    workloadDone({ title, threads, locks }) {
      const figures = locks.map(({ lock, summary }) => `${lock} ${formatNumber(summary.totalKops?.median ?? NaN)}`);
      const elapsed = formatSeconds((performance.now() - startedMs) / 1000);
      stream.write(`[${elapsed}] ${title}, threads ${threads}: ${figures.join(', ')} kops/s\n`);
    },
    done() {},
  };
}
