/** Handles and memory that are not what they should be: an error at once, and not a byte written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { InvalidHandleError, LockSpace, type LockSpaceHandle, RwSem, type RwSemHandle } from 'rwsem';
import { assertFree, code, copies, endsByItself } from './helpers/agents.ts';

const LIMIT = { timeout: 30_000 };
const HEADER_BYTES = 256;
const SMALL = { agents: 2, waiters: 2 };

function copyOf(buffer: ArrayBufferLike, byteLength = buffer.byteLength): SharedArrayBuffer {
  const copy = new SharedArrayBuffer(byteLength);
  new Uint8Array(copy).set(new Uint8Array(buffer).subarray(0, byteLength));
  return copy;
}

function bytes(buffer: SharedArrayBuffer): Buffer {
  return Buffer.from(new Uint8Array(buffer));
}

/** A space to which nobody is attached, to be damaged. */
function abandoned(): SharedArrayBuffer {
  const { handle, space } = RwSem.create(SMALL);
  space.detach();
  return handle.buffer;
}

/** Neither form of attaching accepts it, in any copy of the library, and its memory stays as it is. */
function refused(handle: unknown): void {
  const buffer = (handle as { buffer?: unknown } | null)?.buffer;
  const before = buffer instanceof SharedArrayBuffer ? bytes(buffer) : undefined;
  assert.throws(() => RwSem.attach(handle as RwSemHandle), InvalidHandleError);
  assert.throws(() => LockSpace.attach(handle as LockSpaceHandle), InvalidHandleError);
  assert.throws(() => copies[0].RwSem.attach(handle as RwSemHandle), code('INVALID_HANDLE'));
  if (before) assert(bytes(buffer as SharedArrayBuffer).equals(before), 'its memory was written to');
}

/** Works as a lock in its own right. */
function works(handle: RwSemHandle): void {
  const lock = RwSem.attach(handle);
  const other = copies[0].RwSem.attach(handle);
  const guard = lock.write();
  assert.equal(other.tryRead(), null);
  guard.downgrade().release();
  assertFree(lock, other);
  other.space.detach();
  lock.space.detach();
}

test('what is no handle is refused', LIMIT, () => {
  for (const handle of [undefined, null, 0, 5, '', 'handle', true, Symbol('handle'), 5n, {}, [], () => {}, new Map(), new Date()]) {
    refused(handle);
  }
});

test('a handle whose buffer is no SharedArrayBuffer is refused', LIMIT, () => {
  const space = abandoned();
  const plain = new ArrayBuffer(space.byteLength);
  new Uint8Array(plain).set(new Uint8Array(space));
  const imitation = Object.create(SharedArrayBuffer.prototype);
  const detached = new ArrayBuffer(1024);
  structuredClone(detached, { transfer: [detached] });
  for (const buffer of [undefined, null, 5, 'buffer', {}, plain, detached, new Uint8Array(space), Buffer.from(plain), imitation, new DataView(space)]) {
    refused({ buffer, byteOffset: 0, index: 0 });
  }
});

test('a byteOffset that is no aligned place in the buffer is refused', LIMIT, () => {
  const buffer = abandoned();
  const { byteLength } = buffer;
  const beyond = [byteLength, byteLength + 64, 64 * Math.ceil(byteLength / 64), 2 ** 31, 2 ** 32, 2 ** 53, 64 * 2 ** 53, Number.MAX_VALUE];
  const misaligned = [1, 2, 4, 8, 16, 32, 63, 65, 0.5, -0.5, NaN, Infinity, -Infinity, -64, -1];
  const unlike: unknown[] = [undefined, null, '0', '64', true, false, {}, [], 0n, { valueOf: () => 0 }];
  for (const byteOffset of [...beyond, ...misaligned, ...unlike]) refused({ buffer, byteOffset, index: 0 });
  refused({ buffer, index: 0 });
});

test('an aligned place where no space is, is refused', LIMIT, () => {
  const buffer = abandoned();
  for (let byteOffset = 64; byteOffset < buffer.byteLength; byteOffset += 64) {
    assert.throws(() => RwSem.attach({ buffer, byteOffset, index: 0 }), InvalidHandleError);
  }
  works({ buffer, byteOffset: 0, index: 0 });
});

test('misaligned: a space moved to a place that is no multiple of 64 is refused', LIMIT, () => {
  const original = abandoned();
  for (const byteOffset of [4, 8, 32, 60]) {
    const buffer = new SharedArrayBuffer(original.byteLength + 64);
    new Uint8Array(buffer).set(new Uint8Array(original), byteOffset);
    refused({ buffer, byteOffset, index: 0 });
  }
});

