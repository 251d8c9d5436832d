/** The conformance suite over memories and policies, and what is particular to spaces, policies and errors. */
import { LockSpace, RwSem } from 'rwsem';
import { conformance } from './conformance.ts';
import { endsByItself, type MakeLock } from './helpers/agents.ts';
import { POLICIES } from './helpers/policies.ts';
import './spaces/creating.ts';
import './spaces/many-locks.ts';
import './spaces/policies.ts';
import './spaces/ends.ts';
import './spaces/errors.ts';

/** Spaces as small as the tests allow: there are thousands of them. */
const SMALL = { agents: 4, waiters: 256 };

/** Places in one memory, again and again: engines reserve gigabytes of addresses for each memory. */
function inWasmMemory(): MakeLock {
  const memory = new WebAssembly.Memory({ initial: 160, maximum: 170, shared: true });
  let end = 64 * 1001;
  return (capacities) => {
    const options = { ...capacities, locks: 2 };
    const byteLength = Math.ceil(LockSpace.byteLength(options) / 64) * 64;
    const byteOffset = end + byteLength > memory.buffer.byteLength ? 64 * 1001 : end;
    end = byteOffset + byteLength;
    return LockSpace.format(memory.buffer, byteOffset, options).rwsem(1);
  };
}

conformance('a lock of its own', (capacities) => RwSem.create(capacities));
conformance('the fourth of five locks', (capacities) => LockSpace.create({ ...SMALL, ...capacities, locks: 5 }).rwsem(3));
conformance('in the memory of a WebAssembly module', inWasmMemory());
for (const policy of Object.values(POLICIES)) {
  const what = Object.entries(policy).map(([key, value]) => `${key}: ${value}`);
  if (what.length > 0) conformance(`policy ${what}`, (capacities) => RwSem.create({ ...SMALL, ...capacities, policy }));
}

endsByItself();
