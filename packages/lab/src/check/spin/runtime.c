/*
 * The world in which the generated steps run, for SPIN: what model/runtime.ts, model/invariants.ts and
 * model/model.ts are for the other engine, written a second time. `tables.c` and `steps.c` are generated
 * beside a copy of this file: constants and tables, and the steps themselves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.c"

#define PC 0
#define SLEEP 1
#define INSIDE 2
#define AT_OPERATION 3
#define MOST_CHOICES 64
#define MOST_TURNS 100000
#define BLOCK(thread) (LOCK_SLOTS + (thread) * BLOCK_WORDS)
#define AGENT(thread) (AGENT_0 + (thread) * AGENT_WORDS)

/* Follows the state: what is wrong with it, and where writes go that must not do harm. */
#define FAILED STATE_WORDS
#define NOWHERE (STATE_WORDS + 1)

static int S[STATE_WORDS + 2] = INITIAL_STATE;

enum { FINE, FOREIGN_WORD, WITHOUT_WAIT_LOCK, BITS_WITHOUT_WAIT_LOCK, AFTER_GRANT, PAST_HANDOFF, STRAYED, WRONG_ANSWER, NEVER_ENDS, EXCLUSION, READERS_NOT_COUNTED, WRITER_NOT_COUNTED, WAITERS_WRONG, HANDOFF_WRONG, QUEUE_BROKEN, GRANT_WRONG, HANDOFF_SET_WRONG, TAIL_WRONG, WAKING_WRONG, QUIETLY_MISCOUNTED, QUIETLY_FORGOTTEN, QUIETLY_QUEUED, MAY_NOT_SPIN, GRANTED_UNASKED, NOT_FIRST, PAST_THE_FIRST, STOLEN, ASKED_FOR_HANDOFF, TOLD_TO_TRY, PARKED, NESTED_PAST_WRITER, SLEPT_TOO_LONG };
static const char *const FAILURES[] = {
  "", "INVARIANT|a word outside every record", "INVARIANT|I4: a word of the queue is touched without the wait lock",
  "INVARIANT|I4: WAITERS, HANDOFF or WAKING has changed without the wait lock", "INVARIANT|I7: a waiter is touched after it has been granted",
  "INVARIANT|I5: a writer that is not queued has got in past a handoff", "INVARIANT|I13: a signal has come for a record that was given back",
  "ANSWER|an operation has ended with a status that it is not to end with",
  "INVARIANT|a loop without an atomic operation does not end", "MUTEX|I1: a writer is inside beside somebody else, or granted and still asleep",
  "NEGATIVE|more readers are inside than are counted", "NEGATIVE|a writer is inside, and the count has none", "INVARIANT|I2: WAITERS does not say whether the queue is empty",
  "INVARIANT|I3: HANDOFF is set, and nobody is queued", "INVARIANT|the queue runs in a circle, out of the records, or is not the same backwards",
  "INVARIANT|a waiter is queued, and its grant word is not WAITING", "INVARIANT|I11: a waiter that is not first has HANDOFF_SET",
  "INVARIANT|TAIL is not the last of the queue", "INVARIANT|I11: WAKING does not say whether the first waiter has been told to try",
  "INVARIANT|I6: nobody is under way, and others are inside than are counted", "LOST|I8: nobody is under way, the lock is free, and somebody sleeps in its queue",
  "INVARIANT|nobody is under way, the lock is read-held without handoff, and a reader sleeps first in its queue",
  "INVARIANT|the spinner queue is entered where nobody may spin", "INVARIANT|a writer has been granted the lock that is to take it itself",
  "INVARIANT|a queued writer that is not first has taken the lock, and may not", "INVARIANT|I5: a queued writer has got in past the first, which has asked for handoff",
  "INVARIANT|a writer that is not queued has taken the lock past the queue, where nobody steals", "INVARIANT|HANDOFF is set, which nobody may ask for under this policy",
  "INVARIANT|a writer has been woken to try that is to be granted the lock", "INVARIANT|a thread that may not block parks on the wait lock",
  "ANSWER|a nested read goes in past a writer that is first in the queue", "LOST|its time is up, or is to be, and it goes to sleep without a limit",
};

static void fail(int what) {
  if (S[FAILED] == FINE) S[FAILED] = what;
}

/* The free choices of a step: an odometer. */
static int chosen[MOST_CHOICES], options[MOST_CHOICES], choices, made;

