import { parentPort, workerData } from 'node:worker_threads';
import type { CastData, CastReply, CastRequest, Stage, Step } from '../helpers/cast.ts';

const { library, patienceMs, withoutWaitAsync } = workerData as CastData;
if (withoutWaitAsync) delete (Atomics as { waitAsync?: unknown }).waitAsync;
const { LockSpace } = (await import(library)) as typeof import('rwsem');
let stage: Stage | undefined;

function enter(handle: import('rwsem').LockSpaceHandle, words: Int32Array): Stage {
  const space = LockSpace.attach(handle);
  const lock = space.rwsem(0);
  return {
    space,
    lock,
    words,
    kept: {},
    promises: {},
    spinUntil(condition, what) {
      const giveUpAt = performance.now() + patienceMs;
      while (!condition()) {
        if (performance.now() > giveUpAt) throw new Error(`never came: ${what}; ${JSON.stringify(lock.inspect())}`);
      }
    },
    outcome(attempt) {
      try {
        attempt();
        return 'granted';
      } catch (error) {
        return (error as { code?: string }).code ?? (error as Error).name;
      }
    },
  };
}

async function answer(request: CastRequest): Promise<unknown> {
  if ('begin' in request) {
    stage = enter(request.begin, request.words);
    return stage.space.agent;
  }
  if (!stage) throw new Error('a step outside of a scene');
  if ('end' in request) return stage.space.detach();
  const step = (0, eval)(`(${request.step})`) as Step<unknown, unknown>;
  return await step(stage, request.argument);
}

parentPort?.on('message', (request: CastRequest) => {
  const reply = (said: Omit<CastReply, 'id'>): void => parentPort?.postMessage({ id: request.id, ...said } satisfies CastReply);
  answer(request).then(
    (value) => reply({ value }),
    ({ name, message, code }: Error & { code?: string }) => reply({ error: { name, message, code } }),
  );
});
