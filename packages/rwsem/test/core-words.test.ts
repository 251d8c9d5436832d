import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
// Internals: the layout and the predicates are not part of the public interface.
import * as count from '../dist/core/count.js';
import * as fastPath from '../dist/core/fast-path.js';
import * as layout from '../dist/core/layout.js';
import * as owner from '../dist/core/owner.js';
import * as queue from '../dist/core/queue.js';
import { encodeHeader } from '../dist/format.js';
import { sumEvents } from '../dist/lock-events.js';

const word = fc.integer({ min: -0x80000000, max: 0x7fffffff });

test('the fields of the count word do not overlap and cover the guard', () => {
  const { WRITER, WAITERS, HANDOFF, READER, MAX_READERS, HELD_MASK, READ_FAILED } = layout;
  assert.deepEqual([WRITER, WAITERS, HANDOFF, READER], [1, 2, 4, 256]);
  assert.equal((MAX_READERS * READER) | 0, 0x7fffff00);
  assert.ok(((MAX_READERS + 1) * READER | 0) < 0, 'one reader more sets the sign');
  assert.equal(READ_FAILED, WRITER | WAITERS | HANDOFF | 0x80000000);
  assert.equal(HELD_MASK, WRITER | (MAX_READERS * READER) | 0x80000000);
});

test('predicates agree with the fields of any count', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.boolean(), fc.integer({ min: 0, max: layout.MAX_READERS }), (w, a, h, readers) => {
      const c = (w ? 1 : 0) | (a ? 2 : 0) | (h ? 4 : 0) | (readers << 8);
      assert.equal(count.isWriteLocked(c), w);
      assert.equal(count.hasWaiters(c), a);
      assert.equal(count.hasHandoff(c), h);
      assert.equal(count.readerCount(c), readers);
      assert.equal(count.isHeld(c), w || readers > 0);
      assert.equal(count.readerIsIn(c), !w && !a && !h);
      assert.equal(count.isOverflown(c), false);
    }),
  );
});

test('a count with the sign bit is held, overflown, and admits nobody', () => {
  fc.assert(
    fc.property(word, (any) => {
      const c = any | 0x80000000;
      assert.ok(count.isHeld(c) && count.isOverflown(c) && count.isNearlyFull(c) && !count.readerIsIn(c));
    }),
  );
});

test('the fast paths do to any count what the predicates say', () => {
  const mem = new Int32Array(new SharedArrayBuffer(64));
  const me = owner.readerTag((3 << layout.AGENT_ID_SHIFT) | (1 << layout.INCARNATION_SHIFT));
  fc.assert(
    fc.property(fc.nat(15), fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: layout.MAX_READERS })), fc.boolean(), (low, readers, recorded) => {
      const before = low | (readers << 8);
      const after = (before + layout.READER) | 0;
      mem[layout.OWNER] = recorded ? me : me | layout.NONSPINNABLE;
      mem[layout.COUNT] = before;
      assert.equal(fastPath.enterReader(mem, 0, me), count.readerIsIn(after) && recorded ? 0 : after);
      assert.equal(mem[layout.COUNT], after);

      const someoneToWake = count.hasWaiters(before) && !count.isWaking(before);
      mem[layout.COUNT] = before;
      assert.equal(fastPath.releaseRead(mem, 0), someoneToWake && !count.isHeld((before - layout.READER) | 0));
      mem[layout.COUNT] = before;
      assert.equal(fastPath.releaseWrite(mem, 0), someoneToWake);
    }),
  );
});

test('the fields of the owner word do not overlap, and every agent id and incarnation fits', () => {
  const { AGENT_ID_MASK, AGENT_ID_SHIFT, INCARNATION_MASK, INCARNATION_SHIFT, IDENTITY_MASK } = layout;
  const flags = layout.READER_OWNED | layout.NONSPINNABLE | layout.ASYNC_OWNER;
  assert.equal(flags, 7);
  assert.equal((AGENT_ID_MASK << AGENT_ID_SHIFT) & (INCARNATION_MASK << INCARNATION_SHIFT), 0);
  assert.equal((AGENT_ID_MASK << AGENT_ID_SHIFT) | (INCARNATION_MASK << INCARNATION_SHIFT), IDENTITY_MASK);
  assert.equal(IDENTITY_MASK & flags, 0);
  assert.ok(IDENTITY_MASK > 0, 'an identity is a positive number');
});

