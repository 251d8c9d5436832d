/** The conformance suite over memories and policies, and what is particular to spaces, policies and errors. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as rwsem from 'rwsem';
import { LockSpace, type LockSpaceOptions, type Policy, RwSem, RwSemError } from 'rwsem';
import { conformance } from './conformance.ts';
import type { EndData } from './workers/conformance-end.ts';
import { skipWithoutProcesses } from './helpers/child.ts';
import { assertFree, code, copies, DEADLOCK, endsByItself, type MakeLock, seats, state, TIMED_OUT, turns, unchanged, until, watch } from './helpers/conformance-agents.ts';

const LIMIT = { timeout: 20_000 };
const DEFAULT_POLICY: Policy = { handoffAfterMs: 4, writerWake: 'steal', spin: 'known-owner', readerSteal: true };

const policies: Array<Partial<Policy>> = [
  { handoffAfterMs: 0 },
  { handoffAfterMs: Infinity },
  { writerWake: 'grant' },
  { spin: 'off' },
  { spin: 'any-owner' },
  { readerSteal: false },
];

/** Spaces as small as the tests allow: there are thousands of them. */
const SMALL = { agents: 4, waiters: 256 };

/** Places in one memory, again and again: engines reserve gigabytes of addresses for each memory. */
function inWasmMemory(): MakeLock {
  const memory = new WebAssembly.Memory({ initial: 160, maximum: 170, shared: true });
  let end = 64 * 1001;
  return (capacities) => {
    const options = { ...capacities, locks: 2 };
    const byteLength = Math.ceil(LockSpace.byteLength(options) / 64) * 64;
    const byteOffset = end + byteLength > memory.buffer.byteLength ? 64 * 1001 : end;
    end = byteOffset + byteLength;
    return LockSpace.format(memory.buffer, byteOffset, options).rwsem(1);
  };
}

conformance('a lock of its own', (capacities) => RwSem.create(capacities));
conformance('the fourth of five locks', (capacities) => LockSpace.create({ ...SMALL, ...capacities, locks: 5 }).rwsem(3));
conformance('in the memory of a WebAssembly module', inWasmMemory());
for (const policy of policies) {
  const what = Object.entries(policy).map(([key, value]) => `${key}: ${value}`);
  conformance(`policy ${what}`, (capacities) => RwSem.create({ ...SMALL, ...capacities, policy }));
}

