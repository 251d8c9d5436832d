/** A trace for people: one column per thread, the statement with its place, and below it what it changed. */
import type { Program } from './model/program.ts';
import type { Trace } from './replay.ts';
import { threadName } from './schedule.ts';

const INDENT = 4;

export function printTrace(program: Program, trace: Trace): string {
  const { steps, failure, isOver, cycleAt } = trace;
  const threads = program.text.split('|').map((text) => text.trim());
  const lines = [...threads.map((text, thread) => `      ${indent(thread)}${threadName(thread)}: ${text}`), ''];
  steps.forEach(({ thread, statements, changes }, index) => {
    if (index === cycleAt) lines.push('', '      and from here again and again:', '');
    const margin = `      ${indent(thread)}`;
    const head = `${String(index + 1).padStart(4)}  ${indent(thread)}${threadName(thread)}  `;
    const texts = statements.map(({ place, note }) => `${place.file}:${place.line}  ${place.text}${note && `    (${note})`}`);
    (texts.length > 0 ? texts : ['goes on']).forEach((text, line) => lines.push((line === 0 ? head : `${margin}   `) + text));
    if (changes.length > 0) lines.push(`${margin}     ${changes.join(', ')}`);
  });
  lines.push('', failure ? `${failure.property}: ${failure.text}` : isOver ? 'everybody is done, and nothing is wrong' : 'nothing is wrong up to here');
  return lines.join('\n');
}

function indent(thread: number): string {
  return ' '.repeat(INDENT * thread);
}
