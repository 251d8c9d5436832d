/** The files of a SPIN model for one program: constants and tables, steps, and the Promela around them. */
import { DOWNGRADING, GRANTED_READ, GRANTED_WRITE, NO_RECORD, QUEUE_WORD, READS_INSIDE, SPIN_WORD, WAITER_WORD, WRITES_INSIDE } from '../model/layout.ts';
import { type LoadedProgram, MOST_CHAINED, STOPS } from '../model/model.ts';
import { emitSteps } from './emit-c.ts';

const CORE_WORDS = ['WRITER', 'WAITERS', 'HANDOFF', 'WAKING', 'READER', 'WAITING', 'WOKEN', 'GRANTED', 'WRITE_WAITER', 'GRANT', 'NEXT', 'PREV', 'KIND', 'HANDOFF_SET', 'WAIT_LOCK_CONTENDED', 'READ_FAILED', 'ACQUIRED', 'BUSY', 'TOO_MANY_READERS'];

/** By name of the file. `combinations`: of free choices in one step, at most. */
export function emitModel(loaded: LoadedProgram, combinations: number): Map<string, string> {
  return new Map([
    ['tables.c', tables(loaded, combinations)],
    ['steps.c', emitSteps(loaded.model.emitter)],
    ['model.pml', promela(loaded, combinations)],
  ]);
}

function tables(loaded: LoadedProgram, combinations: number): string {
  const { model, program, threads, words } = loaded;
  const { layout, mode, stops } = model;
  const { policy } = model.runtime;
  const slot = (name: string): number => layout.lockSlots.get(layout.word(name)) as number;
  const records = [layout.word('BLOCKING_WAITER'), ...layout.asyncWaiters].map((record) => record + layout.word('GRANT'));
  loaded.start();
  const initial = [...model.runtime.state.subarray(0, words)];
  const idle = [...layout.idleSlots];
  for (let thread = 0; thread < threads; thread++) {
    for (const name of ['WAKE_COUNT', 'READY']) {
      const at = layout.agentSlots.get(layout.word(name));
      if (at !== undefined) idle.push(model.block(thread) + at);
    }
  }
  const defines: Record<string, number> = {
    THREADS: threads, STATE_WORDS: words, LOCK_SLOTS: layout.lockWords, BLOCK_WORDS: model.blockWords,
    FRAME_WORDS: model.blockWords - layout.frameAt, AGENT_0: layout.agentAt(0), AGENT_WORDS: layout.agentWords,
    WAIT_LOCK_SLOT: slot('WAIT_LOCK'), HEAD_SLOT: slot('HEAD'), TAIL_SLOT: slot('TAIL'), SPURIOUS: Number(mode.spurious), FULL_WITH_ONE: Number(mode.readers === 3),
    NO_RECORD, QUEUE_WORD, WAITER_WORD, SPIN_WORD, ADDRESSES: layout.slots.length, MOST_COMBINATIONS: combinations,
    READS_INSIDE, WRITES_INSIDE, DOWNGRADING, GRANTED_READ, GRANTED_WRITE, STOPS, MOST_CHAINED, BELL_MODULUS: model.runtime.bellModulus,
    CHAINS: 1, NEEDS_FREE_WAIT_LOCK: 2, TIMED: 4, LINGERS: 8, MAY_NOT_SLEEP: 16, RECORDS: records.length, SCRUBBED: model.scrubbed.length, IDLE_SLOTS: idle.length,
    NO_PARK: Number(mode.noPark), HANDS_OFF: Number(policy.handsOff), TRANSFERS: Number(policy.transfers), STEALS: Number(policy.steals),
    BLOCKING_GRANT: layout.agentSlots.get(layout.word('BLOCKING_WAITER') + layout.word('GRANT')) as number,
    ...Object.fromEntries(CORE_WORDS.map((name) => [name, layout.word(name)])),
  };
  const flags = stops.map(({ chains, needsFreeWaitLock, timed, lingers }, number) => Number(chains) | (needsFreeWaitLock ? 2 : 0) | (timed ? 4 : 0) | (lingers ? 8 : 0) | (model.mayNotSleep[number] ? 16 : 0));
  const mostOperations = Math.max(...loaded.entries.map((entries) => entries.length));
  return [
    ...Object.entries(defines).map(([name, value]) => `#define ${name} (${value})`),
    `#define INITIAL_STATE ${list(initial)}`,
    table('short', 'slots', layout.slots),
    table('int', 'constants', layout.constants),
    table('char', 'classes', layout.classes),
    table('short', 'owners', layout.owners),
    table('short', 'grants', layout.grants),
    table('char', 'are_grants', layout.areGrants),
    table('short', 'records', records),
    table('char', 'stop_flags', flags),
    table('short', 'scrubbed', model.scrubbed.map(({ slot }) => slot)),
    table('char', 'scrubbed_to', model.scrubbed.map(({ value }) => value)),
    table('short', 'idle_slots', idle),
    table('short', 'operations', loaded.entries.map((entries) => entries.length)),
    table('char', 'repeats', program.threads.map(({ repeats }) => Number(repeats !== 'not'))),
    `static const short entries[THREADS][${mostOperations}] = { ${loaded.entries.map((entries) => list(entries)).join(', ')} };`,
    '',
  ].join('\n');
}

function list(values: Iterable<number>): string {
  return `{ ${[...values].join(', ')} }`;
}

function table(type: string, name: string, values: Iterable<number>): string {
  return `static const ${type} ${name}[] = ${list(values)};`;
}

/** One process that lets anybody who can make a step, in every way it can go; each step is one transition. */
function promela({ threads }: LoadedProgram, combinations: number): string {
  const ways: string[] = [];
  for (let thread = 0; thread < threads; thread++) {
    for (let choice = 0; choice < combinations; choice++) {
      ways.push(`  :: d_step { c_expr { (may(${thread}, ${choice})) } -> c_code { go(${thread}, ${choice}); } }`);
    }
  }
  return [
    'c_decl {',
    '\\#include "runtime.c"',
    '}',
    'c_track "S" "sizeof(int) * (STATE_WORDS + 1)"',
    'init {',
    'end:',
    '  do',
    ...ways,
    '  :: c_expr { (failure() != 0) } -> c_code { say_failure(); } -> assert(false)',
    '  od',
    '}',
    '',
  ].join('\n');
}
