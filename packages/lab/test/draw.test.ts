import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draw, type PlotOption } from '../dist/report/draw.js';
import { renderPlots } from '../dist/report/html.js';

const NAMES = ['4 2023-grant-in-wake', '2R+2W readers rwsem{handoffAfterMs=Infinity,spin=any-owner,writerWake=grant,readerSteal=false}'];

/** What is written into the wide drawing and into the narrow one, line by line, and where it begins. */
function linesIn(option: PlotOption) {
  return draw('title', option).svg.split('<div').slice(1).map((one) => {
    const lines = [...one.matchAll(/<text([^>]*)>([^<]*)</g)].map(([, attributes, text]) => ({ text: text!, attributes: attributes! }));
    return { width: Number(/width="(\d+)"/.exec(one)![1]), lines };
  });
}

const contains = (lines: { text: string }[], name: string) => lines.map(({ text }) => text.replaceAll(' ', '')).join('').includes(name.replaceAll(' ', ''));

test('names of categories are written out, in lines that fit, wide and narrow', () => {
  const value = { type: 'value' } as const;
  const category = { type: 'category', data: NAMES } as const;
  const series = [{ type: 'bar', data: [1, 2] }];
  for (const option of [{ xAxis: value, yAxis: { ...category }, series }, { xAxis: { ...category }, yAxis: value, series }] as unknown as PlotOption[]) {
    const drawings = linesIn(option);
    assert.deepEqual(drawings.map(({ width }) => width), [560, 330]);
    for (const { width, lines } of drawings) {
      for (const name of NAMES) assert.ok(contains(lines, name), `${name} at ${width} in ${lines.map(({ text }) => text).join('|')}`);
      // Of a font of 12 px, letters of 6.5 px in the mean.
      for (const { text } of lines) assert.ok(text.length * 6.5 < width, text);
    }
  }
});

test('short names stand beside their bars in a wide plot, long ones above', () => {
  const bars = (names: string[]) => linesIn({ xAxis: { type: 'value' }, yAxis: { type: 'category', data: names }, series: [{ type: 'bar', data: [1, 2] }] })[0]!;
  const anchorOf = (names: string[]) => /text-anchor="(\w+)"/.exec(bars(names).lines.find(({ text }) => text === names[0])!.attributes)?.[1];
  assert.equal(anchorOf(['4 rwsem', '4 pthread']), 'end');
  assert.equal(anchorOf(['4 rwsem', NAMES[1]!]), 'start');
});

test('every series with a name is in the legend, in its colour; documents are dashed', () => {
  const plot = draw('title', {
    xAxis: { type: 'category', data: ['1'] },
    yAxis: { type: 'value' },
    series: [
      { name: NAMES[1]!, type: 'line', data: [1], color: '#123456' },
      { type: 'line', data: [2], color: '#234567' },
      { name: 'document', type: 'line', data: [3], color: '#345678', lineStyle: { type: 'dashed' } },
    ],
  });
  assert.deepEqual(plot.legend, [
    { name: NAMES[1], colour: '#123456', isDashed: false },
    { name: 'document', colour: '#345678', isDashed: true },
  ]);
  const legend = /<ul class="legend">.*<\/ul>/s.exec(renderPlots([plot]))![0];
  assert.match(legend, /dashed #345678"><\/i>document</);
  assert.ok(legend.replaceAll('<wbr>', '').includes(NAMES[1]!));
});