describe('creating', LIMIT, () => {
  const creators: Record<string, (options: LockSpaceOptions) => unknown> = {
    'LockSpace.create': (options) => LockSpace.create(options),
    'LockSpace.byteLength': (options) => LockSpace.byteLength(options),
    'RwSem.create': (options) => RwSem.create(options),
  };

  for (const [name, create] of Object.entries(creators)) {
    test(`${name}: capacities out of range are RangeErrors`, () => {
      for (const option of ['locks', 'agents', 'waiters']) {
        if (option === 'locks' && name === 'RwSem.create') continue;
        for (const value of [0, -1, 1.5, NaN, Infinity, 2 ** 31, 2 ** 32 + 1, 2 ** 53]) {
          assert.throws(() => create({ [option]: value }), RangeError, `${option} ${value}`);
        }
        for (const value of ['5', null, true, {}, 5n]) {
          assert.throws(() => create({ [option]: value }), badArgument, `${option} ${String(value)}`);
        }
      }
      assert.throws(() => create({ agents: 4096 }), RangeError);
      assert.throws(() => create({ waiters: 65_537 }), RangeError);
    });

    // How much memory a space takes does not depend on its policy.
    if (name === 'LockSpace.byteLength') continue;

    test(`${name}: policies out of range are RangeErrors`, () => {
      const bad: Record<string, unknown[]> = {
        handoffAfterMs: [-1, NaN, -Infinity, -0.5],
        writerWake: ['', 'Steal', 'hand over'],
        spin: ['', 'on', 'always'],
      };
      for (const [key, values] of Object.entries(bad)) {
        for (const value of values) assert.throws(() => create({ policy: { [key]: value } }), RangeError, `${key} ${String(value)}`);
      }
      const wrong: Record<string, unknown[]> = { ...bad, handoffAfterMs: ['4', null, {}], writerWake: [1, null], spin: [true, null], readerSteal: [1, 'true', null] };
      for (const [key, values] of Object.entries(wrong)) {
        for (const value of values) assert.throws(() => create({ policy: { [key]: value } }), badArgument, `${key} ${String(value)}`);
      }
    });

    test(`${name}: options that are none`, () => {
      for (const options of [5, 'many', true]) assert.throws(() => create(options as never), badArgument);
      for (const policy of [5, 'fair', true]) assert.throws(() => create({ policy: policy as never }), badArgument);
    });
  }

  test('a space has a lock by default, and takes the bytes it says', () => {
    for (const options of [undefined, {}, { locks: 3 }, { agents: 1, waiters: 1 }, { locks: 1000, agents: 7, waiters: 9 }]) {
      const space = LockSpace.create(options);
      assert.equal(space.handle.buffer.byteLength - space.handle.byteOffset, LockSpace.byteLength(options));
      assertFree(space.rwsem(0));
    }
    assert.throws(() => LockSpace.create().rwsem(1), RangeError);
    assert.equal(LockSpace.byteLength(), LockSpace.byteLength({ locks: 1, agents: 64, waiters: 1024 }));
    const perLock = (LockSpace.byteLength({ locks: 100_001 }) - LockSpace.byteLength({ locks: 1 })) / 100_000;
    assert(perLock <= 64, `${perLock} bytes per lock`);
  });

  test('the policy is the default, but for what is given', () => {
    assert.deepEqual({ ...LockSpace.create().policy }, DEFAULT_POLICY);
    assert.deepEqual({ ...LockSpace.create({ policy: {} }).policy }, DEFAULT_POLICY);
    for (const policy of policies) {
      const { space } = RwSem.create({ policy });
      assert.deepEqual({ ...space.policy }, { ...DEFAULT_POLICY, ...policy });
      assert.deepEqual({ ...copies[0].LockSpace.attach(space.handle).policy }, { ...space.policy });
    }
  });

  test('format writes only within its bytes, and so does everything after it', async () => {
    const options = { locks: 3, agents: 3, waiters: 2 };
    const byteOffset = 64 * 7;
    const byteLength = LockSpace.byteLength(options);
    const buffer = new SharedArrayBuffer(byteOffset + byteLength + 500);
    const bytes = new Uint8Array(buffer).fill(0xab);
    const { lock, other } = seats(LockSpace.format(buffer, byteOffset, options).rwsem(2));
    assert.equal(lock.handle.byteOffset, byteOffset);
    assert.equal(lock.handle.buffer, buffer);
    const held = lock.write();
    const queued = [other.writeAsync(), lock.readAsync(), other.readAsync(), lock.writeAsync()];
    assert.throws(() => other.downRead.call(null as never));
    held.release();
    for (const acquisition of queued) void acquisition.then((guard) => guard.release());
    await Promise.all(queued);
    await turns();
    assertFree(lock, other);
    const outside = [...bytes.subarray(0, byteOffset), ...bytes.subarray(byteOffset + byteLength)];
    assert(outside.every((byte) => byte === 0xab));
  });

  test('format refuses what it cannot format, and writes nothing then', () => {
    const byteLength = LockSpace.byteLength();
    const buffer = new SharedArrayBuffer(byteLength + 640);
    const bytes = new Uint8Array(buffer).fill(0xab);
    for (const byteOffset of [1, 4, 32, 63, 100, -64, 0.5, NaN, Infinity, 704, byteLength + 640, 2 ** 32, 2 ** 53]) {
      assert.throws(() => LockSpace.format(buffer, byteOffset), RangeError, `byteOffset ${byteOffset}`);
    }
    for (const byteOffset of ['0', null, undefined, {}]) assert.throws(() => LockSpace.format(buffer, byteOffset as never), badArgument);
    assert.throws(() => LockSpace.format(buffer, 0, { locks: 1e6 }), RangeError);
    assert.throws(() => LockSpace.format(buffer, 0, { locks: 0 }), RangeError);
    assert.throws(() => LockSpace.format(buffer, 0, { policy: { handoffAfterMs: -1 } }), RangeError);
    for (const memory of [null, {}, new ArrayBuffer(byteLength), bytes]) assert.throws(() => LockSpace.format(memory as never, 0), badArgument);
    assert(bytes.every((byte) => byte === 0xab));
  });

  test('two spaces side by side in one memory do not touch each other', () => {
    const options = { locks: 2, agents: 2, waiters: 1 };
    const byteLength = Math.ceil(LockSpace.byteLength(options) / 64) * 64;
    const buffer = new SharedArrayBuffer(2 * byteLength);
    const [left, right] = [LockSpace.format(buffer, 0, options), LockSpace.format(buffer, byteLength, options)];
    assert.notEqual(left, right);
    assert.equal(LockSpace.attach(structuredClone(right.handle)), right);
    const held = left.rwsem(1).write();
    assertFree(left.rwsem(0), right.rwsem(0), right.rwsem(1));
    right.detach();
    held.release();
    assertFree(left.rwsem(1));
  });
});