static int choose(int many) {
  int at = made++;
  if (at >= MOST_CHOICES) {
    printf("TROUBLE a step with more than %d free choices\n", MOST_CHOICES);
    exit(3);
  }
  if (at >= choices) {
    chosen[at] = 0;
    options[at] = many;
    choices = at + 1;
  }
  return chosen[at];
}

static int next_combination(void) {
  for (; choices > 0; choices--) if (++chosen[choices - 1] < options[choices - 1]) return 1;
  return 0;
}

static int holds_wait_lock(int me) {
  return (S[WAIT_LOCK_SLOT] & ~WAIT_LOCK_CONTENDED) == me;
}

static void need_wait_lock(int me) {
  if (!holds_wait_lock(me)) fail(WITHOUT_WAIT_LOCK);
}

static int slot_of(int address) {
  int slot = address >= 0 && address < ADDRESSES ? slots[address] : NO_RECORD;
  if (slot == NO_RECORD) fail(FOREIGN_WORD);
  return slot;
}

static int place(int address, int me) {
  int slot = slot_of(address);
  if (slot == NO_RECORD) return NOWHERE;
  if (classes[address] == QUEUE_WORD) need_wait_lock(me);
  else if (classes[address] == SPIN_WORD) fail(MAY_NOT_SPIN);
  else if (classes[address] == WAITER_WORD && owners[address] != me) {
    need_wait_lock(me);
    if (grants[address] >= 0 && S[slots[grants[address]]] == GRANTED) fail(AFTER_GRANT);
  }
  return slot < 0 ? NOWHERE : slot;
}

static int load(int address, int me) {
  int slot = place(address, me);
  if (slot != NOWHERE) return S[slot];
  return address >= 0 && address < ADDRESSES ? constants[address] : 0;
}

static int bell(int address) {
  int slot = slot_of(address);
  return slot < 0 ? NOWHERE : slot;
}

static void notify(int slot, int most) {
  int sleepers[THREADS], many = 0;
  for (int thread = 0; thread < THREADS; thread++) if (S[BLOCK(thread) + SLEEP] == slot + 1) sleepers[many++] = thread;
  while (many > most) {
    int spared = choose(many);
    many--;
    for (int at = spared; at < many; at++) sleepers[at] = sleepers[at + 1];
  }
  while (many > 0) S[BLOCK(sleepers[--many]) + SLEEP] = 0;
}

static void count_changed(int before, int me, int block) {
  int after = S[0], set = after & ~before;
  if (((before ^ after) & (WAITERS | HANDOFF | WAKING)) && !holds_wait_lock(me)) fail(BITS_WITHOUT_WAIT_LOCK);
  if ((before & (WRITER | HANDOFF)) == HANDOFF && (after & WRITER) && !holds_wait_lock(me)) fail(PAST_HANDOFF);
  if ((set & WRITER) && before != 0 && !(before & -READER) && !STEALS && !holds_wait_lock(me)) fail(STOLEN);
  if ((set & HANDOFF) && !HANDS_OFF) fail(ASKED_FOR_HANDOFF);
  if ((set & WAKING) && TRANSFERS) fail(TOLD_TO_TRY);
  if ((before & WRITER) && !(after & WRITER) && S[block + INSIDE] == DOWNGRADING) S[block + INSIDE] = 1;
}

/* A queued writer has taken the lock; the queue is as it was. */
static void took_from_queue(int before, int me, int block) {
  int head = S[HEAD_SLOT];
  if (owners[head] == me) return;
  if (S[block + BLOCKING_GRANT] != WAITING || TRANSFERS) fail(NOT_FIRST);
  if ((before & HANDOFF) && S[slots[head + HANDOFF_SET]]) fail(PAST_THE_FIRST);
}

/* After a write to what may be the grant word of another: who has been granted holds the lock from here on. */
static void signalled(int address, int word) {
  if (word != GRANTED || !are_grants[address]) return;
  int agent = owners[address];
  int granted = S[slots[address + KIND]] & WRITE_WAITER ? GRANTED_WRITE : GRANTED_READ;
  if (granted == GRANTED_WRITE && !HANDS_OFF && !TRANSFERS) fail(GRANTED_UNASKED);
  for (int record = 0; record < RECORDS; record++) {
    if (agent + records[record] == address) S[BLOCK((agent - AGENT_0) / AGENT_WORDS) + INSIDE] |= granted << record;
  }
}

static void collected(int block, int record) {
  S[block + INSIDE] &= ~((GRANTED_READ | GRANTED_WRITE) << record);
}

