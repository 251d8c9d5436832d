/** A page that is not cross-origin isolated: the name `SharedArrayBuffer` is not there. Elsewhere it is taken away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

const isPage = 'crossOriginIsolated' in globalThis;
const wasThere = typeof SharedArrayBuffer !== 'undefined';
// Engines hand it out by other ways as well.
const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
delete (globalThis as { SharedArrayBuffer?: unknown }).SharedArrayBuffer;

// Only now: what runs on import must not need it.
const { LockSpace, NoSharedMemoryError, RwSem, RwSemError } = await import('rwsem');

test('the page is not isolated, so that it has no shared memory by itself', { skip: !isPage && 'not a page' }, () => {
  assert.deepEqual([globalThis.crossOriginIsolated, wasThere], [false, false]);
});

const attempts: Record<string, () => unknown> = {
  'LockSpace.create': () => LockSpace.create({ locks: 3 }),
  'RwSem.create': () => RwSem.create(),
  'LockSpace.format': () => LockSpace.format(memory.buffer, 0, { agents: 2, waiters: 2 }),
  'LockSpace.attach': () => LockSpace.attach({ buffer: memory.buffer as unknown as SharedArrayBuffer, byteOffset: 0 }),
  'RwSem.attach': () => RwSem.attach({ buffer: memory.buffer as unknown as SharedArrayBuffer, byteOffset: 0, index: 0 }),
};

for (const [name, attempt] of Object.entries(attempts)) {
  test(`${name} without shared memory says which headers a page needs`, () => {
    assert.throws(attempt, (error: unknown) => {
      assert(error instanceof NoSharedMemoryError && error instanceof RwSemError);
      assert.deepEqual([error.name, error.code], ['NoSharedMemoryError', 'ERR_RWSEM_NO_SHARED_MEMORY']);
      assert.match(error.message, /Cross-Origin-Opener-Policy: same-origin\b.*Cross-Origin-Embedder-Policy: require-corp\b/);
      return true;
    });
  });
}

test('what needs no shared memory works without, and bad capacities are told first', () => {
  assert(LockSpace.byteLength({ locks: 3 }) > LockSpace.byteLength());
  assert.throws(() => LockSpace.create({ locks: 0 }), RangeError);
});
