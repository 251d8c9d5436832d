/** Random acquisitions of three agents against a model that knows who holds what. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { ReadGuard, RwSem, WriteGuard } from 'rwsem';
import { assertFree, type MakeLock, NOT_OWNER, seats, state } from '../helpers/agents.ts';

const OPS = ['tryRead', 'tryWrite', 'tryDownRead', 'tryDownWrite', 'upRead', 'upWrite', 'downgradeWrite', 'release', 'releaseAgain', 'downgrade'] as const;
const ASYNC_OPS = ['readAsync', 'writeAsync', 'timed', 'abort', 'turn', ...OPS] as const;

/** What the lock holds, as far as a caller can know: no queue in it. */
class Model {
  readonly lock: RwSem[];
  readonly guards: Array<ReadGuard | WriteGuard> = [];
  readonly ended: Array<ReadGuard | WriteGuard> = [];
  readonly raw: Array<{ read: number; write: boolean }>;

  constructor(lock: RwSem[]) {
    this.lock = lock;
    this.raw = lock.map(() => ({ read: 0, write: false }));
  }

  get readers(): number {
    return this.guards.filter(({ mode }) => mode === 'read').length + this.raw.reduce((sum, { read }) => sum + read, 0);
  }

  get writers(): number {
    return this.guards.filter(({ mode }) => mode === 'write').length + this.raw.filter(({ write }) => write).length;
  }

  /** True if it was granted; both sides must agree on what is free, unless somebody waits. */
  step(op: (typeof OPS)[number], agent: number, pick: number, nobodyWaits: boolean): void {
    const lock = this.lock[agent] as RwSem;
    const raw = this.raw[agent]!;
    const admits = { read: this.writers === 0, write: this.writers + this.readers === 0 };
    const agrees = (mode: 'read' | 'write', granted: boolean): void => {
      if (nobodyWaits) assert.equal(granted, admits[mode], `try ${mode}`);
      else assert(!granted || admits[mode], `${mode} beside a holder`);
    };
    switch (op) {
      case 'tryRead':
      case 'tryWrite': {
        const guard = lock[op]();
        agrees(op === 'tryRead' ? 'read' : 'write', guard !== null);
        if (guard) this.guards.push(guard);
        break;
      }
      case 'tryDownRead': {
        const granted = lock.tryDownRead();
        agrees('read', granted);
        if (granted) raw.read++;
        break;
      }
      case 'tryDownWrite': {
        const granted = lock.tryDownWrite();
        agrees('write', granted);
        if (granted) raw.write = true;
        break;
      }
      case 'upRead':
        if (raw.read === 0) assert.throws(() => lock.upRead(), NOT_OWNER);
        else {
          raw.read--;
          lock.upRead();
        }
        break;
      case 'upWrite':
        if (!raw.write) assert.throws(() => lock.upWrite(), NOT_OWNER);
        else {
          raw.write = false;
          lock.upWrite();
        }
        break;
      case 'downgradeWrite':
        if (!raw.write) assert.throws(() => lock.downgradeWrite(), NOT_OWNER);
        else {
          raw.write = false;
          raw.read++;
          lock.downgradeWrite();
        }
        break;
      case 'release': {
        const [guard] = this.guards.splice(pick % (this.guards.length || 1), 1);
        if (!guard) break;
        assert.equal(guard.held, true);
        guard.release();
        this.ended.push(guard);
        break;
      }
      case 'releaseAgain':
        this.ended[pick % (this.ended.length || 1)]?.release();
        break;
      case 'downgrade': {
        const guard = this.guards[pick % (this.guards.length || 1)];
        if (guard?.mode !== 'write') break;
        this.guards.splice(this.guards.indexOf(guard), 1, guard.downgrade());
        this.ended.push(guard);
      }
    }
    for (const guard of this.ended) assert.equal(guard.held, false);
  }

  agrees(): void {
    const { mode, readers } = state(this.lock[0] as RwSem);
    assert.deepEqual({ mode, readers }, { mode: this.writers ? 'write' : this.readers ? 'read' : 'free', readers: this.readers });
  }

  releaseAll(): void {
    for (const guard of this.guards.splice(0)) {
      guard.release();
      this.ended.push(guard);
    }
    this.lock.forEach((lock, agent) => {
      const raw = this.raw[agent]!;
      if (raw.write) lock.upWrite();
      while (raw.read > 0) {
        raw.read--;
        lock.upRead();
      }
      raw.write = false;
    });
  }
}

export function model(makeLock: MakeLock): void {
  test('random acquisitions that do not wait agree with the model', () => {
    const step = fc.tuple(fc.constantFrom(...OPS), fc.nat(2), fc.nat(7));
    const { lock, other, third } = seats(makeLock());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const model = new Model([lock, other, third]);
        for (const [op, agent, pick] of steps) {
          model.step(op, agent, pick, true);
          model.agrees();
        }
        model.releaseAll();
        assertFree(lock, other, third);
      }),
      { numRuns: 40 },
    );
  });

  test('random acquisitions that queue, time out and are aborted are exclusive, and all settle', async () => {
    const step = fc.tuple(fc.constantFrom(...ASYNC_OPS), fc.nat(2), fc.nat(7));
    const { lock, other, third } = seats(makeLock({ waiters: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const model = new Model([lock, other, third]);
        const aborts: AbortController[] = [];
        const open = new Set<Promise<void>>();
        let drains = false;
        for (const [op, agent, pick] of steps) {
          if (op === 'turn') {
            await setImmediate();
          } else if (op === 'abort') {
            aborts[pick % (aborts.length || 1)]?.abort();
          } else if (op === 'readAsync' || op === 'writeAsync' || op === 'timed') {
            const controller = new AbortController();
            aborts.push(controller);
            const form = op === 'timed' ? (pick % 2 ? 'readAsync' : 'writeAsync') : op;
            const timeoutMs = op === 'timed' ? pick % 3 : Infinity;
            const done = model.lock[agent]![form]({ signal: controller.signal, timeoutMs, urgent: pick > 4 }).then(
              (guard) => {
                assert.equal(model.writers, 0, 'granted beside a writer');
                if (guard.mode === 'write') assert.equal(model.readers, 0, 'written beside a reader');
                if (drains) guard.release();
                else model.guards.push(guard);
              },
              (error: { name: string }) => assert.match(error.name, /^(Abort|Timeout)Error$/),
            );
            open.add(done);
            void done.finally(() => open.delete(done)).catch(() => {});
          } else {
            model.step(op, agent, pick, false);
          }
        }
        drains = true;
        model.releaseAll();
        await Promise.all(open);
        assertFree(lock, other, third);
      }),
      { numRuns: 25 },
    );
  });
}
