/** Plots as SVG text, drawn once: the report needs no script and no network to show them. */
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { WorkloadResult } from '../bench/run.ts';
import { mergeLatency } from '../bench/statistics.ts';
import { formatNs } from './format.ts';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

const WIDTH = 560;
/** On a phone, where a plot of the other width would be shrunk until nobody can read it. */
const NARROW_WIDTH = 350;
const HEIGHT = 320;
const RIGHT = 24;
/** About as wide as a letter, where no browser can be asked. */
const CHARACTER = 7;
const LEGEND_SYMBOL = 40;
const LEGEND_GAP = 16;
/** Seen on light and on dark pages; text and lines have the page's own colour. */
export const COLOURS = ['#1098ad', '#e8590c', '#845ef7', '#37a147', '#d6336c', '#868e96'];
export const FONT = 'system-ui, sans-serif';
export const TEXT = { color: 'currentColor', fontFamily: FONT };
const LINE = { lineStyle: { color: 'currentColor', opacity: 0.5 } };
export const AXIS = { axisLabel: TEXT, nameTextStyle: TEXT, axisLine: LINE, axisTick: LINE, splitLine: { lineStyle: { color: '#888888', opacity: 0.25 } } };

export interface Plot {
  title: string;
  svg: string;
}

/** For results that differ in the number of threads only. */
export function plotGroup(results: WorkloadResult[]): Plot[] {
  const locks = [...new Set(results.flatMap((result) => result.locks.map(({ lock }) => lock)))];
  return [plotThroughput(results, locks), ...plotFairness(results, locks), ...plotLatency(results, locks)];
}

function plotThroughput(results: WorkloadResult[], locks: string[]): Plot {
  const figure = (lock: string, pick: 'median' | 'min' | 'max') =>
    results.map((result) => find(result, lock)?.summary.totalKops?.[pick] ?? null);
  const series = locks.flatMap((lock, index) => {
    const colour = COLOURS[index % COLOURS.length]!;
    const range = { type: 'line', symbol: 'none', lineStyle: { width: 1, type: 'dotted', color: colour } };
    return [
      // A line needs two points.
      { name: lock, type: results.length > 1 ? 'line' : 'bar', data: figure(lock, 'median'), symbolSize: 7, color: colour },
      { ...range, data: figure(lock, 'min') },
      { ...range, data: figure(lock, 'max') },
    ];
  });
  return draw('Total kops/s by threads (dotted: lowest and highest round)', {
    legend: { data: locks },
    xAxis: { type: 'category', name: 'threads', nameLocation: 'middle', nameGap: 24, data: results.map(({ threads }) => threads) },
    yAxis: { type: 'value', name: 'kops/s' },
    series,
  });
}

/** From the slowest to the fastest thread, relative to the mean: a stub at 1 is fair. */
function plotFairness(results: WorkloadResult[], locks: string[]): Plot[] {
  const rows = results.flatMap(({ threads, locks: measured }) =>
    measured.flatMap(({ lock, summary }) =>
      summary.groups
        .filter((group) => group.threads > 1)
        .map((group) => ({
          name: `${threads} ${group.role === 'all' ? '' : `${group.role} `}${lock}`,
          low: group.minOverMean,
          high: group.maxOverMean,
          colour: COLOURS[locks.indexOf(lock) % COLOURS.length]!,
        })),
    ),
  );
  if (rows.length === 0) return [];
  rows.reverse(); // a category axis counts from below
  const labelWidth = Math.max(...rows.map(({ name }) => name.length)) * CHARACTER + 16;
  const plot = draw(
    'Per-thread rate relative to the mean, slowest to fastest',
    {
      grid: { left: labelWidth, top: 20, bottom: 30 },
      xAxis: { type: 'value', min: 0 },
      yAxis: { type: 'category', data: rows.map(({ name }) => name) },
      series: [
        { type: 'bar', stack: 'range', itemStyle: { color: 'transparent' }, data: rows.map(({ low }) => low) },
        {
          type: 'bar',
          stack: 'range',
          barMinHeight: 3,
          data: rows.map(({ low, high, colour }) => ({ value: high - low, itemStyle: { color: colour } })),
        },
      ],
    },
    Math.max(HEIGHT, 80 + rows.length * 22),
  );
  return [plot];
}

const SHARES = [0.5, 0.9, 0.99, 0.999, 0.9999, 1];