/* A try has ended without the lock: is that the answer to the count as it is? */
static void tried_in_vain(int status) {
  int answer = ACQUIRED;
  if (S[0] < 0) answer = TOO_MANY_READERS;
  else if (S[0] & READ_FAILED) answer = BUSY;
  else if (S[0] + READER < 0) answer = TOO_MANY_READERS;
  if (status != answer) fail(WRONG_ANSWER);
}

static int is_writer_first(void) {
  return S[HEAD_SLOT] != 0 && (S[slots[S[HEAD_SLOT] + KIND]] & WRITE_WAITER) != 0;
}

static void would_deadlock(int was_writer_first) {
  if (!was_writer_first) fail(WRONG_ANSWER);
}

#include "steps.c"

static int is_enabled(int thread) {
  int block = BLOCK(thread);
  int pc = S[block + PC];
  if (pc == 0) return 0;
  if (S[block + SLEEP] != 0) return stop_flags[pc] & TIMED || SPURIOUS;
  return !(stop_flags[pc] & NEEDS_FREE_WAIT_LOCK) || S[WAIT_LOCK_SLOT] == 0;
}

static void scrub(int block) {
  for (int at = 0; at < SCRUBBED; at++) S[block + scrubbed[at]] = scrubbed_to[at];
}

static void stop_thread(int thread) {
  int block = BLOCK(thread);
  scrub(block);
  S[block + PC] = 0;
  S[block + AT_OPERATION] = operations[thread];
}

static void finish_operation(int thread) {
  int block = BLOCK(thread);
  int next = S[block + AT_OPERATION] + 1;
  if (next == operations[thread] && repeats[thread]) next--;
  if (next == operations[thread]) {
    stop_thread(thread);
    return;
  }
  scrub(block);
  S[block + PC] = entries[thread][next];
  S[block + AT_OPERATION] = next;
}

static void step(int thread) {
  int block = BLOCK(thread);
  made = 0;
  S[block + SLEEP] = 0;
  for (int turns = 0;; turns++) {
    if (turns > MOST_CHAINED) {
      fail(NEVER_ENDS);
      return;
    }
    int pc = S[block + PC];
    int next = run_from(pc, block, AGENT(thread));
    if (next < 0) {
      if (next == STOPS) stop_thread(thread);
      else finish_operation(thread);
      return;
    }
    S[block + PC] = next;
    if (NO_PARK && S[block + SLEEP] == WAIT_LOCK_SLOT + 1) fail(PARKED);
    if ((stop_flags[next] & MAY_NOT_SLEEP) && S[block + SLEEP] != 0 && S[block + SLEEP] != WAIT_LOCK_SLOT + 1) fail(SLEPT_TOO_LONG);
    if (!(stop_flags[pc] & CHAINS) || S[block + SLEEP] != 0) return;
    if ((stop_flags[next] & NEEDS_FREE_WAIT_LOCK) && S[WAIT_LOCK_SLOT] != 0) return;
  }
}

static int field(int waiter, int at) {
  int slot = waiter + at >= 0 && waiter + at < ADDRESSES ? slots[waiter + at] : -1;
  return slot < 0 ? 0 : S[slot];
}

static int bits(int some) {
  return (some & 1) + (some >> 1 & 1) + (some >> 2 & 1);
}

/* Each thread is done, asleep, or inside and in no hurry. */
static int is_quiet(void) {
  for (int thread = 0; thread < THREADS; thread++) {
    int block = BLOCK(thread);
    if (S[block + SLEEP] != 0) {
      if (S[block + SLEEP] == WAIT_LOCK_SLOT + 1) return 0;
    } else if (S[block + PC] != 0 && (!(stop_flags[S[block + PC]] & LINGERS) || S[block + INSIDE] == 0)) return 0;
  }
  return 1;
}

/* The queue, while nobody has the wait lock. */
static int judge_queue(void) {
  int count = S[0], head = S[HEAD_SLOT], previous = 0, length = 0;
  if (S[WAIT_LOCK_SLOT] != 0) return FINE;
  if (((count & WAITERS) != 0) != (head != 0)) return WAITERS_WRONG;
  if ((count & HANDOFF) && head == 0) return HANDOFF_WRONG;
  for (int waiter = head; waiter != 0; waiter = field(waiter, NEXT)) {
    if (++length > 16 || waiter + GRANT >= ADDRESSES || slots[waiter + GRANT] < 0 || field(waiter, PREV) != previous) return QUEUE_BROKEN;
    int grant = field(waiter, GRANT);
    if (grant != WAITING && !(grant == WOKEN && waiter == head && (field(waiter, KIND) & WRITE_WAITER))) return GRANT_WRONG;
    if (waiter != head && field(waiter, HANDOFF_SET)) return HANDOFF_SET_WRONG;
    previous = waiter;
  }
  if (S[TAIL_SLOT] != previous) return TAIL_WRONG;
  if (((count & WAKING) != 0) != (head != 0 && field(head, GRANT) == WOKEN)) return WAKING_WRONG;
  return FINE;
}

