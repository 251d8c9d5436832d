import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runBench, type RunOptions } from '../dist/bench/run.js';
import { parseSection } from '../dist/bench/section.js';
import { dedicatedWorkload, uniformWorkload, type Workload } from '../dist/bench/workload.js';
import { openCompetitors } from '../dist/locks/catalog.js';
import { NPM_PEERS } from '../dist/locks/npm-peer.js';
import { parseConstant, retuned } from '../dist/locks/retuned.js';
import type { BenchReport } from '../dist/report/bench-report.js';
import { lab } from './helpers/command.ts';

const empty = parseSection('empty');
// Long enough for a thread to be preempted inside: overlaps happen on a single core too.
const long = parseSection('20us');
const options: RunOptions = { seconds: 0.1, rounds: 1, warmUpMs: 20, graceMs: 10_000, verify: true, seed: 1 };
const silent = { moment() {}, workloadDone() {} };

async function runOne(lock: string, workload: Workload, some: Partial<RunOptions> = {}) {
  const [competitor] = openCompetitors([lock], []);
  await competitor!.prepare();
  const results = await runBench([competitor!], [workload], { ...options, ...some }, silent, new AbortController().signal);
  return results[0]!.locks[0]!;
}

const rust = spawnSync('rustc', ['--version']).status === 0;
const compiler = spawnSync(process.env['CC'] || 'cc', ['--version']).status === 0;

for (const lock of ['rwsem', 'futex-mutex', 'pthread', 'pthread-prefer-writer']) {
  test(`${lock} excludes, and every thread is counted`, { skip: lock.startsWith('pthread') && !compiler }, async () => {
    const { summary, rounds } = await runOne(lock, uniformWorkload(2, 50, empty, empty));
    assert.equal(summary.detail, null);
    assert.equal(summary.verdict, 'held');
    assert.equal(rounds[0]!.agents.length, 2);
    assert.ok(summary.totalKops!.median > 0);
    assert.ok(summary.readLatency!.samples > 0);
    assert.ok(summary.writeLatency!.samples > 0);
    assert.ok((summary.events !== null) === (lock === 'rwsem'));
  });
}

for (const lock of ['rwsem', 'futex-mutex', 'pthread']) {
  test(`${lock}: each of several locks excludes, and all writes are accounted for`, { skip: lock === 'pthread' && !compiler }, async () => {
    const { summary, rounds } = await runOne(lock, uniformWorkload(3, 50, empty, empty, { locks: 5 }));
    assert.equal(summary.detail, null);
    assert.equal(summary.verdict, 'held');
    assert.ok(rounds[0]!.agents.every(({ reads, writes }) => reads > 0 && writes > 0));
  });
}

for (const lock of ['broken-nothing', 'broken-pthread']) {
  test(`${lock} is found out among several locks`, { skip: lock === 'broken-pthread' && !compiler }, async () => {
    const { summary } = await runOne(lock, uniformWorkload(3, 0, long, empty, { locks: 3 }));
    assert.equal(summary.verdict, 'VIOLATED');
  });
}

for (const lock of ['rwsem-async', 'loop:rwsem']) {
  test(`${lock} excludes while it is awaited, one lock and several`, async () => {
    for (const locks of [1, 3]) {
      const { summary, rounds } = await runOne(lock, uniformWorkload(3, 50, empty, empty, { locks }));
      assert.equal(summary.detail, null);
      assert.equal(summary.verdict, 'held');
      assert.equal(rounds[0]!.agents.length, 3);
      assert.ok(rounds[0]!.agents.every(({ reads, writes }) => reads > 0 && writes > 0));
    }
  });
}

test('tasks of one event loop that are inside together are found out, readers beside a writer too', async () => {
  for (const workload of [uniformWorkload(2, 0, empty, empty), dedicatedWorkload(1, 1, empty, empty), uniformWorkload(3, 50, parseSection('1ms-sleep'), empty)]) {
    const { summary } = await runOne('loop:broken', workload);
    assert.equal(summary.verdict, 'VIOLATED');
  }
});

for (const peer of Object.keys(NPM_PEERS)) {
  test(`${peer} runs under the same workload if it is installed, and is absent with a reason if not`, async () => {
    const [competitor] = openCompetitors([`loop:${peer}`], []);
    const reason = await competitor!.prepare().then(
      () => null,
      (error: Error) => error.message,
    );
    if (reason !== null) return assert.match(reason, /^not installed|^needs Promise\.withResolvers/);
    const { summary } = await runOne(`loop:${peer}`, uniformWorkload(3, 50, empty, empty));
    assert.equal(summary.verdict, 'held');
    assert.ok(summary.totalKops!.median > 0);
  });
}

test('a constant of the core is given another value, in a copy that runs like the original', async () => {
  const variants = parseConstant('SPIN_LIMIT_US=7,9');
  const competitors = openCompetitors(['rwsem'], variants);
  assert.deepEqual(competitors.map(({ name }) => name), ['rwsem{SPIN_LIMIT_US=7}', 'rwsem{SPIN_LIMIT_US=9}']);
  const results = await runBench(competitors, [uniformWorkload(2, 50, empty, empty)], options, silent, new AbortController().signal);
  for (const { summary } of results[0]!.locks) {
    assert.equal(summary.verdict, 'held');
    assert.ok(summary.totalKops!.median > 0);
  }
  const source = (url: string | URL) => readFileSync(new URL('core/spin.js', url), 'utf8');
  const shipped = source(import.meta.resolve('rwsem'));
  const changed = source(new URL('rwsem/', retuned('rwsem.js', variants[0]!)));
  assert.equal(changed, shipped.replace(/(?<=SPIN_LIMIT_US = )\d+/, '7'));
  assert.notEqual(changed, shipped);
});