test('empty, zeroed and uniform memory is refused', LIMIT, () => {
  const { byteLength } = abandoned();
  for (const size of [0, 1, 3, 4, 63, 64, 128, 255, 256, 257, 1024, byteLength, 2 * byteLength]) {
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const buffer = new SharedArrayBuffer(size);
      new Uint8Array(buffer).fill(value);
      refused({ buffer, byteOffset: 0, index: 0 });
    }
  }
});

test('random memory is refused', LIMIT, () => {
  const memory = fc.uint8Array({ maxLength: 2048, size: 'max' });
  fc.assert(
    fc.property(memory, fc.nat(4).map((n) => 64 * n), fc.nat(3), (content, byteOffset, index) => {
      const buffer = new SharedArrayBuffer(content.length);
      new Uint8Array(buffer).set(content);
      refused({ buffer, byteOffset, index });
    }),
    { numRuns: 300 },
  );
});

test('random memory behind a true beginning is refused', LIMIT, () => {
  const original = new Uint8Array(abandoned());
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 80 }), fc.uint8Array({ minLength: HEADER_BYTES, maxLength: 1024 }), (kept, noise) => {
      const buffer = new SharedArrayBuffer(original.length);
      const content = new Uint8Array(buffer);
      content.set(noise);
      content.set(original.subarray(0, kept));
      refused({ buffer, byteOffset: 0, index: 0 });
    }),
    { numRuns: 300 },
  );
});

test('a truncated space is refused', LIMIT, () => {
  const original = abandoned();
  const { byteLength } = original;
  for (const size of [byteLength - 1, byteLength - 4, byteLength - 64, byteLength >> 1, 512, HEADER_BYTES, 255, 64, 4]) {
    refused({ buffer: copyOf(original, size), byteOffset: 0, index: 0 });
  }
  works({ buffer: copyOf(original), byteOffset: 0, index: 0 });
});

test('a space that reaches beyond the end of the buffer is refused, wherever it starts', LIMIT, () => {
  const original = new Uint8Array(abandoned());
  for (const byteOffset of [64, 640]) {
    const buffer = new SharedArrayBuffer(byteOffset + original.length - 64);
    new Uint8Array(buffer).set(original.subarray(0, original.length - 64), byteOffset);
    refused({ buffer, byteOffset, index: 0 });
  }
});

test('a space of another layout version is refused, and the message says so', LIMIT, () => {
  const original = abandoned();
  let version = -1;
  for (let word = 0; word < HEADER_BYTES / 4 && version < 0; word++) {
    const buffer = copyOf(original);
    (new Int32Array(buffer)[word] as number) += 1;
    try {
      copies[1].RwSem.attach({ buffer, byteOffset: 0, index: 0 }).space.detach();
    } catch (error) {
      if (/version/.test((error as Error).message)) version = word;
    }
  }
  assert(version >= 0, 'no word of the header is the version');
  const found = new Int32Array(original)[version] as number;
  for (const other of [0, found - 1, found + 1, -1, 0x7fffffff]) {
    const buffer = copyOf(original);
    new Int32Array(buffer)[version] = other;
    refused({ buffer, byteOffset: 0, index: 0 });
    assert.throws(() => RwSem.attach({ buffer, byteOffset: 0, index: 0 }), /version/);
  }
});

test('any flipped bit in the first 128 bytes is noticed or does no harm', LIMIT, () => {
  const original = abandoned();
  let noticed = 0;
  for (let bit = 0; bit < 128 * 8; bit++) {
    const buffer = copyOf(original);
    (new Uint8Array(buffer)[bit >> 3] as number) ^= 1 << (bit & 7);
    if (isRefused(buffer)) noticed++;
  }
  assert(noticed > 512, `${noticed} of 1024`);
});

test('header words with any content are noticed or do no harm', LIMIT, () => {
  const original = abandoned();
  const content = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 2, 63, 64, 4095, 4096, 65_536, 16_777_217, 0x7fffffff, -0x80000000));
  fc.assert(
    fc.property(fc.dictionary(fc.integer({ min: 0, max: 31 }).map(String), content, { minKeys: 1, maxKeys: 4 }), (changes) => {
      const buffer = copyOf(original);
      for (const [word, value] of Object.entries(changes)) new Int32Array(buffer)[Number(word)] = value;
      isRefused(buffer);
    }),
    { numRuns: 500 },
  );
});

/** Refuses it without writing, or works. */
function isRefused(buffer: SharedArrayBuffer): boolean {
  const before = bytes(buffer);
  const handle = { buffer, byteOffset: 0, index: 0 };
  try {
    RwSem.attach(handle).space.detach();
  } catch (error) {
    assert(error instanceof InvalidHandleError, String(error));
    assert(bytes(buffer).equals(before), 'its memory was written to');
    return true;
  }
  works(handle);
  return false;
}