test('a reader that records itself keeps NONSPINNABLE, a writer clears it', () => {
  const mem = new Int32Array(new SharedArrayBuffer(64));
  const tag = (3 << layout.AGENT_ID_SHIFT) | (1 << layout.INCARNATION_SHIFT);
  owner.recordReader(mem, 0, tag);
  owner.setNonspinnable(mem, 0, mem[layout.OWNER] as number);
  owner.recordReader(mem, 0, tag + (1 << layout.AGENT_ID_SHIFT));
  assert.ok(owner.isNonspinnable(mem[layout.OWNER] as number) && owner.isReaderOwned(mem[layout.OWNER] as number));
  owner.recordWriter(mem, 0, tag);
  assert.equal(mem[layout.OWNER], tag);
  owner.setNonspinnable(mem, 0, tag);
  assert.equal(mem[layout.OWNER], tag, 'only readers are marked');
});

test('records keep their parts apart', () => {
  const { AGENT_WORDS, BLOCKING_WAITER, WAITER_WORDS, EVENTS, EVENT_COUNT, HELD, WAKE_LIST, WAKE_LIST_WORDS, WAKE_COUNT } = layout;
  assert.ok(WAKE_COUNT < BLOCKING_WAITER);
  assert.ok(BLOCKING_WAITER + WAITER_WORDS <= EVENTS);
  assert.ok(EVENTS + EVENT_COUNT <= HELD);
  assert.ok(HELD + 16 <= WAKE_LIST);
  assert.equal(WAKE_LIST + WAKE_LIST_WORDS, AGENT_WORDS);
  assert.equal(layout.COUNT, 0, 'the fast path leaves it out');
  assert.ok(layout.CLAIMED_BY < WAITER_WORDS && layout.SPIN_TAIL < layout.LOCK_WORDS);
  for (const size of [AGENT_WORDS, WAITER_WORDS, layout.HEADER_WORDS, BLOCKING_WAITER]) assert.equal(size % 16, 0, 'cache lines');
});

test('the counters are named in the order of their words, and so are the policies in that of their codes', () => {
  const constants = layout as unknown as Record<string, number>;
  const valueOf = (name: string): number | undefined => constants[name.replace(/[A-Z]/g, '_$&').replaceAll('-', '_').toUpperCase()];
  const events = Object.keys(sumEvents(new Int32Array(0), []));
  assert.equal(events.length, layout.EVENT_COUNT);
  assert.deepEqual(events.map(valueOf), [...events.keys()]);
  for (const spin of ['off', 'known-owner', 'any-owner'] as const) {
    assert.equal(encodeHeader({ policy: { spin } })[layout.POLICY_SPIN], valueOf(`spin-${spin}`));
  }
  for (const writerWake of ['steal', 'grant'] as const) {
    assert.equal(encodeHeader({ policy: { writerWake } })[layout.POLICY_WRITER_WAKE], valueOf(`wake-${writerWake}`));
  }
});

test('whoever is before an urgent waiter is as urgent, wherever in the queue it came in, and nobody else is', () => {
  const { HANDOFF_AT_ONCE, HANDOFF_NEVER, HANDOFF_RULE, HEAD, NEXT, POLICY_HANDOFF_AFTER_MS, NEVER_MS } = layout;
  const arrival = fc.record({ urgent: fc.boolean(), before: fc.option(fc.nat(20), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 12 }), (arrivals) => {
      const mem = new Int32Array(new SharedArrayBuffer(4 * 4096));
      mem[POLICY_HANDOFF_AFTER_MS] = NEVER_MS;
      const lock = 1024;
      const expected: { waiter: number; urgent: boolean }[] = [];
      for (const [index, { urgent, before }] of arrivals.entries()) {
        const waiter = 2048 + index * layout.WAITER_WORDS;
        queue.prepareWaiter(mem, lock, waiter, 0, urgent);
        const place = before === undefined || expected.length === 0 ? expected.length : before % expected.length;
        if (place === expected.length) queue.append(mem, lock, waiter);
        else queue.insertBefore(mem, lock, waiter, expected[place]?.waiter as number);
        expected.splice(place, 0, { waiter, urgent });
      }
      const last = expected.findLastIndex(({ urgent }) => urgent);
      const rules: number[] = [];
      for (let at = mem[lock + HEAD] as number; at !== 0; at = mem[at + NEXT] as number) rules.push(mem[at + HANDOFF_RULE] as number);
      assert.deepEqual(rules, expected.map((_, place) => (place <= last ? HANDOFF_AT_ONCE : HANDOFF_NEVER)));
    }),
  );
});
