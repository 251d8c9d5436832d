import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import * as library from 'rwsem';
// White box: what an idle lock looks like.
import * as layout from '../dist/core/layout.js';
import { ACTIVITY_WORDS } from '../../lab/dist/torture/activity.js';
import { Actor } from '../../lab/dist/torture/actor.js';
import type { Tally } from '../../lab/dist/torture/kit.js';
import { Cell, CELL_WORDS } from '../../lab/dist/torture/cell.js';
import { Random } from '../../lab/dist/random.js';
import { watchEventLoop } from '../../lab/dist/torture/watchdog.js';
import type { BystanderData, BystanderMessage } from './workers/stress-bystander.ts';
import { VICTIM_WAYS, type VictimData, type VictimMessage, type VictimWay } from './workers/stress-victim.ts';

const ROUNDS = Number(process.env['RWSEM_TERMINATE_ROUNDS'] ?? 44);
const SEED = Number(process.env['RWSEM_STRESS_SEED'] ?? Date.now() % 1_000_000_000);
const LIBRARY = import.meta.resolve('rwsem');
/** For anything that should take milliseconds, on a busy machine. */
const PATIENCE_MS = 20_000;
/** The locks that go on, from 0; each round has a victim lock of its own after them. */
const LIVING = 3;
const BYSTANDERS = 2;
const MAIN = BYSTANDERS;
/** What a bystander must get done after each termination. */
const SIGN_OF_LIFE = 10;

function sharedWords(words: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(words * 4));
}

async function until(what: string, condition: () => boolean, describe: () => string): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > PATIENCE_MS) assert.fail(`not within ${PATIENCE_MS} ms: ${what}\n${describe()}`);
    await later(1); // leaves the processor to those it waits for
  }
}