test('an index that is none of the space is refused, without an agent record being taken', LIMIT, () => {
  const space = LockSpace.create({ locks: 3, agents: 2, waiters: 1 });
  const { handle } = space;
  const refusal = (error: unknown): boolean =>
    error instanceof RangeError || error instanceof TypeError || (error as { code?: string }).code === 'ERR_RWSEM_INVALID_HANDLE';
  for (const index of [3, -1, 0.5, NaN, Infinity, 2 ** 32, 1e12, undefined, null, '0', {}, 0n, true]) {
    const before = bytes(handle.buffer);
    assert.throws(() => RwSem.attach({ ...handle, index } as never), refusal);
    assert.throws(() => copies[0].RwSem.attach({ ...handle, index } as never), refusal);
    assert(bytes(handle.buffer).equals(before), `index ${String(index)}: memory was written to`);
  }
  assert.throws(() => RwSem.attach(handle as never), 'the handle of a space names no lock');
});

test('what the getters of a handle throw is passed on or refused', LIMIT, () => {
  const boom = new Error('boom');
  const real = RwSem.create(SMALL).handle;
  for (const property of ['buffer', 'byteOffset', 'index']) {
    const hostile = Object.defineProperty({ ...real }, property, {
      get() {
        throw boom;
      },
    });
    for (const { RwSem } of copies) {
      assert.throws(() => RwSem.attach(hostile), (error) => error === boom || (error as { code?: string }).code === 'ERR_RWSEM_INVALID_HANDLE');
    }
  }
});

test('a handle whose getters change their minds does not get past the checks', LIMIT, () => {
  const real = LockSpace.create({ locks: 2, ...SMALL }).handle;
  for (const answers of [
    { buffer: [real.buffer, new SharedArrayBuffer(64)] },
    { byteOffset: [0, 64, 1e9] },
    { index: [0, 99, -1] },
  ]) {
    const [[property, values]] = Object.entries(answers) as [[string, unknown[]]];
    let reads = 0;
    const shifty = Object.defineProperty({ ...real, index: 1 } as RwSemHandle, property, { get: () => values[Math.min(reads++, values.length - 1)] });
    try {
      assertFree(copies[0].RwSem.attach(shifty));
    } catch (error) {
      assert(error instanceof RangeError || (error as { code?: string }).code === 'ERR_RWSEM_INVALID_HANDLE', String(error));
    }
  }
});

test('a SharedArrayBuffer of another realm is as good', LIMIT, () => {
  const foreign = runInNewContext('new SharedArrayBuffer(65536)') as SharedArrayBuffer;
  assert.equal(foreign instanceof SharedArrayBuffer, false);
  const space = LockSpace.format(foreign, 64, SMALL);
  const { handle } = space.rwsem(0);
  assert.equal(handle.buffer, foreign);
  space.detach();
  works(handle);
});

test('a header that is wiped out hurts nobody who is attached, and keeps others out', LIMIT, async () => {
  const lock = RwSem.create(SMALL);
  const { buffer } = lock.handle;
  new Uint8Array(buffer).fill(0, 0, 128);
  refused({ buffer: copyOf(buffer), byteOffset: 0, index: 0 });
  assert.throws(() => copies[0].RwSem.attach(lock.handle), code('INVALID_HANDLE'));
  lock.read({ timeoutMs: 1000 }).release();
  (await lock.writeAsync({ timeoutMs: 1000 })).release();
  assertFree(lock);
});

test('a space that was made anew in the same memory is another space', LIMIT, () => {
  const memory = new SharedArrayBuffer(LockSpace.byteLength(SMALL));
  const first = LockSpace.format(memory, 0, SMALL);
  first.detach();
  const second = LockSpace.format(memory, 0, SMALL);
  assert.notEqual(first, second);
  assert.equal(LockSpace.attach(second.handle), second);
  assert.throws(() => first.rwsem(0), code('DETACHED'));
  assertFree(second.rwsem(0));
});

test('two handles into one memory, made of different objects, exclude each other', LIMIT, () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 4, shared: true });
  const lock = LockSpace.format(memory.buffer, 128, SMALL).rwsem(0);
  const guard = lock.write();
  memory.grow(1);
  const grown = { ...lock.handle, buffer: memory.buffer as unknown as SharedArrayBuffer };
  assert.notEqual(grown.buffer, lock.handle.buffer);
  const again = RwSem.attach(grown);
  assert.equal(again.tryRead(), null);
  assert.equal(again.inspect().owner?.agent, lock.space.agent);
  guard.release();
  assertFree(lock, again);
});

endsByItself();