test('locks for one event loop and locks for threads are not compared', () => {
  assert.throws(() => openCompetitors(['rwsem', 'loop:rwsem'], []), /cannot be compared/);
  assert.throws(() => openCompetitors(['loop:rwlock', 'pthread'], []), /cannot be compared/);
});

test('readers and writers have sections and pauses of their own', async () => {
  const pace = (section: string, think: string) => ({ section: parseSection(section), think: parseSection(think) });
  const workload = dedicatedWorkload(1, 1, empty, empty, { reading: pace('empty', '1ms-sleep'), writing: pace('2ms-sleep', 'empty') });
  for (const lock of ['rwsem', ...(compiler ? ['pthread'] : [])]) {
    const { rounds } = await runOne(lock, workload, { seconds: 0.3 });
    const [reader, writer] = rounds[0]!.agents;
    assert.ok(writer!.writes <= 160, `${lock}: ${writer!.writes} sections of 2 ms`);
    assert.ok(reader!.reads <= 310, `${lock}: ${reader!.reads} pauses of 1 ms`);
    assert.ok(writer!.writes > 0 && reader!.reads > 0);
  }
});

for (const lock of ['broken-nothing', 'broken-pthread']) {
  test(`${lock} is found out`, { skip: lock === 'broken-pthread' && !compiler }, async () => {
    const { summary } = await runOne(lock, uniformWorkload(3, 0, long, empty));
    assert.equal(summary.verdict, 'VIOLATED');
    assert.match(summary.detail!, /overlaps/);
  });
}

test('rust-std excludes on one lock and on several, and the program without it is found out', { skip: !rust }, async () => {
  for (const locks of [1, 3]) {
    const { summary, rounds } = await runOne('rust-std', uniformWorkload(3, 50, empty, empty, { locks }));
    assert.equal(summary.detail, null);
    assert.ok(rounds[0]!.agents.every(({ reads, writes }) => reads > 0 && writes > 0));
    assert.ok(summary.readLatency!.samples > 0 && summary.writeLatency!.samples > 0);
  }
  assert.equal((await runOne('broken-rust', uniformWorkload(3, 50, long, empty))).summary.verdict, 'VIOLATED');
});

test('parking-lot excludes, or is absent with a reason', async () => {
  const [competitor] = openCompetitors(['parking-lot'], []);
  const reason = await competitor!.prepare().then(
    () => null,
    (error: Error) => error.message,
  );
  if (reason !== null) return assert.match(reason, /librust-parking-lot-dev|no cargo|does not compile here/);
  assert.equal((await runOne('parking-lot', uniformWorkload(3, 50, empty, empty))).summary.verdict, 'held');
});

test('readers beside a writer are found out', async () => {
  const { summary } = await runOne('broken-readers', dedicatedWorkload(2, 1, long, empty));
  assert.equal(summary.verdict, 'VIOLATED');
});

test('a lock whose sleepers are never woken does not hang the bench', async () => {
  const { summary, rounds } = await runOne('broken-wakeup', uniformWorkload(3, 0, long, empty), { rounds: 3, graceMs: 500 });
  assert.equal(summary.verdict, 'HUNG');
  assert.equal(summary.totalKops, null);
  assert.equal(rounds.length, 1, 'it is not tried again');
});

test('without verification nothing is claimed', async () => {
  const { summary } = await runOne('broken-nothing', uniformWorkload(2, 0, long, empty), { verify: false });
  assert.equal(summary.verdict, 'unchecked');
});

test('an interrupt ends the run with what there is', async () => {
  const stop = new AbortController();
  const [competitor] = openCompetitors(['futex-mutex'], []);
  const workloads = [uniformWorkload(1, 0, empty, empty), uniformWorkload(2, 0, empty, empty)];
  const observer = { ...silent, moment: () => stop.abort() };
  const results = await runBench([competitor!], workloads, { ...options, rounds: 5 }, observer, stop.signal);
  assert.equal(results.length, 1);
  assert.equal(results[0]!.locks[0]!.rounds.length, 1);
});

test('the command reports a broken lock with exit code 1, in the table, the JSON and the page', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rwsem-lab-test-'));
  try {
    const parameters = ['--locks', 'rwsem,broken-nothing', '--threads', '2,3', '--read', '50', '--cs', '20us', '--rounds', '2', '--seconds', '0.1', '--json', 'all.json', '--policy', 'spin=off'];
    const { status, stdout } = lab(['bench', ...parameters], { cwd: directory });
    assert.equal(status, 1);
    assert.match(stdout, /broken-nothing.* VIOLATED/);
    assert.match(stdout, /rwsem\{spin=off\}.* held/);

    const report = JSON.parse(readFileSync(join(directory, 'all.json'), 'utf8')) as BenchReport;
    assert.equal(report.schema, 2);
    assert.equal(report.results.length, 2);
    assert.equal(report.settings['rwsem{spin=off}']!['spin'], 'off');
    assert.equal(report.settings['rwsem{spin=off}']!['handoffAfterMs'], 4);
    assert.match(report.provenance.core.sha256, /^[0-9a-f]{64}$/);
    assert.ok(Object.keys(report.provenance.core.files).includes('layout.js'));
    assert.match(report.provenance.commandLine, /--threads 2,3/);
    assert.match(report.provenance.runtime, /\d/);

    const page = readFileSync(join(directory, 'bench-report.html'), 'utf8');
    assert.ok(page.includes('VIOLATED') && page.includes(report.provenance.core.sha256));
    assert.ok(page.includes('<svg'));
    assert.doesNotMatch(page, /<script|<link|(src|href)="https?:/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