test('terminating threads that use one lock leaves the other locks of the space working', { timeout: 300_000 }, async (t) => {
  t.diagnostic(`RWSEM_STRESS_SEED=${SEED} RWSEM_TERMINATE_ROUNDS=${ROUNDS}`);
  const random = new Random(SEED);
  const space = library.LockSpace.create({ locks: LIVING + ROUNDS, agents: BYSTANDERS + 2 + 2 * ROUNDS });
  const { handle } = space;
  const locks = Array.from({ length: LIVING }, (_, i) => space.rwsem(i));
  const cells = sharedWords(LIVING * CELL_WORDS);
  const activity = sharedWords((BYSTANDERS + 2) * ACTIVITY_WORDS);
  const control = sharedWords(1);
  const main = new Actor(library, locks, cells, activity, MAIN, random.next(), false);
  const tallies: Tally[] = [main.tally];
  const failures: string[] = [];
  const workers = new Set<Worker>();

  const start = (file: string, data: BystanderData | VictimData): Worker => {
    const worker = new Worker(new URL(`./workers/${file}`, import.meta.url), { workerData: data });
    workers.add(worker);
    worker.on('message', (message: BystanderMessage | VictimMessage) => {
      if ('failure' in message) failures.push(message.failure);
    });
    worker.on('error', (error) => failures.push(String(error.stack ?? error)));
    return worker;
  };
  const startBystander = (index: number): { worker: Worker; done: Promise<void> } => {
    const worker = start('stress-bystander.js', { library: LIBRARY, handle, locks: LIVING, cells, activity, index, seed: random.next(), control });
    const done = new Promise<void>((resolve) => {
      worker.on('message', (message: BystanderMessage) => {
        if ('done' in message) tallies.push(message.done);
      });
      worker.on('exit', () => resolve());
    });
    return { worker, done };
  };
  const describe = (): string =>
    [...locks.map((lock, i) => `lock ${i}: ${JSON.stringify(lock.inspect())}`), ...failures].join('\n');
  const doneBy = (index: number): number => Atomics.load(activity, index * ACTIVITY_WORDS);
  const signOfLife = async (index: number, when: string): Promise<void> => {
    const before = doneBy(index);
    await until(`bystander ${index} went on ${when}`, () => failures.length > 0 || doneBy(index) - before >= SIGN_OF_LIFE, describe);
    assert.deepEqual(failures, [], when);
  };

  const endWatch = watchEventLoop(LIBRARY, handle, LIVING + ROUNDS, PATIENCE_MS);
  try {
    const bystanders = Array.from({ length: BYSTANDERS }, (_, i) => startBystander(i));
    for (let i = 0; i < BYSTANDERS; i++) await signOfLife(i, 'at the start');

    for (let round = 0; round < ROUNDS; round++) {
      const way = VICTIM_WAYS[round % VICTIM_WAYS.length] as VictimWay;
      const lock = space.rwsem(LIVING + round);
      const mustWait = way.startsWith('waits') || way.startsWith('awaits');
      const guard = mustWait ? lock.tryWrite() : null;
      const victimActivity = sharedWords(2 * ACTIVITY_WORDS);
      const victimCells = sharedWords(CELL_WORDS);
      const victims = [0, 1].slice(0, way.startsWith('hammers') ? 2 : 1).map((index) => {
        return start('stress-victim.js', {
          library: LIBRARY,
          handle,
          lock: LIVING + round,
          way,
          cells: victimCells,
          activity: victimActivity,
          index,
          seed: random.next(),
        });
      });
      const describeVictim = (): string => `${way}: ${JSON.stringify(lock.inspect())}\n${describe()}`;
      let attached = 0;
      for (const victim of victims) victim.on('message', (message: VictimMessage) => ('attached' in message ? attached++ : 0));
      await until('the victims attached', () => failures.length > 0 || attached === victims.length, describeVictim);

      if (mustWait) await until('the victim waits', () => lock.inspect().waiters.length === 1, describeVictim);
      else if (way.startsWith('holds')) await until('the victim holds', () => lock.inspect().mode !== 'free', describeVictim);
      else {
        const operations = 1 + random.below(500);
        await until('the victims work', () => failures.length > 0 || (victimActivity[0] as number) >= operations, describeVictim);
      }
      const moment = performance.now() + random.below(1000) / 1000;
      while (performance.now() < moment);

      for (const victim of victims) {
        await victim.terminate();
        workers.delete(victim);
        const before = performance.now();
        const state = lock.inspect();
        assert.ok(performance.now() - before < 1000, `inspect() took ${performance.now() - before} ms after a victim that ${way}`);
        if (way === 'holds write') assert.equal(state.mode, 'write', 'a lock is not taken away from a dead thread by itself');
        const when = `after a victim that ${way}, in round ${round}`;
        await Promise.all([signOfLife(0, when), signOfLife(1, when), main.workAsync({ operations: 4, locks: LIVING, writes: 0.4 }, 2)]);
      }
      // A dead thread that was asleep in the queue is in nobody's way but of those behind it: to
      // release, to try and to look go on. (One that died with the wait lock is; hence not the others.)
      if (guard && way !== 'waits with a time limit') {
        guard.release();
        lock.tryRead()?.release();
        assert.deepEqual(lock.inspect().waiters.filter((waiter) => waiter.agent === space.agent), []);
      }
    }

    const late = startBystander(BYSTANDERS + 1);
    await signOfLife(BYSTANDERS + 1, 'attached after all that');
    Atomics.store(control, 0, 1);
    await Promise.all([...bystanders, late].map(({ done }) => done));
    assert.deepEqual(failures, []);

    const at = new Int32Array(handle.buffer, handle.byteOffset)[layout.LOCKS_AT] as number;
    const mem = new Int32Array(handle.buffer, handle.byteOffset);
    for (let i = 0; i < LIVING; i++) {
      const writes = tallies.reduce((sum, tally) => sum + (tally.writes[i] as number), 0);
      new Cell(cells, i, 0).expectWrites(writes);
      assert.deepEqual(locks[i]?.inspect(), { mode: 'free', readers: 0, owner: null, handoff: false, waiters: [] });
      for (const word of [layout.COUNT, layout.HEAD, layout.TAIL, layout.WAIT_LOCK, layout.SPIN_TAIL]) {
        assert.equal(mem[at + i * layout.LOCK_WORDS + word], 0, `word ${word} of lock ${i} is 0`);
      }
    }
  } finally {
    await Promise.all([...workers].map((worker) => worker.terminate()));
    await endWatch();
  }
});