describe('many locks', LIMIT, () => {
  test('locks of one space do not touch each other', async () => {
    const space = LockSpace.create({ locks: 20, agents: 2 });
    const locks = Array.from({ length: 20 }, (_, i) => space.rwsem(i));
    const other = copies[0].LockSpace.attach(space.handle);
    const guards = locks.map((lock, i) => (i % 2 ? lock.write() : lock.read()));
    const queued = locks.map((_, i) => watch(other.rwsem(i).writeAsync()));
    await turns();
    for (const [i, guard] of guards.entries()) {
      assert.equal(queued[i]!.outcome(), 'pending');
      guard.release();
      (await queued[i]!.promise).release();
      assertFree(locks[i]!);
      if (i < 19) assert.equal(locks[i + 1]!.inspect().waiters.length, 1);
    }
  });

  test('holding one lock makes no deadlock of another', () => {
    const space = LockSpace.create({ locks: 2 });
    const held = space.rwsem(0).write();
    space.rwsem(1).write().release();
    space.rwsem(1).read().release();
    assert.throws(() => space.rwsem(0).read(), DEADLOCK);
    held.release();
  });

  test('acquisitions beyond the shared waiters are served on every lock, in order, without those aborted', async () => {
    const space = LockSpace.create({ locks: 2, agents: 2, waiters: 1 });
    const locks = [space.rwsem(0), space.rwsem(1)] as const;
    const other = copies[0].LockSpace.attach(space.handle);
    const held = [other.rwsem(0).write(), other.rwsem(1).write()] as const;
    const controller = new AbortController();
    const granted: number[] = [];
    const tasks = Array.from({ length: 20 }, (_, i) => {
      const isAborted = i % 5 === 0;
      const task = locks[i % 2 ? 1 : 0].writeAsync(isAborted ? { signal: controller.signal } : {}).then(async (guard) => {
        granted.push(i);
        await turns();
        guard.release();
      });
      return isAborted ? assert.rejects(task, { name: 'AbortError' }) : task;
    });
    assert(locks[0].inspect().waiters.length + locks[1].inspect().waiters.length <= 1);
    await turns();
    controller.abort();
    held[1].release();
    await turns();
    held[0].release();
    await Promise.all(tasks);
    const expected = Array.from({ length: 20 }, (_, i) => i).filter((i) => i % 5);
    for (const parity of [0, 1]) {
      assert.deepEqual(
        granted.filter((i) => i % 2 === parity),
        expected.filter((i) => i % 2 === parity),
      );
    }
    assertFree(...locks, other.rwsem(0), other.rwsem(1));
    for (const lock of locks) (await lock.writeAsync({ timeoutMs: 0 })).release();
    other.detach();
    space.detach();
  });

  test('a lock whose acquisitions queue inside their thread is not held up by another lock', async () => {
    const space = LockSpace.create({ locks: 2, agents: 2, waiters: 1 });
    const other = copies[0].LockSpace.attach(space.handle);
    const [stuck, free] = [other.rwsem(0).write(), other.rwsem(1).write()];
    const waits = watch(space.rwsem(0).writeAsync());
    const served = space.rwsem(1).writeAsync();
    free.release();
    (await served).release();
    assert.equal(waits.outcome(), 'pending');
    stuck.release();
    (await waits.promise).release();
    assertFree(space.rwsem(0), space.rwsem(1));
  });
});

