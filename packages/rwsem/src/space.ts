import { LOCKS_AT, LOCK_CAPACITY, LOCK_WORDS, SPACE_ID, SPACE_WORDS } from './core/layout.ts';
import { agentRecords, type AgentRecord, claimAgent, isSameMemory, releaseAgent } from './agent.ts';
import { AsyncAgent } from './async/async-agent.ts';
import { DetachedError, StillInUseError } from './errors.ts';
import { decodePolicy, encodeHeader, formatSpace, openSpace, requireSharedMemory } from './format.ts';
import { onThreadExit } from './host.ts';
import { type LockEvents, sumEvents } from './lock-events.ts';
import { checkWhole, type LockSpaceOptions, type Policy } from './options.ts';
import { RwSem } from './rwsem.ts';

/** Names a space to other threads: a plain object that `postMessage` and `workerData` can carry. */
export interface LockSpaceHandle {
  readonly buffer: SharedArrayBuffer;
  readonly byteOffset: number;
}

/**
 * Locks in shared memory, and this thread's membership in it. Every thread that uses the locks
 * attaches once and has an agent record there until it detaches or ends.
 */
export class LockSpace {
  /** Pass this to other threads; `LockSpace.attach` takes it there. */
  readonly handle: LockSpaceHandle;
  /** This thread's agent id in the space, from 1. */
  readonly agent: number;
  /** How the locks of this space decide; the same in all threads. */
  readonly policy: Readonly<Policy>;

  /** @internal */ readonly mem: Int32Array;
  /** @internal */ readonly record: AgentRecord;
  /** @internal */ readonly asyncAgent: AsyncAgent;
  /** @internal What the space was when this object was made: its memory may be formatted anew. */ readonly id: string;
  readonly #locks = new Map<number, RwSem>();
  #detached = false;

  private constructor(mem: Int32Array) {
    this.mem = mem;
    this.policy = Object.freeze(decodePolicy(mem));
    this.handle = Object.freeze({ buffer: mem.buffer as SharedArrayBuffer, byteOffset: mem.byteOffset });
    this.record = claimAgent(mem);
    this.agent = this.record.id;
    this.asyncAgent = new AsyncAgent(mem, this.record);
    this.id = spaceId(mem);
  }

  /** A space in a new `SharedArrayBuffer` of its own. Does not block. */
  static create(options: LockSpaceOptions = {}): LockSpace {
    const bytes = LockSpace.byteLength(options);
    requireSharedMemory();
    return LockSpace.format(new SharedArrayBuffer(bytes), 0, options);
  }

  /** How many bytes a space with these options takes. */
  static byteLength(options: LockSpaceOptions = {}): number {
    return (encodeHeader(options)[SPACE_WORDS] as number) * 4;
  }

  /**
   * Makes a space inside memory of the caller's, such as a `WebAssembly.Memory`, and attaches to it.
   * Overwrites `byteLength(options)` bytes from `byteOffset` (a multiple of 64), and nothing else.
   * The caller makes sure that nobody uses them for anything else, another space included.
   * The buffer must be shared (the types of `WebAssembly.Memory` do not tell).
   */
  static format(buffer: ArrayBufferLike, byteOffset: number, options: LockSpaceOptions = {}): LockSpace {
    return LockSpace.join(formatSpace(buffer, byteOffset, options));
  }

  /** Joins a space made by any thread. Attaching twice in one thread gives the same object. */
  static attach(handle: LockSpaceHandle): LockSpace {
    return LockSpace.join(openSpace(handle));
  }

  /** @internal */
  static join(mem: Int32Array): LockSpace {
    const space = recall(mem) ?? new LockSpace(mem);
    remember(space, mem as Int32Array<SharedArrayBuffer>);
    return space;
  }

