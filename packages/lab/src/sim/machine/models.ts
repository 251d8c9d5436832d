/** The machines of the documents, and this one. "Inferred": by us, from the figures named. */
import type { Figure, Figures, MachineModel } from './model.ts';

const figure = (value: number, why: string): Figure => ({ value, why });

/** Linux defaults at 8 processors and more. */
const FAIR_SCHEDULER = {
  latencyMs: figure(24, 'Linux, 6 ms times 1 + log2(8)'),
  minimumMs: figure(3, 'Linux, 0.75 ms times 1 + log2(8)'),
  wakeupGranularityMs: figure(4, 'Linux, 1 ms times 1 + log2(8)'),
  tickMs: figure(4, 'Linux, 250 Hz'),
};

const X86: Figures = {
  hopSameNs: figure(12, 'fitted once to "writers only, after" of D1 on x86'),
  hopCrossNs: figure(36, 'three times as much: typical of sockets joined directly'),
  snoopNs: figure(18, 'fitted together with the hop: a miss is 54 ns within a socket, about 126 ns between'),
  hopNoise: figure(0.3, 'without it, rates jump by quantisation'),
  latencyNoise: figure(0.5, 'with fixed durations threads lock into cycles'),
  atomicNs: figure(7, 'about 20 cycles'),
  loadNs: figure(1.5, '4 to 5 cycles'),
  storeNs: figure(1, 'into the store buffer'),
  pauseNs: figure(10, 'x86 before Skylake'),
  clockNs: figure(10, 'reading the time-stamp counter, scaled'),
  loopNs: figure(16.6, 'inferred: 31.2 million pairs a second of D1, after, on one thread, less the operations: 15.5 ns'),
  sleepNs: figure(300, 'inferred: the way into the scheduler'),
  contextSwitchNs: figure(1200, 'typical'),
  wakeNs: figure(700, 'typical'),
  wakeCrossNs: figure(500, 'typical'),
  notifyNs: figure(20, 'the kernel knows who sleeps: an empty list'),
  idleExitNs: figure(2000, 'C1, from the tables of cpuidle'),
  timerSlackNs: figure(0, 'kernel threads have none'),
  ...FAIR_SCHEDULER,
};

const SKYLAKE: Figures = { ...X86, pauseNs: figure(47, 'x86 from Skylake on: about 140 cycles') };

export const MODELS: Readonly<Record<string, MachineModel>> = {
  'x86-8-socket': { name: 'x86-8-socket', about: '8 sockets of 15 cores (IvyBridge-EX)', world: 'kernel', sockets: 8, coresPerSocket: 15, threadsPerCore: 1, figures: X86 },
  'arm64-2-socket': {
    name: 'arm64-2-socket',
    about: '2 sockets of 32 cores (ARM64)',
    world: 'kernel',
    sockets: 2,
    coresPerSocket: 32,
    threadsPerCore: 1,
    figures: {
      ...X86,
      hopSameNs: figure(37, 'fitted once, with the fill, to "4 threads, after" of D1 on this machine, before holds and messages overlapped; 12 to 16 % below it since'),
      snoopNs: figure(60, 'fitted together with the hop'),
      hopCrossNs: figure(111, 'three times as much, as on x86'),
      atomicNs: figure(12, 'inferred: exclusive load and store pairs with barriers'),
      loopNs: figure(21.4, 'inferred: 21.3 million pairs a second on one thread, less the operations: 25.5 ns'),
      pauseNs: figure(10, 'a yield hint does nothing; 10 ns for the turn'),
    },
  },
  'skylake-2-socket-80': { name: 'skylake-2-socket-80', about: '2 sockets of 20 cores, 80 hardware threads', world: 'kernel', sockets: 2, coresPerSocket: 20, threadsPerCore: 2, figures: SKYLAKE },
  'x86-2-socket-96': { name: 'x86-2-socket-96', about: '2 sockets of 24 cores, 96 hardware threads', world: 'kernel', sockets: 2, coresPerSocket: 24, threadsPerCore: 2, figures: X86 },
};

/** The same threads as JavaScript sees them. */
export function javaScriptWorld(model: MachineModel): MachineModel {
  return {
    ...model,
    name: `${model.name}, JavaScript`,
    world: 'javascript',
    figures: {
      ...model.figures,
      pauseNs: figure(4.5, 'no hint on Node 20; a turn of 6 ns as measured (DESIGN.md, "Constants"), less its load'),
      clockNs: figure(40, 'performance.now() on Node 20'),
      loopNs: figure(10, 'inferred: an uncontended pair takes 23 to 25 ns'),
      sleepNs: figure(1500, 'inferred: Atomics.wait: mutex, list of waiters, system call'),
      wakeNs: figure(1800, 'inferred: Atomics.notify with a sleeper: mutex, list, system call'),
      notifyNs: figure(60, 'inferred: Atomics.notify without one: mutex and hash table'),
      timerSlackNs: figure(50_000, 'Linux default for threads'),
    },
  };
}

/** A machine by its shape, for "what if". */
export function customModel(cores: number, sockets: number, threadsPerCore: number): MachineModel {
  const small = cores < 8;
  const scheduler = { latencyMs: figure(6, 'Linux'), minimumMs: figure(0.75, 'Linux'), wakeupGranularityMs: figure(1, 'Linux') };
  return {
    name: `${cores} cores, ${sockets} sockets`,
    about: `${cores} cores in ${sockets} sockets, ${threadsPerCore} hardware threads each`,
    world: 'kernel',
    sockets,
    coresPerSocket: cores / sockets,
    threadsPerCore,
    figures: small ? { ...X86, ...scheduler } : X86,
  };
}