test('acquisitions that queue inside their thread are served while another agent has all shared waiters', LIMIT, async () => {
  const space = LockSpace.create({ locks: 2, agents: 2, waiters: 1 });
  const other = copies[0].LockSpace.attach(space.handle);
  const [mine, theirs] = [space.rwsem(0).write(), other.rwsem(1).write()];
  const has = watch(other.rwsem(0).writeAsync());
  const inside = [space.rwsem(1).writeAsync(), space.rwsem(1).readAsync()];
  const late = space.rwsem(1).writeAsync({ timeoutMs: 5 });
  assert.equal(space.rwsem(1).inspect().waiters.length, 0, 'only what is queued in shared memory is listed');
  await assert.rejects(late, TIMED_OUT);
  assert.throws(() => space.detach(), code('STILL_IN_USE'));
  theirs.release();
  for (const acquisition of inside) (await acquisition).release();
  assert.equal(has.outcome(), 'pending');
  mine.release();
  (await has.promise).release();
  assertFree(space.rwsem(0), space.rwsem(1));
  for (const lock of [space.rwsem(0), space.rwsem(1)]) (await lock.readAsync({ timeoutMs: 0 })).release();
});

describe('policies decide', LIMIT, () => {
  /** A lock that was just released while a writer of another agent is queued, whose turn of the event loop is still to come. */
  function justReleased(policy: Partial<Policy>): { third: RwSem; lock: RwSem; other: RwSem; queued: ReturnType<RwSem['writeAsync']> } {
    const all = seats(RwSem.create({ policy: { handoffAfterMs: Infinity, ...policy } }));
    const held = all.lock.write();
    const queued = all.other.writeAsync();
    held.release();
    return { ...all, queued };
  }

  test('handoffAfterMs: 0 asks for handoff at the first failed attempt', async () => {
    const { lock, other } = seats(RwSem.create({ policy: { handoffAfterMs: 0 } }));
    const held = lock.write();
    const queued = other.writeAsync();
    assert.equal(lock.inspect().handoff, true);
    held.release();
    (await queued).release();
    assert(lock.space.events().wlockHandoff >= 1);
    assertFree(lock, other);
  });

  test('handoffAfterMs: Infinity never asks, but for an urgent writer', async () => {
    const { lock, other, third } = seats(RwSem.create({ policy: { handoffAfterMs: Infinity } }));
    const held = lock.write();
    const queued = [other.writeAsync(), third.readAsync()];
    await assert.rejects(lock.writeAsync({ timeoutMs: 20 }), TIMED_OUT);
    assert.equal(lock.inspect().handoff, false);
    assert.equal(lock.space.events().wlockHandoff, 0);
    held.release();
    for (const acquisition of queued) (await acquisition).release();
    assertFree(lock, other, third);
  });

  test("writerWake: 'grant' transfers the lock in the release", async () => {
    const { lock, other, third, queued } = justReleased({ writerWake: 'grant' });
    assert.equal(lock.inspect().mode, 'write');
    assert.deepEqual(lock.inspect().owner, { agent: other.space.agent, async: true });
    assert.equal(lock.space.events().wlockGrant, 1);
    assert.throws(() => third.read({ timeoutMs: 5 }), TIMED_OUT);
    (await queued).release();
    assertFree(lock, other, third);
  });

  test("writerWake: 'steal' leaves it to the writer to take the lock", async () => {
    const { lock, other, third, queued } = justReleased({});
    assert.equal(lock.inspect().mode, 'free');
    assert.equal(lock.inspect().waiters.length, 1);
    (await queued).release();
    assert.equal(lock.space.events().wlockGrant, 0);
    assertFree(lock, other, third);
  });

  test('readerSteal: true lets a blocking reader in before a writer that is waking up', async () => {
    const { lock, other, third, queued } = justReleased({});
    const guard = third.read({ timeoutMs: 30_000 });
    assert.equal(lock.inspect().mode, 'read');
    assert.equal(lock.space.events().rlockSteal, 1);
    const writer = watch(queued);
    await turns();
    assert.equal(writer.outcome(), 'pending');
    guard.release();
    (await queued).release();
    assertFree(lock, other, third);
  });

  test('readerSteal: false makes it wait', async () => {
    const { lock, other, third, queued } = justReleased({ readerSteal: false });
    assert.throws(() => third.read({ timeoutMs: 5 }), TIMED_OUT);
    assert.equal(lock.space.events().rlockSteal, 0);
    (await queued).release();
    assertFree(lock, other, third);
  });

  test('a handoff keeps stealing readers out', async () => {
    const { lock, other, third, queued } = justReleased({ handoffAfterMs: 0 });
    assert.throws(() => third.read({ timeoutMs: 5 }), TIMED_OUT);
    (await queued).release();
    assertFree(lock, other, third);
  });

  test("spin: 'off' never spins", () => {
    const { lock, other } = seats(RwSem.create({ policy: { spin: 'off' } }));
    for (const take of [() => lock.write(), () => lock.read()]) {
      const held = take();
      assert.throws(() => other.write({ timeoutMs: 5 }), TIMED_OUT);
      held.release();
    }
    const { optLock, optFail, optNospin } = lock.space.events();
    assert.deepEqual({ optLock, optFail, optNospin }, { optLock: 0, optFail: 0, optNospin: 0 });
  });
});

