/** Plots as SVG text, drawn once: the report needs no script and no network to show them. */
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { AXIS, FONT, TEXT } from './plot-style.ts';

use([BarChart, LineChart, GridComponent, SVGRenderer]);

const WIDTH = 560;
/** On a phone, where a plot of the other width would be shrunk until nobody can read it. */
const NARROW_WIDTH = 330;
/** Of the part between the axes, unless rows need more. */
const HEIGHT = 220;
const LEFT = 70;
const RIGHT = 24;
/** About as wide as a letter and as high as a line, where no browser can be asked. */
const CHARACTER = 7;
const LINE = 14;
const AXIS_GAP = 8;
/** Of a category whose name stands beside it. */
const ROW = 22;
/** Of one whose name stands above. */
const BAR = 12;
const ROW_GAP = 10;

export interface Plot {
  title: string;
  svg: string;
  /** For the page to show below, which knows its fonts. */
  legend: LegendEntry[];
}

export interface LegendEntry {
  name: string;
  colour: string;
  isDashed: boolean;
}

interface Axis {
  type: 'category' | 'value' | 'log';
  data?: string[];
  axisLabel?: object;
  [other: string]: unknown;
}

export interface PlotOption {
  xAxis: Axis;
  yAxis: Axis;
  /** Those with a name are in the legend. */
  series: { name?: string; color?: string; lineStyle?: { type?: string }; [other: string]: unknown }[];
}

/** Drawn for wide windows and for narrow ones; the page's style shows one of them. */
export function draw(title: string, option: PlotOption): Plot {
  const [wide, narrow] = [WIDTH, NARROW_WIDTH].map((width) => drawAt(width, option));
  const legend = option.series.flatMap(({ name, color: colour, lineStyle }) =>
    name === undefined || colour === undefined ? [] : [{ name, colour, isDashed: lineStyle?.type === 'dashed' }],
  );
  return { title, svg: `<div class="wide-only">${wide}</div><div class="narrow-only">${narrow}</div>`, legend };
}

function drawAt(width: number, { xAxis, yAxis, series }: PlotOption): string {
  const rows = layRows(yAxis, width);
  const columns = layColumns(xAxis, width - rows.left - RIGHT);
  const nameGap = AXIS_GAP + columns.lines * LINE;
  const bottom = nameGap + (xAxis.name ? LINE + AXIS_GAP : AXIS_GAP);
  const top = rows.top + (yAxis.name ? 40 : 20);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: top + rows.height + bottom });
  const axis = (own: Axis, label: object) => ({ ...AXIS, ...own, axisLabel: { ...TEXT, lineHeight: LINE, ...label, ...own.axisLabel } });
  chart.setOption({
    animation: false,
    textStyle: { fontFamily: FONT },
    grid: { left: rows.left, right: RIGHT, top, bottom },
    xAxis: { nameLocation: 'middle', nameGap, ...axis(xAxis, columns.label), splitLine: { ...AXIS.splitLine, show: xAxis.type === 'value' } },
    yAxis: axis(yAxis, rows.label),
    series: series.map((one) => ({ ...one, ...rows.bars })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

interface Rows {
  left: number;
  /** Above the first row. */
  top: number;
  height: number;
  label: object;
  /** For every series. */
  bars: object;
}

/** Names of categories stand beside their bars or, if they take more than two fifths of the plot, above them. */
function layRows({ type, data = [] }: Axis, width: number): Rows {
  if (type !== 'category') return { left: LEFT, top: 0, height: HEIGHT, label: {}, bars: {} };
  const beside = widthOf(data) + 2 * AXIS_GAP;
  if (beside <= width * 0.4) return { left: beside, top: 0, height: Math.max(HEIGHT, data.length * ROW), label: { interval: 0 }, bars: {} };
  const formatter = (name: string) => wrap(name, width - AXIS_GAP - RIGHT);
  const text = linesOf(data.map(formatter)) * LINE;
  const label = { interval: 0, inside: true, margin: 3, verticalAlign: 'bottom', padding: [0, 0, BAR / 2 + 2, 0], formatter };
  return { left: AXIS_GAP, top: text / 2, height: data.length * (text + BAR + ROW_GAP), label, bars: { barWidth: BAR } };
}

/** Names of categories below wrap. */
function layColumns({ type, data = [] }: Axis, width: number): { lines: number; label: object } {
  if (type !== 'category') return { lines: 1, label: { hideOverlap: true } };
  const formatter = (name: string) => wrap(name, width / Math.max(1, data.length) - 4);
  return { lines: linesOf(data.map(formatter)), label: { interval: 0, formatter } };
}

const widthOf = (lines: string[]) => Math.max(0, ...lines.map((line) => line.length)) * CHARACTER;
const linesOf = (texts: string[]) => Math.max(1, ...texts.map((text) => text.split('\n').length));

/** In lines of at most this width, broken where a name has an end of a part: `rwsem{spin=off,` and so on. */
function wrap(text: string, width: number): string {
  const most = Math.max(1, Math.floor(width / CHARACTER));
  const parts = text.match(/[^ ,{-]*[ ,{-]|[^ ,{-]+/g) ?? [];
  const lines = [''];
  for (const part of parts) {
    if (lines.at(-1) !== '' && (lines.at(-1) + part).trimEnd().length > most) lines.push('');
    lines.push(lines.pop() + part);
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}
