/**
 * Every word and every bit that threads share.
 *
 * All shared state is int32 words of one `Int32Array` laid over a space. Offsets in this file are
 * word indices relative to the start of the space; records are named by the index of their first
 * word, so 0 (inside the header) serves as "none".
 *
 * THE COUNT WORD, one per lock (DESIGN.md, "States"):
 *
 *   bit   name      meaning                     set by                      cleared by                    wait lock
 *   0     WRITER    write-locked                any writer that takes it,   its release or downgrade      no
 *                                               or a waker that transfers
 *   1     WAITERS   the queue is not empty      enqueue into empty queue    whoever empties the queue     held
 *   2     HANDOFF   nobody may steal: the lock  a failed try, or a waker,   write lock taken from the     held
 *                   goes to the first waiter    after the head's deadline   queue, readers granted, queue
 *                                                                           emptied by a cancel
 *   3     WAKING    the first waiter, a writer,     a waker that told it to     that writer's try or cancel   held
 *                   has been told to try and has    try
 *                   not yet: no need to wake
 *   4-7   reserved, always 0
 *   8-30  readers   readers inside, plus probes that will be taken back (I6)                              no
 *   31    the sign: set only by a reader too many, so `count < 0` is the overflow test                    no
 *
 * A 64-bit count would widen only the reader field, and `Atomics` on a `BigInt64Array` cost 1.3 to 3
 * times as much as on an `Int32Array` in V8 and JavaScriptCore; 8,388,607 readers are enough.
 *
 * THE OWNER WORD, one per lock: a hint, never used for exclusion (I10).
 *
 *   bit   name           meaning
 *   0     READER_OWNED   the last owner recorded was a reader; may be stale
 *   1     NONSPINNABLE   spinning on these readers has used up its time: do not spin
 *   2     ASYNC_OWNER    taken through a promise: the owner may be anywhere, do not spin on it
 *   3-14  agent id       1 to 4095
 *   15-30 incarnation    of the agent record, so that a stale id is recognised
 *
 * BYTE MAP of a space (64-byte aligned; every section starts on a cache line):
 *
 *   header    64 words   magic, version, capacities, policy, then one line of mutable words
 *   locks     8 words each (32 bytes)
 *   agents    AGENT_WORDS each: identity and spin node | the blocking waiter | counters | held | wake list
 *   waiters   16 words each: one queued async acquisition
 */

// Count word
export const WRITER = 1;
export const WAITERS = 2;
export const HANDOFF = 4;
export const WAKING = 8;
export const READER = 256;
/** WRITER, any reader, or the sign: somebody is counted as holding. */
export const HELD_MASK = ~0xfe;
/** A reader's increment does not admit it if any of these is set. */
export const READ_FAILED = -0x7ffffff9; // sign | HANDOFF | WAITERS | WRITER
export const MAX_READERS = 0x7fffff;

// Owner word
export const READER_OWNED = 1;
export const NONSPINNABLE = 2;
export const ASYNC_OWNER = 4;
export const AGENT_ID_SHIFT = 3;
export const AGENT_ID_MASK = 0xfff;
export const INCARNATION_SHIFT = 15;
export const INCARNATION_MASK = 0xffff;
/** The part of the owner word that names an agent and its incarnation. */
export const IDENTITY_MASK = 0x7ffffff8;

// Space header: written once by `format`, then only read ...
export const MAGIC_0 = 0;
export const MAGIC_1 = 1;
export const LAYOUT_VERSION = 2;
export const SPACE_WORDS = 3;
export const LOCK_CAPACITY = 4;
export const AGENT_CAPACITY = 5;
export const WAITER_CAPACITY = 6;
/** Milliseconds in the queue before a waiter asks for handoff; NEVER_MS for never. */
export const POLICY_HANDOFF_AFTER_MS = 7;
export const POLICY_WRITER_WAKE = 8;
export const POLICY_SPIN = 9;
export const POLICY_READER_STEAL = 10;
/** Readers granted in one pass, at most. */
export const READER_BATCH = 11;
export const LOCKS_AT = 12;
export const AGENTS_AT = 13;
export const WAITERS_AT = 14;
/** Four random words that tell one space from another. */
export const SPACE_ID = 16;
export const HEADER_CHECK = 20;
// ... except these, which have a cache line of their own.
/** How many async waiter records are in use. */
export const WAITERS_USED = 48;
export const HEADER_WORDS = 64;

export const NEVER_MS = -1;
export const WAKE_STEAL = 0;
export const WAKE_GRANT = 1;
export const SPIN_OFF = 0;
export const SPIN_KNOWN_OWNER = 1;
export const SPIN_ANY_OWNER = 2;

