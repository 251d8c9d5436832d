/** The lock, but in one thread a raw acquisition takes four seconds although the lock is there to be had. */
import { LockSpace as Sound, RwSem, type LockSpaceHandle } from 'rwsem';

export * from 'rwsem';

const UNLUCKY = 2;
const bed = new Int32Array(new SharedArrayBuffer(4));

export const LockSpace = {
  create: Sound.create,
  attach(handle: LockSpaceHandle): Sound {
    const space = Sound.attach(handle);
    if (space.agent !== UNLUCKY) return space;
    const { downRead, downWrite } = RwSem.prototype;
    RwSem.prototype.downRead = function (this: RwSem) {
      Atomics.wait(bed, 0, 0, 4000);
      downRead.call(this);
    };
    RwSem.prototype.downWrite = function (this: RwSem) {
      Atomics.wait(bed, 0, 0, 4000);
      downWrite.call(this);
    };
    return space;
  },
};
