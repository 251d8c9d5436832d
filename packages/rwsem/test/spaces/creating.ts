/** Making spaces: what they take, their policy, and what is refused. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LockSpace, type LockSpaceOptions, type Policy, RwSem } from 'rwsem';
import { assertFree, copies, seats, turns } from '../helpers/agents.ts';
import { POLICIES } from '../helpers/policies.ts';

const LIMIT = { timeout: 20_000 };
const DEFAULT_POLICY: Policy = { handoffAfterMs: 4, writerWake: 'steal', spin: 'known-owner', readerSteal: true };

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
    for (const policy of Object.values(POLICIES)) {
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

function badArgument(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError;
}