describe('threads that end', { ...LIMIT, ...skipWithoutProcesses }, () => {
  function end(lock: RwSem, how: EndData['how']): { messages: unknown[]; exited: Promise<number> } {
    const workerData: EndData = { handle: lock.handle, how };
    const worker = new Worker(new URL('./workers/conformance-end.js', import.meta.url), { workerData });
    const messages: unknown[] = [];
    worker.on('message', (message) => messages.push(message));
    return { messages, exited: once(worker, 'exit').then(([status]) => status as number) };
  }

  test('a thread that ends by itself gives its agent record back', async () => {
    const lock = RwSem.create({ agents: 2 });
    for (let i = 0; i < 4; i++) assert.equal(await end(lock, 'used').exited, 0);
    const other = copies[0].RwSem.attach(lock.handle);
    assertFree(lock, other);
  });

  test('an acquisition keeps its thread alive until it is settled, and not longer', async () => {
    const lock = RwSem.create({ agents: 2 });
    const held = lock.write();
    const { messages, exited } = end(lock, 'awaits');
    await until(() => lock.inspect().waiters.length === 1, 'the waiter of the worker');
    await turns();
    held.release();
    assert.equal(await exited, 0);
    assert.deepEqual(messages, ['granted']);
    copies[0].RwSem.attach(lock.handle).space.detach();
    assertFree(lock);
  });

  test('what a thread holds at its end stays held', async () => {
    const lock = RwSem.create({ agents: 2 });
    assert.equal(await end(lock, 'holds').exited, 0);
    assert.equal(lock.inspect().readers, 1);
    assert.equal(lock.tryWrite(), null);
    lock.read().release();
  });
});

