/** The measured loop over the count word before 5.2. Only lowered, never run as it is. */
import { AGENT_TAG } from '../../../../rwsem/dist/core/layout.js';
import { relaxedLoad } from '../../../../rwsem/dist/core/memory.js';
import { readerTag } from '../../../../rwsem/dist/core/owner.js';
import { enterReaderBiased, enterWriterBiased, releaseReadBiased, releaseWriteBiased, wakeAfterBiasedRelease } from './bias-lock.ts';
import { entered, hold, leaving, nextOperation, think } from './intrinsics.ts';

const READ = 0;
const WRITE = 1;

export function agent(mem: Int32Array, lock: number, me: number): void {
  const tag = relaxedLoad(mem, me + AGENT_TAG);
  const asReader = readerTag(tag);
  for (;;) {
    if (nextOperation() === READ) {
      enterReaderBiased(mem, lock, me, tag, asReader);
      entered(READ);
      hold(READ);
      leaving(READ);
      if (releaseReadBiased(mem, lock)) wakeAfterBiasedRelease(mem, lock, me);
    } else {
      enterWriterBiased(mem, lock, me, tag);
      entered(WRITE);
      hold(WRITE);
      leaving(WRITE);
      if (releaseWriteBiased(mem, lock)) wakeAfterBiasedRelease(mem, lock, me);
    }
    think();
  }
}
