/** Making a space out of bytes, and recognising one, without ever writing to what is not a space. */

import {
  AGENTS_AT,
  AGENT_CAPACITY,
  AGENT_WORDS,
  HEADER_CHECK,
  HEADER_WORDS,
  LAYOUT_VERSION,
  LOCKS_AT,
  LOCK_CAPACITY,
  LOCK_WORDS,
  MAGIC_0,
  MAGIC_1,
  NEVER_MS,
  POLICY_HANDOFF_AFTER_MS,
  POLICY_READER_STEAL,
  POLICY_SPIN,
  POLICY_WRITER_WAKE,
  READER_BATCH,
  SPACE_ID,
  SPACE_WORDS,
  WAITERS_AT,
  WAITER_CAPACITY,
  WAITER_WORDS,
  WAKE_LIST_WORDS,
} from './core/layout.ts';
import { InvalidHandleError, NoSharedMemoryError } from './errors.ts';
import { check, checkOptions, isObject, isWhole, type LockSpaceOptions, type Policy, SPINS, WRITER_WAKES } from './options.ts';

const MAGIC: readonly [number, number] = [0x65737772, 0x000a1a6d]; // "rwse", "m", EOF, newline
const VERSION = 1;
/** A space starts at a multiple of this, so that records do not share cache lines by accident. */
const ALIGNMENT_BYTES = 64;
const ALIGNMENT_WORDS = ALIGNMENT_BYTES / 4;

function isAligned(byteOffset: unknown): byteOffset is number {
  return isWhole(byteOffset, 0, Infinity) && byteOffset % ALIGNMENT_BYTES === 0;
}

export function requireSharedMemory(): void {
  if (typeof SharedArrayBuffer === 'undefined') throw new NoSharedMemoryError();
}

/** By the internal slot: also true of a buffer from another realm, never of an imitation. */
function isSharedArrayBuffer(buffer: unknown): buffer is SharedArrayBuffer {
  requireSharedMemory();
  try {
    return Reflect.get(SharedArrayBuffer.prototype, 'byteLength', buffer) >= 0;
  } catch {
    return false;
  }
}

/** What `format` writes at the beginning of a space, before the words that differ from space to space. */
export function encodeHeader(options: LockSpaceOptions): Int32Array {
  const { locks, agents, waiters, policy } = checkOptions(options);
  const header = new Int32Array(SPACE_ID);
  const agentsAt = HEADER_WORDS + Math.ceil((locks * LOCK_WORDS) / ALIGNMENT_WORDS) * ALIGNMENT_WORDS;
  const waitersAt = agentsAt + agents * AGENT_WORDS;
  header[MAGIC_0] = MAGIC[0];
  header[MAGIC_1] = MAGIC[1];
  header[LAYOUT_VERSION] = VERSION;
  header[SPACE_WORDS] = waitersAt + waiters * WAITER_WORDS;
  header[LOCK_CAPACITY] = locks;
  header[AGENT_CAPACITY] = agents;
  header[WAITER_CAPACITY] = waiters;
  header[POLICY_HANDOFF_AFTER_MS] = policy.handoffAfterMs === Infinity ? NEVER_MS : policy.handoffAfterMs;
  header[POLICY_WRITER_WAKE] = WRITER_WAKES.indexOf(policy.writerWake);
  header[POLICY_SPIN] = SPINS.indexOf(policy.spin);
  header[POLICY_READER_STEAL] = policy.readerSteal ? 1 : 0;
  header[READER_BATCH] = WAKE_LIST_WORDS;
  header[LOCKS_AT] = HEADER_WORDS;
  header[AGENTS_AT] = agentsAt;
  header[WAITERS_AT] = waitersAt;
  return header;
}

export function decodePolicy(header: Int32Array): Policy {
  const handoffAfterMs = header[POLICY_HANDOFF_AFTER_MS] as number;
  return {
    handoffAfterMs: handoffAfterMs === NEVER_MS ? Infinity : handoffAfterMs,
    writerWake: WRITER_WAKES[header[POLICY_WRITER_WAKE] as number] as Policy['writerWake'],
    spin: SPINS[header[POLICY_SPIN] as number] as Policy['spin'],
    readerSteal: header[POLICY_READER_STEAL] === 1,
  };
}

/** Would `format` have written these words? */
function isConsistent(header: Int32Array): boolean {
  const locks = header[LOCK_CAPACITY] as number;
  const agents = header[AGENT_CAPACITY] as number;
  const waiters = header[WAITER_CAPACITY] as number;
  try {
    return encodeHeader({ locks, agents, waiters, policy: decodePolicy(header) }).every((word, at) => word === header[at]);
  } catch {
    return false;
  }
}

/** Every word of the space is overwritten; the first word of the magic comes last. */
export function formatSpace(buffer: ArrayBufferLike, byteOffset: number, options: LockSpaceOptions): Int32Array {
  const header = encodeHeader(options);
  const words = header[SPACE_WORDS] as number;
  check(isSharedArrayBuffer(buffer), 'buffer', 'a SharedArrayBuffer', buffer, TypeError);
  check(isAligned(byteOffset), 'byteOffset', `a multiple of ${ALIGNMENT_BYTES}`, byteOffset);
  const available = buffer.byteLength - byteOffset;
  check(available >= words * 4, 'the buffer from byteOffset on', `at least ${words * 4} bytes`, available);
  const mem = new Int32Array(buffer, byteOffset, words);
  mem.fill(0);
  mem.set(header.subarray(MAGIC_1), MAGIC_1);
  mem.set(crypto.getRandomValues(new Int32Array(4)), SPACE_ID);
  mem[HEADER_CHECK] = checksum(mem);
  Atomics.store(mem, MAGIC_0, MAGIC[0]);
  return mem;
}

/** FNV-1a over the words that `formatSpace` wrote and nobody changes, but for the first. */
function checksum(mem: Int32Array): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = MAGIC_1; i < HEADER_CHECK; i++) hash = Math.imul(hash ^ (mem[i] as number), 0x01000193);
  return hash;
}

/** Checks a handle and lays a view over its space. Only reads. */
export function openSpace(handle: unknown): Int32Array {
  if (!isObject(handle)) throw new InvalidHandleError('it is not an object');
  const { buffer, byteOffset } = handle as { buffer?: unknown; byteOffset?: unknown };
  if (!isSharedArrayBuffer(buffer)) throw new InvalidHandleError('its buffer is not a SharedArrayBuffer');
  if (!isAligned(byteOffset)) throw new InvalidHandleError(`its byteOffset is not a multiple of ${ALIGNMENT_BYTES}`);
  const available = Math.floor((buffer.byteLength - byteOffset) / 4);
  if (available < HEADER_WORDS) throw new InvalidHandleError('its buffer ends before the space does');

  const header = new Int32Array(buffer, byteOffset, HEADER_WORDS);
  if (Atomics.load(header, MAGIC_0) !== MAGIC[0] || header[MAGIC_1] !== MAGIC[1]) {
    throw new InvalidHandleError('there is no space at this place of the buffer');
  }
  if (header[LAYOUT_VERSION] !== VERSION) {
    throw new InvalidHandleError(`the space has layout version ${header[LAYOUT_VERSION]}, this library has ${VERSION}: use the same version in all threads`);
  }
  if (header[HEADER_CHECK] !== checksum(header) || !isConsistent(header)) throw new InvalidHandleError('the header of the space is damaged');
  const words = header[SPACE_WORDS] as number;
  if (words > available) throw new InvalidHandleError('its buffer ends before the space does');
  return new Int32Array(buffer, byteOffset, words);
}
