// One lock per record: threads that touch different accounts never wait for each other.
// node examples/dist/many-locks.js

import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { LockSpace, type LockSpaceHandle } from 'rwsem';

const ACCOUNTS = 1000;
type Task = { handle: LockSpaceHandle; balances: Int32Array<SharedArrayBuffer> };

if (isMainThread) {
  const space = LockSpace.create({ locks: ACCOUNTS });
  const balances = new Int32Array(new SharedArrayBuffer(ACCOUNTS * 4)).fill(100);
  const task: Task = { handle: space.handle, balances };
  const workers = Array.from({ length: 4 }, () => new Worker(new URL(import.meta.url), { workerData: task }));
  await Promise.all(workers.map((worker) => once(worker, 'exit')));

  const total = balances.reduce((sum, balance) => sum + balance, 0);
  console.log(`${ACCOUNTS} accounts, ${balances.filter((balance) => balance !== 100).length} changed`);
  console.log(`the balances add up to ${total}, as before: ${total === ACCOUNTS * 100}`);
} else {
  const { handle, balances } = workerData as Task;
  const space = LockSpace.attach(handle);
  const anyAccount = () => Math.floor(Math.random() * ACCOUNTS);

  for (let i = 0; i < 20_000; i++) {
    const from = anyAccount();
    const to = anyAccount();
    if (from === to) continue;
    // Everybody locks the lower account first, so that no two threads wait for each other.
    using _lower = space.rwsem(Math.min(from, to)).write();
    using _higher = space.rwsem(Math.max(from, to)).write();
    if (balances[from]! > 0) {
      balances[from]!--;
      balances[to]!++;
    }
  }
}