static int judge(void) {
  int count = S[0], head = S[HEAD_SLOT], readers = 0, writers = 0;
  if (S[FAILED]) return S[FAILED];
  for (int thread = 0; thread < THREADS; thread++) {
    int inside = S[BLOCK(thread) + INSIDE];
    readers += (inside & READS_INSIDE) + bits(inside / GRANTED_READ);
    writers += ((inside & (WRITES_INSIDE | DOWNGRADING)) != 0) + bits(inside / GRANTED_WRITE);
  }
  if (writers > 1 || (writers == 1 && readers > 0)) return EXCLUSION;
  if (count < 0 ? readers > 1 : count / READER < readers) return READERS_NOT_COUNTED;
  if (writers > 0 && !(count & WRITER)) return WRITER_NOT_COUNTED;
  int queue = judge_queue();
  if (queue != FINE || !is_quiet()) return queue;
  if (count / READER != readers || ((count & WRITER) != 0) != (writers > 0)) return QUIETLY_MISCOUNTED;
  if (head != 0 && readers == 0 && writers == 0) return QUIETLY_FORGOTTEN;
  if (head != 0 && writers == 0 && !FULL_WITH_ONE && !(count & HANDOFF) && !(field(head, KIND) & WRITE_WAITER)) return QUIETLY_QUEUED;
  return FINE;
}

/* Why a state in which nobody can make a step is no good end; 0 if it is one. */
static const char *judge_end(void) {
  int waiting = 0, asleep = 0;
  for (int thread = 0; thread < THREADS; thread++) {
    if (is_enabled(thread)) return 0;
    waiting += S[BLOCK(thread) + PC] != 0;
    asleep += S[BLOCK(thread) + PC] != 0 && S[BLOCK(thread) + SLEEP] != 0;
  }
  if (asleep > 0) return "LOST|nobody can go on, and nobody is left to wake those who wait";
  if (waiting > 0) return "STUCK|nobody can go on: the wait lock is not given back";
  for (int at = 0; at < IDLE_SLOTS; at++) if (S[idle_slots[at]] != 0) return "STUCK|I12: everybody is done, and not every word is idle";
  return 0;
}

/* What the next step of each thread can lead to, from the state in which it was last looked at. */
static struct {
  int from[STATE_WORDS + 2], to[MOST_COMBINATIONS][STATE_WORDS + 2];
  int many;
} ahead[THREADS];

/* How many ways it can go, in the present state. */
static int combinations(int thread) {
  int many = 0;
  if (ahead[thread].many > 0 && memcmp(ahead[thread].from, S, sizeof S) == 0) return ahead[thread].many;
  memcpy(ahead[thread].from, S, sizeof S);
  choices = 0;
  do {
    if (many >= MOST_COMBINATIONS) {
      printf("COMBINATIONS more than %d\n", many);
      exit(3);
    }
    memcpy(S, ahead[thread].from, sizeof S);
    step(thread);
    S[NOWHERE] = 0;
    fail(judge());
    memcpy(ahead[thread].to[many++], S, sizeof S);
  } while (next_combination());
  memcpy(S, ahead[thread].from, sizeof S);
  return ahead[thread].many = many;
}

/* Can this thread make a step, its free choices made so? */
static int may(int thread, int choice) {
  return !S[FAILED] && is_enabled(thread) && choice < combinations(thread);
}

static void go(int thread, int choice) {
  static int tells = -1;
  if (tells < 0) tells = getenv("RWSEM_MOVES") != 0;
  if (tells) printf("MOVE %d %d\n", thread, choice);
  if (may(thread, choice)) memcpy(S, ahead[thread].to[choice], sizeof S);
}

static const char *failure(void) {
  return S[FAILED] ? FAILURES[S[FAILED]] : judge_end();
}

/* Once it is known, it goes to whoever started this. */
static void say_failure(void) {
  printf("FAILURE %s\n", failure());
}
