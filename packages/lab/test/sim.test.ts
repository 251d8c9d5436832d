import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSection } from '../dist/bench/section.js';
import { Caches } from '../dist/sim/machine/caches.js';
import { EventQueue } from '../dist/sim/machine/event-queue.js';
import { scaled } from '../dist/sim/machine/model.js';
import { customModel, javaScriptWorld, MODELS } from '../dist/sim/machine/models.js';
import { KERNEL_CADENCE, lowerLock, simulate, type Scenario } from '../dist/sim/simulate.js';
import { Random } from '../dist/random.js';

const empty = parseSection('empty');
const scenario = (changes: Partial<Scenario>): Scenario => ({
  model: customModel(8, 2, 1),
  readPercents: Array.from({ length: 8 }, () => 50),
  hold: parseSection('200spins'),
  think: empty,
  policy: {},
  ms: 1,
  warmUpMs: 0.1,
  seed: 1,
  ...changes,
});
const total = ({ reads, writes }: { reads: number[]; writes: number[] }) => [...reads, ...writes].reduce((a, b) => a + b, 0);

test('the same seed gives the same run, another seed another one', () => {
  const [first, again, other] = [1, 1, 2].map((seed) => simulate(scenario({ seed })));
  assert.equal(first!.traceHash, again!.traceHash);
  assert.deepEqual(first!.spent, again!.spent);
  assert.notEqual(first!.traceHash, other!.traceHash);
});

test('the shipped lock excludes under every policy and in both worlds, and all threads work', () => {
  for (const policy of [{}, { writerWake: 'grant' }, { spin: 'off' }, { spin: 'any-owner' }, { handoffAfterMs: 0 }, { readerSteal: false }] as const) {
    for (const model of [customModel(4, 2, 1), javaScriptWorld(customModel(4, 2, 1))]) {
      const outcome = simulate(scenario({ model, policy, ms: 30 }));
      assert.equal(outcome.violations, 0, JSON.stringify(policy));
      assert.ok(outcome.reads.every((reads, thread) => reads + outcome.writes[thread]! > 0), `${model.name} ${JSON.stringify(policy)}`);
    }
  }
});

test('a lock that looks and takes in two steps is found out', () => {
  assert.ok(simulate(scenario({ lock: { program: 'broken-loop' }, readPercents: [0, 0, 0, 0], think: parseSection('500spins') })).violations > 0);
});

test('no time is lost or counted twice', () => {
  for (const hold of ['empty', '2us', '5us-sleep']) {
    const { spent, simulatedNs } = simulate(scenario({ model: javaScriptWorld(customModel(2, 1, 1)), hold: parseSection(hold), ms: 30 }));
    for (const times of spent) assert.ok(Math.abs(times.reduce((a, b) => a + b, 0) - simulatedNs) < 1, `${hold}: ${times}`);
    const onProcessor = spent.reduce((sum, [running, spinning, switching]) => sum + running! + spinning! + switching!, 0);
    assert.ok(onProcessor <= 2 * simulatedNs + 1, `${hold}: more than two processors' time`);
  }
});

test('one thread alone costs what its operations cost', () => {
  const model = scaled(MODELS['x86-8-socket']!, 'latencyNoise', 0);
  const { figures } = model;
  const { writes, accesses } = simulate(scenario({ model, readPercents: [0], hold: empty }));
  // A compare-exchange and a subtraction, a load of the owner word that is right already, and the loop.
  const pairNs = 2 * figures.atomicNs.value + figures.loadNs.value + figures.loopNs.value;
  assert.ok(Math.abs(writes[0]! * pairNs - 1e6) < 2 * pairNs, `${writes[0]} pairs of ${pairNs} ns in 1 ms`);
  assert.ok(accesses >= 3 * writes[0]!);
});