/** Of the largest number of threads. */
function plotLatency(results: WorkloadResult[], locks: string[]): Plot[] {
  const largest = results.at(-1)!;
  return (['readLatency', 'writeLatency'] as const).flatMap((which) => {
    const series = locks.flatMap((lock, index) => {
      const merged = mergeLatency(find(largest, lock)?.rounds ?? [], which);
      if (merged.samples === 0) return [];
      const data = SHARES.map((share) => Math.max(1, merged.quantile(share)));
      return [{ name: lock, type: 'line', symbolSize: 7, data, color: COLOURS[index % COLOURS.length]! }];
    });
    if (series.length === 0) return [];
    return [
      draw(`${which === 'readLatency' ? 'Read' : 'Write'} latency, threads: ${largest.threads}`, {
        legend: {},
        xAxis: { type: 'category', data: SHARES.map((share) => (share === 1 ? 'max' : `${share * 100} %`)) },
        yAxis: { type: 'log', axisLabel: { formatter: formatNs } },
        series,
      }),
    ];
  });
}

function find(result: WorkloadResult, name: string) {
  return result.locks.find(({ lock }) => lock === name);
}

interface Axis {
  type: 'category' | 'value' | 'log';
  data?: (string | number)[];
  axisLabel?: object;
  [other: string]: unknown;
}

export interface PlotOption {
  xAxis: Axis;
  yAxis: Axis;
  legend?: { data?: string[] };
  grid?: { left: number; top: number; bottom: number };
  series: { name?: string; [other: string]: unknown }[];
}

/** Drawn for wide windows and for narrow ones; the page's style shows one of them. */
export function draw(title: string, option: PlotOption, height = HEIGHT): Plot {
  const [wide, narrow] = [WIDTH, NARROW_WIDTH].map((width) => drawAt(width, option, height));
  return { title, svg: `<div class="wide-only">${wide}</div><div class="narrow-only">${narrow}</div>` };
}

function drawAt(width: number, { xAxis, yAxis, legend, grid, series }: PlotOption, height: number): string {
  // Labels of categories wrap below, and are cut beside; what does not fit into one line makes the plot higher.
  const left = Math.min(grid?.left ?? 70, width * 0.4);
  const column = (width - left - RIGHT) / Math.max(1, xAxis.data?.length ?? 0) - 4;
  const below = xAxis.type === 'category' ? { interval: 0, width: column, overflow: 'break' } : { hideOverlap: true };
  const beside = yAxis.type === 'category' ? { width: left - 12, overflow: 'truncate' } : {};
  // Fonts may be wider than the one that is measured with.
  const room = width * 0.85;
  const names = legend?.data ?? series.flatMap(({ name }) => name ?? []);
  const more = (legendLines(names, room) - 1) * 28 + (Math.max(1, ...(xAxis.data ?? []).map((label) => linesOf(String(label), column))) - 1) * 14;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: height + more });
  const axis = (own: Axis, label: object) => ({ ...AXIS, ...own, axisLabel: { ...TEXT, ...label, ...own.axisLabel } });
  chart.setOption({
    animation: false,
    textStyle: { fontFamily: FONT },
    grid: { top: 40, ...grid, left, right: RIGHT, bottom: (grid?.bottom ?? 60) + more },
    ...(legend && { legend: { bottom: 0, width: room, itemGap: LEGEND_GAP, ...legend, textStyle: TEXT, formatter: (name: string) => shorten(name, room) } }),
    xAxis: { ...axis(xAxis, below), splitLine: { ...AXIS.splitLine, show: xAxis.type === 'value' } },
    yAxis: axis(yAxis, beside),
    series,
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** As wide as an entry of the legend may be, beside its symbol. */
function shorten(name: string, width: number): string {
  const most = Math.floor((width - LEGEND_SYMBOL) / CHARACTER);
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}

function legendLines(names: string[], width: number): number {
  return linesFor(names.map((name) => LEGEND_SYMBOL + shorten(name, width).length * CHARACTER), LEGEND_GAP, width);
}

/** Of a label whose words wrap. */
function linesOf(label: string, width: number): number {
  return linesFor(label.split(' ').map((word) => (word.length + 1) * CHARACTER), 0, width);
}

/** As many lines as pieces of these widths take, one after the other. */
function linesFor(widths: number[], gap: number, room: number): number {
  let lines = 1;
  let used = 0;
  for (const width of widths) {
    if (used > 0 && used + width > room) {
      lines++;
      used = 0;
    }
    used += width + gap;
  }
  return lines;
}
