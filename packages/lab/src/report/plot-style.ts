/** How plots look: those of reports, and those that a page draws live. */

/** Seen on light and on dark pages; text and lines have the page's own colour. */
export const COLOURS = ['#1098ad', '#e8590c', '#845ef7', '#37a147', '#d6336c', '#868e96'];
export const FONT = 'system-ui, sans-serif';
export const TEXT = { color: 'currentColor', fontFamily: FONT };
const LINE = { lineStyle: { color: 'currentColor', opacity: 0.5 } };
export const AXIS = { axisLabel: TEXT, nameTextStyle: TEXT, axisLine: LINE, axisTick: LINE, splitLine: { lineStyle: { color: '#888888', opacity: 0.25 } } };