// Lock record
export const COUNT = 0;
export const OWNER = 1;
export const HEAD = 2;
export const TAIL = 3;
/** 0, or the agent record that has the wait lock, plus WAIT_LOCK_CONTENDED. */
export const WAIT_LOCK = 4;
/** The last agent in the spinner queue. */
export const SPIN_TAIL = 5;
export const LOCK_WORDS = 8;

export const WAIT_LOCK_CONTENDED = 1;

// Waiter record. NEXT, PREV and all below belong to the wait lock while the waiter is queued.
/** The private word its thread parks on: IDLE, WAITING, WOKEN or GRANTED. */
export const GRANT = 0;
export const NEXT = 1;
export const PREV = 2;
/** WRITE_WAITER and ASYNC_WAITER bits. */
export const KIND = 3;
/** When the waiter may ask for handoff, on the clock of `clockMs`. */
export const HANDOFF_AT_MS = 4;
export const HANDOFF_RULE = 5;
export const HANDOFF_SET = 6;
export const SINCE_MS = 7;
/** The agent record of the waiting thread. */
export const WAITER_AGENT = 8;
/** What to store in the owner word for it. */
export const WAITER_TAG = 9;
/** The lock record it waits for: for repair and for looking, the algorithm does not read it. */
export const WAITER_LOCK = 10;
/** Link in its agent's ready stack (async waiters only). */
export const READY_NEXT = 11;
/** Async waiters: 0 when free, else the identity of the agent that has claimed the record. */
export const CLAIMED_BY = 12;
export const WAITER_WORDS = 16;

export const IDLE = 0;
export const WAITING = 1;
/** A queued writer has been told to try. */
export const WOKEN = 2;
/** The lock has been counted for this waiter, which is no longer queued. */
export const GRANTED = 3;

export const WRITE_WAITER = 1;
export const ASYNC_WAITER = 2;

export const HANDOFF_TIMED = 0;
export const HANDOFF_AT_ONCE = 1;
export const HANDOFF_NEVER = 2;

// Agent record
/** Incarnation << 1 | 1 while a thread is attached. */
export const AGENT_STATE = 0;
/** The identity this agent stores in owner words. */
export const AGENT_TAG = 1;
export const CAN_BLOCK = 2;
/** 0 on a machine with one core. */
export const MAY_SPIN = 3;
/** 1 while the thread sleeps in a wait of ours. */
export const PARKED = 4;
/** Rung when the ready stack becomes non-empty; the event loop waits on it. */
export const BELL = 5;
/** Top of the stack of this agent's async waiters that have been signalled. */
export const READY = 6;
/** Scratch word by which two views are recognised as one memory. */
export const PROBE = 7;
export const SPIN_NEXT = 8;
export const SPIN_PREV = 9;
export const SPIN_LOCKED = 10;
/** 1 once a spin node could not be taken back: this agent does not spin again. */
export const SPIN_STUCK = 11;
/** Entries in the wake list. */
export const WAKE_COUNT = 12;
/** The waiter record of the thread's blocking acquisition. */
export const BLOCKING_WAITER = 16;
export const EVENTS = 32;
/** 16 words kept for the table of held locks by which a dead thread's locks can be recovered. */
export const HELD = 64;
/** Waiters to notify once the wait lock is dropped. */
export const WAKE_LIST = 80;
export const WAKE_LIST_WORDS = 256;
export const AGENT_WORDS = 336;

// Events: indices of the counters. Slow paths only; each agent writes its own. What each counts is said
// where users read it, in `LockEvents`.
export const SLEEP_READER = 0;
export const SLEEP_WRITER = 1;
export const WAKE_READER = 2;
export const WAKE_WRITER = 3;
export const OPT_LOCK = 4;
export const OPT_FAIL = 5;
export const OPT_NOSPIN = 6;
export const RLOCK = 7;
export const RLOCK_STEAL = 8;
export const RLOCK_FAST = 9;
export const RLOCK_FAIL = 10;
export const RLOCK_HANDOFF = 11;
export const WLOCK = 12;
export const WLOCK_FAIL = 13;
export const WLOCK_HANDOFF = 14;
export const WLOCK_GRANT = 15;
export const ASYNC_LOCAL_WAKE = 16;
export const EVENT_COUNT = 17;

// What the steps of an acquisition return.
/** Try forms: not to be had without waiting. */
export const BUSY = 0;
export const ACQUIRED = 1;
/** In the queue; wait for the grant word to leave WAITING. */
export const QUEUED = 2;
export const CANCELLED = 3;
/** Cancelled after a waker had signalled it: the signal of an async waiter is still to arrive. */
export const CANCELLED_SIGNALLED = 4;
export const TOO_MANY_READERS = 5;
export const WOULD_DEADLOCK = 6;