  /** The lock with this index, from 0. One object per index and thread. */
  rwsem(index: number): RwSem {
    if (this.#detached) throw new DetachedError();
    let lock = this.#locks.get(index);
    if (!lock) {
      checkWhole('index', index, 0, (this.mem[LOCK_CAPACITY] as number) - 1);
      lock = RwSem.of(this, index, (this.mem[LOCKS_AT] as number) + index * LOCK_WORDS);
      this.#locks.set(index, lock);
    }
    return lock;
  }

  /**
   * Gives this thread's agent record back, for another thread to use. `StillInUseError` while the
   * thread holds or awaits a lock of the space. Every use of the space's objects in this thread is a
   * `DetachedError` from then on; attach again for new ones.
   */
  detach(): void {
    if (this.#detached) throw new DetachedError();
    for (const lock of this.#locks.values()) {
      const use = lock.use();
      if (use) throw new StillInUseError(`this thread still ${use} lock ${lock.handle.index} of the space; release it or let it settle before detach()`);
    }
    this.#detached = true;
    for (const lock of this.#locks.values()) lock.detach();
    this.asyncAgent.detach();
    giveBack(this);
    forget(this);
  }

  /** Slow-path events of all threads since the space was made. */
  events(): LockEvents {
    if (this.#detached) throw new DetachedError();
    return sumEvents(this.mem, agentRecords(this.mem));
  }

  /** @internal */
  get isIdle(): boolean {
    return !this.#detached && [...this.#locks.values()].every((lock) => !lock.use());
  }
}

// One agent per thread and space, whatever object the buffer arrives in: structured clone makes new
// SharedArrayBuffer objects for the same memory. Caches only; all state is in the buffer.

/** Strong for as long as somebody has the buffer object, and with it the means to attach again. */
const byBuffer = new WeakMap<SharedArrayBuffer, Map<number, LockSpace>>();
const byId = new Map<string, WeakRef<LockSpace>>();

/** A space that was dropped without `detach` gives its agent record back. */
const dropped = new FinalizationRegistry((membership: Membership) => {
  if (byId.get(membership.id)?.deref() === undefined) byId.delete(membership.id);
  giveBack(membership);
});

type Membership = Pick<LockSpace, 'mem' | 'record' | 'id'>;

/** Unless the memory has been formatted anew since. */
function giveBack({ mem, record, id }: Membership): void {
  if (spaceId(mem) === id) releaseAgent(mem, record.at, record.tag);
}

let watchesExit = false;

function spaceId(mem: Int32Array): string {
  return mem.subarray(SPACE_ID, SPACE_ID + 4).join();
}

function recall(mem: Int32Array): LockSpace | undefined {
  const known = byId.get(spaceId(mem))?.deref();
  return known && isSameMemory(known.mem, mem, known.record.at) ? known : undefined;
}

function remember(space: LockSpace, { buffer, byteOffset }: LockSpaceHandle): void {
  let spaces = byBuffer.get(buffer);
  if (!spaces) byBuffer.set(buffer, (spaces = new Map()));
  spaces.set(byteOffset, space);
  const { id, record } = space;
  if (byId.get(id)?.deref() === space) return;
  byId.set(id, new WeakRef(space));
  // Through a buffer object of its own: what the registry holds must not keep `buffer`, and by it the
  // space, alive.
  const mem = new Int32Array(structuredClone(buffer), byteOffset, space.mem.length);
  dropped.register(space, { mem, record, id }, space);
  if (!watchesExit) {
    watchesExit = true;
    onThreadExit(giveBackIdleAgents);
  }
}

function forget(space: LockSpace): void {
  const { buffer, byteOffset } = space.handle;
  const spaces = byBuffer.get(buffer);
  if (spaces?.get(byteOffset) === space) spaces.delete(byteOffset);
  if (byId.get(space.id)?.deref() === space) byId.delete(space.id);
  dropped.unregister(space);
}

/** A thread that ends while it holds a lock keeps its record: the holder can still be named. */
function giveBackIdleAgents(): void {
  for (const ref of byId.values()) {
    const space = ref.deref();
    if (space?.isIdle) giveBack(space);
  }
}
