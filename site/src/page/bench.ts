/** The page that runs the lab's benchmark in the visitor's browser. */
import { ArgumentError } from '../../../packages/lab/dist/bench/argument-error.js';
import { calibrate } from '../../../packages/lab/dist/bench/calibrate.js';
import { runBench, type Moment, type Observer, type WorkloadResult } from '../../../packages/lab/dist/bench/run.js';
import { isFailure } from '../../../packages/lab/dist/bench/statistics.js';
import { threadsLabel, titleOf } from '../../../packages/lab/dist/bench/workload.js';
import { formatNs, formatNumber } from '../../../packages/lab/dist/report/format.js';
import { renderGroup } from '../../../packages/lab/dist/report/html.js';
import { fillForm, readChoices, type Choices } from './choices.ts';
import { whyNotIsolated } from './isolation.ts';
import { LivePlot } from './live-plot.ts';
import { LOCKS, openLock } from './locks.ts';

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const form = byId<HTMLFormElement>('choices');
const start = byId<HTMLButtonElement>('start');
const stop = byId<HTMLButtonElement>('stop');
const status = byId('status');
const summary = byId('summary');
let plot: LivePlot | null = null;

function say(text: string, kind: 'bad' | 'good' | '' = ''): void {
  status.textContent = text;
  status.className = kind;
}

function offerLocks(): void {
  byId('locks').append(
    ...Object.entries(LOCKS).map(([name, { about, chosen, whyAbsent }]) => {
      const absent = whyAbsent();
      const box = Object.assign(document.createElement('input'), { type: 'checkbox', name: 'lock', value: name, checked: chosen && absent === null, disabled: absent !== null });
      const label = document.createElement('label');
      label.append(box, Object.assign(document.createElement('code'), { textContent: name }), ` ${absent ?? about}`);
      return label;
    }),
  );
}

/** The smallest step of the clock. Browsers make it coarse, isolated pages less so. */
function clockStepNs(): number {
  let step = Infinity;
  for (let i = 0; i < 20; i++) {
    const fromMs = performance.now();
    let toMs = fromMs;
    while (toMs === fromMs) toMs = performance.now();
    step = Math.min(step, toMs - fromMs);
  }
  return step * 1e6;
}

async function run({ locks, workloads, options }: Choices, signal: AbortSignal): Promise<void> {
  const { sectionUs } = calibrate(workloads);
  const progress = byId<HTMLProgressElement>('progress');
  plot?.dispose();
  const live = (plot = new LivePlot(byId('live'), locks));
  const observer: Observer = {
    moment(moment: Moment) {
      const { workload, lock, round, finished, total, kops } = moment;
      progress.value = finished / total;
      say(`${titleOf(workload)}, threads: ${threadsLabel(workload)}. ${lock}, round ${round + 1} of ${options.rounds}${kops > 0 ? `: ${formatNumber(kops)} kops/s` : ''}`);
      live.add(moment);
    },
    workloadDone() {},
  };
  const results = await runBench(locks.map(openLock), workloads, options, observer, signal);
  progress.value = 1;
  say(signal.aborted ? 'Stopped: not all rounds were run.' : 'Done.');
  show(results, sectionUs);
}

function show(results: WorkloadResult[], sectionUs: Record<string, number>): void {
  if (results.length === 0) return;
  const measured = results.flatMap(({ threads, locks }) => locks.map(({ lock, summary: figures, rounds }) => ({ threads, lock, ...figures, rounds })));
  const failed = measured.filter(({ verdict }) => isFailure(verdict));
  const operations = measured.flatMap(({ rounds }) => rounds.flatMap(({ agents }) => agents)).reduce((sum, { reads, writes }) => sum + reads + writes, 0);
  summary.className = failed.length === 0 ? 'good' : 'bad';
  summary.dataset['verdict'] = failed.length === 0 ? 'held' : 'failed';
  summary.dataset['operations'] = String(operations);
  summary.textContent =
    failed.length === 0
      ? `Exclusion held: ${formatNumber(operations)} acquisitions, each checked from inside.`
      : failed.map(({ threads, lock, verdict, detail }) => `${lock}, threads ${threads}: ${verdict}: ${detail ?? ''}.`).join(' ');
  byId('results').innerHTML = renderGroup(results[0]!.title, results); // all of it made by the lab, from numbers and names of this file
  const alone = Object.entries(sectionUs).map(([name, us]) => `${name} take ${formatNs(us * 1000)} alone.`);
  byId('notes').textContent = [
    `Medians and ranges over rounds; ratio: relative to ${results[0]!.locks[0]!.lock}, round by round.`,
    `The clock of this browser moves in steps of ${formatNs(clockStepNs())}: a shorter latency is 0 ns, or one step, by chance.`,
    ...alone,
    `${navigator.hardwareConcurrency} processors. ${navigator.userAgent}`,
  ].join(' ');
}

form.addEventListener('input', () => (byId('read-shown').textContent = `${byId<HTMLInputElement>('read').value} %`));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void onStart();
});

async function onStart(): Promise<void> {
  const controller = new AbortController();
  try {
    const chosen = new FormData(form);
    const choices = readChoices(chosen);
    history.replaceState(null, '', `?${new URLSearchParams([...chosen].map(([name, value]) => [name, String(value)]))}`);
    start.disabled = true;
    stop.disabled = false;
    stop.onclick = () => controller.abort();
    summary.textContent = '';
    delete summary.dataset['verdict'];
    byId('measuring').hidden = false;
    await run(choices, controller.signal);
  } catch (error) {
    say(error instanceof ArgumentError ? error.message : `The benchmark failed: ${(error as Error).message}. Reload the page; if that does not help, please report it with the name of your browser.`, 'bad');
  } finally {
    start.disabled = false;
    stop.disabled = true;
  }
}

say('Getting shared memory…');
const reason = await whyNotIsolated();
if (reason === null) {
  offerLocks();
  fillForm(form, new URLSearchParams(location.search));
  byId('read-shown').textContent = `${byId<HTMLInputElement>('read').value} %`;
  start.disabled = false;
  say('Ready.');
} else {
  say(reason, 'bad');
}
