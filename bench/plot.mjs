// Draws docs/images/growth.svg from the rows of growth; `npm run bench -- --only growth` calls it. One plot serves light and dark pages: its greys
// and hues are readable on both, and it has no background.

import { writeFileSync } from "node:fs";
import * as echarts from "echarts";
import { inRoot } from "../scripts/common.mjs";

const WIDTH = 860;
const HEIGHT = 420;
/** The colour of text and lines: as far from white as from GitHub's dark. */
export const GREY = "#768390";
/** Okabe and Ito's colours, which colour-blind people can tell apart, without black and yellow. */
export const HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00"];

/**
 * Returns SVG text with lines over the people in line, both axes logarithmic. `lines` is name -> `[people, value]` pairs; `asText` writes a value.
 */
function linesOf(lines, { peopleMin, what, asText }) {
  const axis = { type: "log", nameLocation: "middle", nameTextStyle: { color: GREY }, axisLabel: { color: GREY }, axisLine: { lineStyle: { color: GREY } }, splitLine: { lineStyle: { color: GREY, opacity: 0.25 } } };
  return svgOf({
    animation: false,
    color: HUES,
    textStyle: { fontFamily: "system-ui, sans-serif" },
    grid: { left: 70, right: 45, top: 70, bottom: 55 },
    legend: { top: 8, itemGap: 24, textStyle: { color: GREY } },
    xAxis: { ...axis, name: "people in line", nameGap: 32, min: peopleMin, axisLabel: { ...axis.axisLabel, formatter: (value) => value.toLocaleString("en") } },
    yAxis: { ...axis, name: what, nameGap: 50, axisLabel: { ...axis.axisLabel, formatter: asText } },
    series: Object.entries(lines).map(([name, data]) => ({ name, type: "line", symbol: "circle", symbolSize: 7, data })),
  }, { width: WIDTH, height: HEIGHT });
}

/** Returns name -> what `pick` makes of the points of that series, in the order in which the series first come. */
function bySeries(points, pick) {
  const lines = {};
  for (const point of points) (lines[point.series] ??= []).push(pick(point));
  return lines;
}

/** Returns the plot of rows `{ series, waiting, value, unit }` as SVG text. */
export function plot(rows) {
  const timed = rows.filter(({ unit }) => unit === "ns");
  return linesOf(bySeries(timed, ({ waiting, value }) => [waiting, value]), { peopleMin: 1_000, what: "one operation, as wasm", asText: asTime });
}

/** Returns a chart as SVG text, from its echarts options. */
export function svgOf(option, { width, height }) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

/** Writes nanoseconds in the largest unit in which they are at least one. */
function asTime(ns) {
  const [size, unit] = UNITS.find(([size]) => ns >= size) ?? UNITS.at(-1);
  return `${Number((ns / size).toPrecision(3))} ${unit}`;
}

/** Writes the plot of these rows to docs/images. */
export function drawGrowth(rows) {
  writeFileSync(inRoot("docs", "images", "growth.svg"), `${plot(rows)}\n`);
}

/** Draws docs/images/scale.svg: the baton's time by the people in line (`{ series, people, ms }`); `npm run scale -- --docs` calls it. */
export function drawScale(points) {
  const svg = linesOf(bySeries(points, ({ people, ms }) => [people, ms]), { peopleMin: 10_000, what: "baton, p99", asText: (value) => asTime(value * 1e6) });
  writeFileSync(inRoot("docs", "images", "scale.svg"), `${svg}\n`);
}