describe('errors', LIMIT, () => {
  const classes = Object.entries(rwsem).filter(([name]) => name.endsWith('Error') && name !== 'RwSemError');

  test('everything the documents name is exported, and nothing without a name', () => {
    const names = classes.map(([name]) => name).sort();
    assert.deepEqual(names, [
      'CannotBlockError',
      'DeadlockError',
      'DetachedError',
      'InvalidHandleError',
      'NoSharedMemoryError',
      'NotOwnerError',
      'SpaceFullError',
      'StillInUseError',
      'TimeoutError',
      'TooManyReadersError',
    ]);
    assert.deepEqual(Object.keys(rwsem).filter((name) => !name.endsWith('Error')).sort(), ['LockSpace', 'RwSem']);
  });

  test('errors extend RwSemError, have a code and a name, and say what to do', async () => {
    const lock = RwSem.create({ agents: 1 });
    const full = copies[0].RwSem;
    const thrown: unknown[] = [];
    const collect = (call: () => unknown): void => {
      try {
        call();
        assert.fail('no error');
      } catch (error) {
        thrown.push(error);
      }
    };
    collect(() => lock.upRead());
    collect(() => RwSem.attach(null as never));
    const held = lock.write();
    collect(() => lock.write());
    collect(() => lock.space.detach());
    await lock.writeAsync({ timeoutMs: 0 }).catch((error) => thrown.push(error));
    held.release();
    assert.throws(() => full.attach(lock.handle), code('SPACE_FULL'));
    lock.space.detach();
    collect(() => lock.tryRead());
    for (const error of thrown) {
      assert(error instanceof RwSemError && error instanceof Error);
      assert.match(error.code, /^ERR_RWSEM_[A-Z_]+$/);
      assert(classes.some(([name, type]) => name === error.constructor.name && error instanceof (type as typeof RwSemError)));
      assert.equal(error.name, error.constructor.name);
      assert(error.message.length > 20, error.message);
      assert.match(String(error.stack), /conformance\.test|acquisition|rwsem/);
    }
    const codes = thrown.map((error) => (error as RwSemError).code);
    assert.equal(new Set(codes).size, thrown.length);
    assert.deepEqual(codes.sort(), ['DEADLOCK', 'DETACHED', 'INVALID_HANDLE', 'NOT_OWNER', 'STILL_IN_USE', 'TIMEOUT'].map((code) => `ERR_RWSEM_${code}`));
    assert.equal(thrown.find((error) => error instanceof rwsem.TimeoutError) instanceof rwsem.TimeoutError, true);
  });

  test('errors are made anew each time', () => {
    const lock = RwSem.create();
    const errors = [0, 1].map(() => {
      try {
        return lock.upRead();
      } catch (error) {
        return error;
      }
    });
    assert.notEqual(errors[0], errors[1]);
  });

  test('one reader too many is refused everywhere, and changes nothing', async () => {
    const { lock, other } = seats(RwSem.create({ agents: 3, waiters: 4 }));
    const TOO_MANY = code('TOO_MANY_READERS');
    const most = 8_388_607;
    const theirs = other.read();
    for (let i = 1; i < most; i++) lock.downRead();
    const before = state(lock);
    assert.equal(before.readers, most);
    for (const agent of [lock, other]) {
      for (const form of ['read', 'tryRead', 'downRead', 'tryDownRead'] as const) {
        for (let i = 0; i < 3; i++) unchanged(lock, () => assert.throws(() => agent[form](), TOO_MANY, form));
      }
      unchanged(lock, () => assert.throws(() => agent.read({ timeoutMs: 0 }), TOO_MANY));
      await assert.rejects(agent.readAsync(), TOO_MANY);
      await assert.rejects(agent.withRead(() => assert.fail('never')), TOO_MANY);
      assert.equal(agent.tryWrite(), null);
      assert.throws(() => agent.write(), DEADLOCK);
      await assert.rejects(agent.writeAsync({ timeoutMs: 5 }), TIMED_OUT);
      assert.deepEqual(state(lock), before);
    }
    // Room for one again: it may come in, and no more.
    theirs.release();
    const last = other.read();
    assert.throws(() => lock.read(), TOO_MANY);
    last.release();
    for (let i = 1; i < most; i++) lock.upRead();
    assert.throws(() => lock.upRead(), code('NOT_OWNER'));
    assertFree(lock, other);
  });
});

function badArgument(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError;
}

endsByItself();
