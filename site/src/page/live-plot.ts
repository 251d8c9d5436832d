/** Throughput while it is measured: a line for every round of every lock, in the colours of the report's plots. */
import { LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Moment } from '../../../packages/lab/dist/bench/run.js';
import { AXIS, COLOURS, FONT, TEXT } from '../../../packages/lab/dist/report/plot-style.js';

use([LineChart, GridComponent, LegendComponent, SVGRenderer]);

type Point = [seconds: number, kops: number | null];

export class LivePlot {
  readonly #chart;
  readonly #lines: Map<string, Point[]>;
  readonly #fromMs = performance.now();
  readonly #observer: ResizeObserver;
  #round = '';

  constructor(element: HTMLElement, locks: string[]) {
    this.#lines = new Map(locks.map((lock) => [lock, []]));
    this.#chart = init(element, null, { renderer: 'svg' });
    this.#observer = new ResizeObserver(() => this.#chart.resize());
    this.#observer.observe(element);
    this.#chart.setOption({
      animation: false,
      textStyle: { fontFamily: FONT },
      grid: { left: 64, right: 16, top: 36, bottom: 70 },
      legend: { bottom: 0, data: locks, textStyle: TEXT },
      xAxis: { ...AXIS, type: 'value', name: 'seconds since the start', nameLocation: 'middle', nameGap: 24, max: 'dataMax' },
      yAxis: { ...AXIS, type: 'log', name: 'kops/s' },
      series: this.#series(),
    });
  }

  add({ lock, round, finished, kops }: Moment): void {
    const points = this.#lines.get(lock)!;
    const seconds = Math.round((performance.now() - this.#fromMs) / 10) / 100;
    const now = `${lock} ${round} ${finished}`;
    if (now !== this.#round) points.push([seconds, null]); // the line ends with its round
    this.#round = now;
    if (kops > 0) points.push([seconds, Math.round(kops * 10) / 10]);
    this.#chart.setOption({ series: this.#series() });
  }

  dispose(): void {
    this.#observer.disconnect();
    this.#chart.dispose();
  }

  #series(): object[] {
    return [...this.#lines].map(([name, data], index) => ({ name, type: 'line', symbolSize: 5, color: COLOURS[index % COLOURS.length], data }));
  }
}
