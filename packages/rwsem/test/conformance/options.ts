/** Options of an acquisition: `timeoutMs`, `signal`, `urgent`, and values that are none. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import type { AcquireOptions, RwSem } from 'rwsem';
import { assertFree, type MakeLock, seats, state, TIMED_OUT, turns, unchanged, watch } from '../helpers/agents.ts';

const BLOCKING = ['read', 'write'] as const;
const ASYNC = ['readAsync', 'writeAsync'] as const;

type Attempt = (lock: RwSem, options: AcquireOptions) => Promise<{ release(): void } | void>;

/** Every form with options; none throws before it returns its promise, but the blocking ones, which are made to. */
const FORMS: Record<string, Attempt> = {
  read: async (lock, options) => lock.read(options),
  write: async (lock, options) => lock.write(options),
  readAsync: (lock, options) => lock.readAsync(options),
  writeAsync: (lock, options) => lock.writeAsync(options),
  withRead: (lock, options) => lock.withRead(() => {}, options),
  withWrite: (lock, options) => lock.withWrite(() => {}, options),
};
const ASYNC_FORMS = Object.entries(FORMS).filter(([form]) => form.length > 5);

export function options(makeLock: MakeLock): void {
  for (const [form, attempt] of Object.entries(FORMS)) {
    test(`${form}: timeoutMs that is no time is a RangeError before anything happens`, async () => {
      const { lock, other } = seats(makeLock());
      for (const theirs of [() => null, () => other.write()]) {
        const held = theirs();
        const before = state(lock);
        for (const timeoutMs of [NaN, -1, -Infinity, -1e-9, '5', null, {}, [], true, Symbol('5'), 5n]) {
          await assert.rejects(attempt(lock, { timeoutMs: timeoutMs as number }), RangeError);
          assert.deepEqual(state(lock), before);
        }
        held?.release();
      }
      for (const timeoutMs of [0, -0, 0.5, 1e-9, 1e9, 2 ** 53, Number.MAX_VALUE, Infinity, undefined]) {
        (await attempt(lock, { timeoutMs } as AcquireOptions))?.release();
      }
      assertFree(lock, other);
    });

    test(`${form}: time runs out while another agent holds`, async () => {
      const { lock, other } = seats(makeLock());
      const theirs = other.write();
      for (const timeoutMs of [0, 0.1, 10]) {
        const before = state(lock);
        const start = performance.now();
        await assert.rejects(attempt(lock, { timeoutMs }), TIMED_OUT);
        // A timer of the runtime may be a millisecond early.
        assert(performance.now() - start >= timeoutMs - 2, `${timeoutMs} ms`);
        assert.deepEqual(state(lock), before);
      }
      theirs.release();
      assertFree(lock, other);
    });

    test(`${form}: a signal that has aborted wins, even if the lock is free`, async () => {
      const { lock, other } = seats(makeLock());
      for (const theirs of [() => null, () => other.write()]) {
        const held = theirs();
        const before = state(lock);
        for (const reason of [new Error('custom'), 'text', 0, null]) {
          const signal = AbortSignal.abort(reason);
          await assert.rejects(attempt(lock, { signal }), (error) => error === reason);
          assert.equal(getEventListeners(signal, 'abort').length, 0);
          assert.deepEqual(state(lock), before);
        }
        await assert.rejects(attempt(lock, { signal: AbortSignal.abort() }), { name: 'AbortError' });
        held?.release();
      }
      assertFree(lock, other);
    });

    test(`${form}: what getters throw is passed on, and the lock is not taken`, async () => {
      const { lock, other } = seats(makeLock());
      const boom = new Error('boom');
      for (const theirs of [() => null, () => other.write()]) {
        const held = theirs();
        const before = state(lock);
        for (const property of ['timeoutMs', 'signal', 'urgent'] as const) {
          const hostile = Object.defineProperty({}, property, {
            get() {
              throw boom;
            },
          });
          await assert.rejects(attempt(lock, hostile), (error) => error === boom);
          assert.deepEqual(state(lock), before);
        }
        held?.release();
      }
      assertFree(lock, other);
    });

    test(`${form}: options that are no options, and signals that are none, are TypeErrors`, async () => {
      const { lock } = seats(makeLock());
      for (const bad of [5, 'fast', true, Symbol('x')]) {
        await assert.rejects(attempt(lock, bad as never), TypeError);
      }
      for (const signal of [5, 'abort', true, {}]) {
        await assert.rejects(attempt(lock, { signal: signal as never }), TypeError);
      }
      assertFree(lock);
    });

    test(`${form}: granted at once with any sensible options, leaving no listener`, async () => {
      const { lock } = seats(makeLock());
      const controller = new AbortController();
      const { signal } = controller;
      for (const some of [{}, undefined, { signal }, { signal, timeoutMs: 5 }, { timeoutMs: 0 }, { urgent: true }, { urgent: false }]) {
        const guard = await attempt(lock, some as AcquireOptions);
        assert.equal(getEventListeners(signal, 'abort').length, 0);
        guard?.release();
      }
      controller.abort();
      assertFree(lock);
    });
  }

  for (const form of BLOCKING) {
    test(`${form} looks at the signal once, before it waits`, () => {
      const { lock, other } = seats(makeLock());
      const theirs = other.write();
      const controller = new AbortController();
      assert.throws(() => lock[form]({ timeoutMs: 5, signal: controller.signal }), TIMED_OUT);
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
      theirs.release();
      assertFree(lock, other);
    });
  }

  for (const [form, attempt] of ASYNC_FORMS) {
    test(`${form}: an abort while queued rejects with its reason and leaves nothing behind`, async () => {
      const { lock, other } = seats(makeLock());
      const theirs = other.write();
      const before = state(lock);
      for (const reason of [new Error('custom'), undefined, null, 'text']) {
        const controller = new AbortController();
        const queued = watch(attempt(lock, { signal: controller.signal, timeoutMs: 60_000 }));
        await turns();
        assert.equal(queued.outcome(), 'pending');
        assert.equal(lock.inspect().waiters.length, 1);
        controller.abort(reason);
        assert.deepEqual(state(lock), before, 'it has left the queue at once');
        await assert.rejects(queued.promise, (error) => error === controller.signal.reason);
        assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
      }
      theirs.release();
      assertFree(lock, other);
    });

    test(`${form}: the listener is removed after waiting, whatever came of it`, async () => {
      const { lock, other } = seats(makeLock());
      const { signal } = new AbortController();
      const theirs = other.write();
      await assert.rejects(attempt(lock, { signal, timeoutMs: 5 }), TIMED_OUT);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
      await assert.rejects(attempt(lock, { signal, timeoutMs: 0 }), TIMED_OUT);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
      const queued = attempt(lock, { signal });
      theirs.release();
      const guard = await queued;
      assert.equal(getEventListeners(signal, 'abort').length, 0);
      guard?.release();
      assertFree(lock, other);
    });

    test(`${form}: one signal may abort many at once`, async () => {
      const { lock, other } = seats(makeLock());
      const theirs = other.write();
      const controller = new AbortController();
      const queued = Array.from({ length: 8 }, () => attempt(lock, { signal: controller.signal }));
      const stays = attempt(lock, {});
      controller.abort(new Error('all of you'));
      for (const one of await Promise.allSettled(queued)) assert.equal(one.status, 'rejected');
      theirs.release();
      (await stays)?.release();
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
      assertFree(lock, other);
    });
  }

  for (const form of ASYNC) {
    test(`${form}: an abort after the grant does nothing`, async () => {
      const { lock, other } = seats(makeLock());
      for (const theirs of [() => null, () => other.write()]) {
        const held = theirs();
        const controller = new AbortController();
        const queued = lock[form]({ signal: controller.signal });
        held?.release();
        const guard = await queued;
        unchanged(lock, () => controller.abort());
        assert.equal(guard.held, true);
        assert.equal(other.tryWrite(), null);
        guard.release();
      }
      assertFree(lock, other);
    });

    test(`${form}: an abort that races with the release ends in a held lock or in a rejection`, async () => {
      const { lock, other } = seats(makeLock());
      for (const releaser of [lock, other]) {
        for (const abortFirst of [true, false]) {
          const held = releaser.write();
          const controller = new AbortController();
          const queued = lock[form]({ signal: controller.signal });
          if (abortFirst) controller.abort();
          held.release();
          if (!abortFirst) controller.abort();
          await queued.then(
            (guard) => {
              assert.equal(abortFirst, false);
              assert.equal(guard.held, true);
              assert.notEqual(lock.inspect().mode, 'free');
              guard.release();
            },
            (error: unknown) => assert.equal(error, controller.signal.reason),
          );
          assertFree(lock, other);
        }
      }
    });

    test(`${form}: a signal whose listener aborts another acquisition`, async () => {
      const { lock, other } = seats(makeLock());
      const held = other.write();
      const [first, second] = [new AbortController(), new AbortController()];
      first.signal.addEventListener('abort', () => second.abort(new Error('second')));
      const queued = [lock[form]({ signal: first.signal }), lock[form]({ signal: second.signal }), lock[form]()] as const;
      first.abort(new Error('first'));
      await assert.rejects(queued[0], /first/);
      await assert.rejects(queued[1], /second/);
      held.release();
      (await queued[2]).release();
      assertFree(lock, other);
    });
  }

  test('each option is read once', async () => {
    const { lock } = seats(makeLock());
    for (const attempt of Object.values(FORMS)) {
      const reads: string[] = [];
      const spying = new Proxy({} as AcquireOptions, {
        get(_, property) {
          reads.push(String(property));
          return undefined;
        },
      });
      (await attempt(lock, spying))?.release();
      assert.equal(new Set(reads).size, reads.length, reads.join());
    }
    assertFree(lock);
  });

  test('a waiter that times out lets the readers behind it join', async () => {
    const { lock, other, third } = seats(makeLock());
    const held = lock.read();
    const writer = other.writeAsync({ timeoutMs: 10 });
    const readers = [third.readAsync(), third.readAsync(), lock.readAsync()];
    await assert.rejects(writer, TIMED_OUT);
    for (const reader of readers) (await reader).release();
    held.release();
    assertFree(lock, other, third);
  });

  test('a waiter that is aborted lets the readers behind it join', async () => {
    const { lock, other, third } = seats(makeLock());
    const held = lock.read();
    const controller = new AbortController();
    const writer = watch(other.writeAsync({ signal: controller.signal }));
    const readers = [third.readAsync(), lock.readAsync()];
    await turns();
    controller.abort();
    for (const reader of readers) (await reader).release();
    assert.equal(writer.outcome(), 'failed');
    held.release();
    assertFree(lock, other, third);
  });

  test('an urgent writer asks for handoff at its first failed attempt', async () => {
    const { lock, other, third } = seats(makeLock());
    const held = lock.read();
    const urgent = watch(other.writeAsync({ urgent: true }));
    assert.equal(lock.inspect().handoff, true);
    assert.equal(third.tryRead(), null);
    assert.equal(third.tryWrite(), null);
    held.release();
    const guard = await urgent.promise;
    assert.equal(lock.inspect().handoff, false);
    guard.release();
    assertFree(lock, other, third);
  });

  test('urgent readers and writers, and ones that are not, are all served', async () => {
    const { lock, other, third } = seats(makeLock());
    const held = lock.write();
    const served: Promise<void>[] = [];
    for (let i = 0; i < 24; i++) {
      const form = i % 3 === 0 ? 'writeAsync' : 'readAsync';
      const agent = [lock, other, third][i % 3] as RwSem;
      served.push(agent[form]({ urgent: i % 4 < 2, timeoutMs: 60_000 }).then((guard) => guard.release()));
    }
    held.release();
    await Promise.all(served);
    assertFree(lock, other, third);
  });
}
