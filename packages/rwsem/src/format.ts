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
  POLICY_HANDOFF_AFTER_MS,
  READER_BATCH,
  SPACE_ID,
  SPACE_WORDS,
  WAITERS_AT,
  WAITER_CAPACITY,
  WAITER_WORDS,
  WAKE_LIST_WORDS,
} from './core/layout.ts';
import { InvalidHandleError, NoSharedMemoryError } from './errors.ts';
import { type Capacities, decodePolicy, encodePolicy, type Policy } from './options.ts';

const MAGIC: readonly [number, number] = [0x65737772, 0x000a1a6d]; // "rwse", "m", EOF, newline
const VERSION = 1;
/** A space starts at a multiple of this, so that records do not share cache lines by accident. */
export const ALIGNMENT_BYTES = 64;
const ALIGNMENT_WORDS = ALIGNMENT_BYTES / 4;

interface Sections {
  locksAt: number;
  agentsAt: number;
  waitersAt: number;
  words: number;
}

function sections({ locks, agents, waiters }: Capacities): Sections {
  const locksAt = HEADER_WORDS;
  const agentsAt = locksAt + Math.ceil((locks * LOCK_WORDS) / ALIGNMENT_WORDS) * ALIGNMENT_WORDS;
  const waitersAt = agentsAt + agents * AGENT_WORDS;
  return { locksAt, agentsAt, waitersAt, words: waitersAt + waiters * WAITER_WORDS };
}

export function spaceBytes(capacities: Capacities): number {
  return sections(capacities).words * 4;
}

export function isAligned(byteOffset: unknown): byteOffset is number {
  return typeof byteOffset === 'number' && Number.isInteger(byteOffset) && byteOffset >= 0 && byteOffset % ALIGNMENT_BYTES === 0;
}

export function isLockIndex(index: unknown, locks: number): index is number {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < locks;
}

export function requireSharedMemory(): void {
  if (typeof SharedArrayBuffer === 'undefined') throw new NoSharedMemoryError();
}

/** By the internal slot: also true of a buffer from another realm, never of an imitation. */
export function isSharedArrayBuffer(buffer: unknown): buffer is SharedArrayBuffer {
  requireSharedMemory();
  try {
    const byteLength = Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, 'byteLength')?.get as () => number;
    return byteLength.call(buffer) >= 0;
  } catch {
    return false;
  }
}

/** Every word of the space is overwritten; the first word of the magic comes last. */
export function formatSpace(mem: Int32Array, capacities: Capacities, policy: Policy): void {
  const { locksAt, agentsAt, waitersAt, words } = sections(capacities);
  mem.fill(0);
  mem[MAGIC_1] = MAGIC[1];
  mem[LAYOUT_VERSION] = VERSION;
  mem[SPACE_WORDS] = words;
  mem[LOCK_CAPACITY] = capacities.locks;
  mem[AGENT_CAPACITY] = capacities.agents;
  mem[WAITER_CAPACITY] = capacities.waiters;
  mem.set(encodePolicy(policy), POLICY_HANDOFF_AFTER_MS);
  mem[READER_BATCH] = WAKE_LIST_WORDS;
  mem[LOCKS_AT] = locksAt;
  mem[AGENTS_AT] = agentsAt;
  mem[WAITERS_AT] = waitersAt;
  mem.set(crypto.getRandomValues(new Int32Array(4)), SPACE_ID);
  mem[HEADER_CHECK] = checksum(mem);
  Atomics.store(mem, MAGIC_0, MAGIC[0]);
}

/** FNV-1a over the words that `formatSpace` wrote and nobody changes, but for the first. */
function checksum(mem: Int32Array): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = MAGIC_1; i < HEADER_CHECK; i++) hash = Math.imul(hash ^ (mem[i] as number), 0x01000193);
  return hash;
}

export interface OpenedSpace {
  mem: Int32Array;
  capacities: Capacities;
  policy: Policy;
}

/** Checks a handle and lays a view over its space. Only reads. */
export function openSpace(handle: unknown): OpenedSpace {
  if (typeof handle !== 'object' || handle === null) throw new InvalidHandleError('it is not an object');
  const { buffer, byteOffset } = handle as { buffer?: unknown; byteOffset?: unknown };
  if (!isSharedArrayBuffer(buffer)) throw new InvalidHandleError('its buffer is not a SharedArrayBuffer');
  if (!isAligned(byteOffset)) {
    throw new InvalidHandleError(`its byteOffset is not a multiple of ${ALIGNMENT_BYTES}`);
  }
  const available = Math.floor((buffer.byteLength - byteOffset) / 4);
  if (available < HEADER_WORDS) throw new InvalidHandleError('its buffer ends before the header does');

  const header = new Int32Array(buffer, byteOffset, HEADER_WORDS);
  const word = (at: number): number => header[at] as number;
  if (Atomics.load(header, MAGIC_0) !== MAGIC[0] || word(MAGIC_1) !== MAGIC[1]) {
    throw new InvalidHandleError('there is no space at this place of the buffer');
  }
  if (word(LAYOUT_VERSION) !== VERSION) {
    throw new InvalidHandleError(`the space has layout version ${word(LAYOUT_VERSION)}, this library has ${VERSION}: use the same version in all threads`);
  }
  if (word(HEADER_CHECK) !== checksum(header)) throw new InvalidHandleError('the header of the space is damaged');
  const capacities = { locks: word(LOCK_CAPACITY), agents: word(AGENT_CAPACITY), waiters: word(WAITER_CAPACITY) };
  const policy = decodePolicy(Array.from(header.subarray(POLICY_HANDOFF_AFTER_MS, POLICY_HANDOFF_AFTER_MS + 4)));
  const { locksAt, agentsAt, waitersAt, words } = sections(capacities);
  const isConsistent =
    policy !== undefined &&
    Math.min(capacities.locks, capacities.agents, capacities.waiters) > 0 &&
    word(SPACE_WORDS) === words &&
    word(LOCKS_AT) === locksAt &&
    word(AGENTS_AT) === agentsAt &&
    word(WAITERS_AT) === waitersAt;
  if (!isConsistent) throw new InvalidHandleError('the header of the space contradicts itself');
  if (words > available) throw new InvalidHandleError('its buffer ends before the space does');
  return { mem: new Int32Array(buffer, byteOffset, words), capacities, policy };
}
