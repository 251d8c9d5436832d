/**
 * Deliberately broken: looks, and then takes, in two steps. The check must notice. Only lowered, never run
 * as it is.
 */
import { COUNT, WRITER } from '../../../../rwsem/dist/core/layout.js';
import { isHeld } from '../../../../rwsem/dist/core/count.js';
import { pause } from '../../../../rwsem/dist/core/env.js';
import { entered, hold, leaving, nextOperation, think } from './intrinsics.ts';

const WRITE = 1;

export function agent(mem: Int32Array, lock: number, _me: number): void {
  for (;;) {
    nextOperation();
    while (isHeld(Atomics.load(mem, lock + COUNT))) pause();
    Atomics.store(mem, lock + COUNT, WRITER);
    entered(WRITE);
    hold(WRITE);
    leaving(WRITE);
    Atomics.store(mem, lock + COUNT, 0);
    think();
  }
}
