/**
 * The measured loop over the shipped lock, in the portable subset: what `downRead`, `downWrite`, `upRead`
 * and `upWrite` of the public class do, without their arguments' checks. Only lowered, never run as it is.
 */
import { AGENT_TAG } from '../../../../rwsem/dist/core/layout.js';
import { readerIsIn } from '../../../../rwsem/dist/core/count.js';
import { enterReader, enterWriter, releaseRead, releaseWrite } from '../../../../rwsem/dist/core/fast-path.js';
import { relaxedLoad } from '../../../../rwsem/dist/core/memory.js';
import { readerTag, recordReader } from '../../../../rwsem/dist/core/owner.js';
import { readSlow } from '../../../../rwsem/dist/core/read.js';
import { wakeAfterRead, wakeAfterWrite } from '../../../../rwsem/dist/core/release.js';
import { countWriteSteal, stealRead, stealWrite } from '../../../../rwsem/dist/core/steal.js';
import { writeSlow } from '../../../../rwsem/dist/core/write.js';
import { entered, hold, leaving, nextOperation, think } from './intrinsics.ts';

const READ = 0;
const WRITE = 1;

export function agent(mem: Int32Array, lock: number, me: number): void {
  const tag = relaxedLoad(mem, me + AGENT_TAG);
  const asReader = readerTag(tag);
  let free = 0;
  for (;;) {
    if (nextOperation() === READ) {
      const count = enterReader(mem, lock, asReader);
      if (count !== 0) {
        if (readerIsIn(count)) recordReader(mem, lock, tag);
        else if (!stealRead(mem, lock, me, count)) readSlow(mem, lock, me, count, false, 0, false, false, 0);
      }
      entered(READ);
      hold(READ);
      leaving(READ);
      if (releaseRead(mem, lock)) wakeAfterRead(mem, lock, me);
    } else {
      const count = enterWriter(mem, lock, tag, free);
      if ((count | free) !== 0) {
        if (count === free) countWriteSteal(mem, me, count);
        else if (stealWrite(mem, lock, me, count)) free = count;
        else writeSlow(mem, lock, me, false, false, 0);
      }
      entered(WRITE);
      hold(WRITE);
      leaving(WRITE);
      if (releaseWrite(mem, lock)) wakeAfterWrite(mem, lock, me);
    }
    think();
  }
}