test('a line is used by its owner until the message of the next core arrives, and read until another writes', () => {
  const model = scaled(MODELS['x86-8-socket']!, 'hopNoise', 0);
  const { hopSameNs, snoopNs, atomicNs } = model.figures;
  const [hop, missNs] = [hopSameNs.value, 3 * hopSameNs.value + snoopNs.value];
  for (const wantsAll of [false, true]) {
    const clock = new Float64Array(1);
    const queue = new EventQueue(2);
    const caches = new Caches(model, 16, 2, queue, clock, new Random(1));
    const finish = (thread: number) => {
      clock[0] = queue.timeOf(thread);
      queue.remove(thread);
      caches.arrive(thread);
    };
    caches.fetch(0, 0, 0, true, atomicNs.value);
    finish(0);
    const asked = clock[0]!;
    caches.fetch(1, 1, 0, wantsAll, 0);
    const hitsAt = (ns: number, forWriting: boolean) => {
      clock[0] = asked + ns;
      return caches.hits(0, 0, forWriting);
    };
    assert.ok(hitsAt(2 * hop - 0.1, true) && !hitsAt(2 * hop + 0.1, true));
    assert.equal(hitsAt(2 * hop + 0.1, false), !wantsAll);
    // The owner holds the line for 19 ns at the most, less than the message takes: no reason to wait longer.
    assert.ok(Math.abs(queue.timeOf(1) - asked - missNs) < 1e-6);
    finish(1);
    assert.equal(caches.hits(0, 0, false), !wantsAll);
    assert.equal(caches.hits(1, 0, true), wantsAll);
  }
});

test('leaving out turns of spin loops changes speed, not what is measured', () => {
  const seeds = [1, 2, 3, 4, 5];
  const loads: Array<[ms: number, changes: Partial<Scenario>]> = [
    [3, { hold: parseSection('2us'), readPercents: [0, 0, 0, 0, 0, 0] }],
    // More threads than processors, and spinners that look at every turn.
    [20, { hold: parseSection('5us'), readPercents: Array.from({ length: 24 }, () => 0), policy: { handoffAfterMs: 4 }, lock: KERNEL_CADENCE }],
    [10, { hold: parseSection('5us'), lock: KERNEL_CADENCE }],
  ];
  for (const [ms, changes] of loads) {
    const run = (turnByTurn: boolean) => seeds.map((seed) => simulate(scenario({ ...changes, turnByTurn, seed, ms })));
    const [skipping, plain] = [run(false), run(true)];
    const mean = (outcomes: typeof skipping) => outcomes.reduce((sum, outcome) => sum + total(outcome), 0) / seeds.length;
    assert.ok(Math.abs(mean(skipping) / mean(plain) - 1) < 0.05, `${mean(skipping)} and ${mean(plain)} operations in ${ms} ms`);
    const accesses = (outcomes: typeof skipping) => outcomes.reduce((sum, outcome) => sum + outcome.accesses, 0);
    assert.ok(accesses(skipping) < 0.8 * accesses(plain), `${accesses(skipping)} and ${accesses(plain)} accesses in ${ms} ms`);
  }
});

test('a spinner whose turns are left out notices as soon as one that makes them, with and without second hardware threads', () => {
  const seeds = [1, 2, 3, 4, 5];
  const writers = { readPercents: [0, 0, 0, 0], hold: empty, lock: KERNEL_CADENCE, ms: 2 };
  for (const model of [customModel(4, 1, 1), javaScriptWorld(customModel(2, 1, 2))]) {
    const rate = (turnByTurn: boolean) => seeds.reduce((sum, seed) => sum + total(simulate(scenario({ ...writers, model, turnByTurn, seed }))), 0);
    const [skipping, plain] = [rate(false), rate(true)];
    assert.ok(Math.abs(skipping / plain - 1) < 0.02, `${model.name}: ${skipping} and ${plain} operations`);
  }
});

test('a constant that the core does not have cannot be overridden', () => {
  assert.throws(() => lowerLock({ program: 'rwsem-loop', overrides: { 'spin.NO_SUCH_CONSTANT': 1 } }), /no constant spin.NO_SUCH_CONSTANT/);
});
