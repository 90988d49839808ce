// Draws docs/images/growth.svg from the rows of growth (`npm run bench -- --only growth`), and scale.svg and scale-load.svg beside it from the model
// (`npm run scale`); peers.svg from `npm run bench -- --only peers`. One plot serves light and dark pages: its greys and hues are readable on both, and it has no background.

import { writeFileSync } from "node:fs";
import * as echarts from "echarts";
import { inRoot } from "../scripts/common.mjs";

const WIDTH = 860;
const HEIGHT = 420;
/** The colour of text and lines: as far from white as from GitHub's dark. */
export const GREY = "#768390";
/** Okabe and Ito's colours, which colour-blind people can tell apart, without black and yellow. */
export const HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00"];

const TEXT = { fontFamily: "system-ui, sans-serif" };
const AXIS = {
  nameLocation: "middle",
  nameTextStyle: { color: GREY },
  axisLabel: { color: GREY },
  axisLine: { lineStyle: { color: GREY } },
  splitLine: { lineStyle: { color: GREY, opacity: 0.25 } },
};

/**
 * Returns SVG text with lines over the people in line, both axes logarithmic. `lines` is name -> `[people, value]` pairs; `asText` writes a value.
 */
function linesOf(lines, { peopleMin, what, asText }) {
  const axis = { ...AXIS, type: "log" };
  return svgOf(
    {
      animation: false,
      color: HUES,
      textStyle: TEXT,
      grid: { left: 70, right: 45, top: 70, bottom: 55 },
      legend: { top: 8, itemGap: 24, textStyle: { color: GREY } },
      xAxis: {
        ...axis,
        name: "people in line",
        nameGap: 32,
        min: peopleMin,
        axisLabel: { ...axis.axisLabel, formatter: (value) => value.toLocaleString("en") },
      },
      yAxis: { ...axis, name: what, nameGap: 50, axisLabel: { ...axis.axisLabel, formatter: asText } },
      series: Object.entries(lines).map(([name, data]) => ({ name, type: "line", symbol: "circle", symbolSize: 7, data })),
    },
    { width: WIDTH, height: HEIGHT },
  );
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
  return linesOf(
    bySeries(timed, ({ waiting, value }) => [waiting, value]),
    { peopleMin: 1_000, what: "one operation, as wasm", asText: asTime },
  );
}

/** Returns a chart as SVG text, from its echarts options. */
export function svgOf(option, { width, height }) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

/** @type {[number, string][]} */
const UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

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
  const svg = linesOf(
    bySeries(points, ({ people, ms }) => [people, ms]),
    { peopleMin: 10_000, what: "baton, p99", asText: (value) => asTime(value * 1e6) },
  );
  writeFileSync(inRoot("docs", "images", "scale.svg"), `${svg}\n`);
}

const BAR = 26;

/** Returns SVG text with a bar from p50 to p99 for each of `{ what, p50_ms, p99_ms }`, on a logarithmic axis, the first on top. */
export function toldOf(points) {
  const names = points.map(({ what }) => what);
  const dot = { type: "scatter", symbolSize: 10, silent: true };
  // A line a bar, since bars begin at zero, which this axis has not.
  const bars = points.map(({ what, p50_ms, p99_ms }) => ({
    type: "line",
    symbol: "none",
    silent: true,
    lineStyle: { width: 5, color: GREY, opacity: 0.5 },
    data: [
      [p50_ms, what],
      [p99_ms, what],
    ],
  }));
  const axis = { ...AXIS, axisLine: { show: false }, axisTick: { show: false } };
  return svgOf(
    {
      animation: false,
      textStyle: TEXT,
      grid: { left: 375, right: 40, top: 45, bottom: 50 },
      legend: { top: 8, itemGap: 24, textStyle: { color: GREY }, data: ["p50", "p99"] },
      xAxis: {
        ...AXIS,
        type: "log",
        name: "from a release until the next one is told",
        nameGap: 30,
        axisLabel: { ...AXIS.axisLabel, formatter: (ms) => asTime(ms * 1e6) },
      },
      yAxis: { ...axis, type: "category", inverse: true, data: names },
      series: [
        ...bars,
        { ...dot, name: "p50", color: HUES[0], data: points.map(({ what, p50_ms }) => [p50_ms, what]) },
        { ...dot, name: "p99", color: HUES[1], data: points.map(({ what, p99_ms }) => [p99_ms, what]) },
      ],
    },
    { width: WIDTH, height: 95 + BAR * points.length },
  );
}

/** Draws docs/images/peers.svg from what `npm run bench -- --only peers` found. */
export function drawTold(points) {
  writeFileSync(inRoot("docs", "images", "peers.svg"), `${toldOf(points)}\n`);
}

/** A panel of the plot of requests, in px: its size, and what is left around it for titles and the names of axes. */
const PANEL = { width: 345, height: 190, left: 65, top: 75, right: 50, below: 85 };
const STYLES = ["solid", "dashed"];

/**
 * Returns SVG text with the requests of objects over time, two panels a row. `panels` is `[{ title, machines }]`, `machines` is
 * name -> kind of object -> requests of each second; `most` is how many one object should get.
 * Long because each part of a chart has its settings in one list.
 */
export function loadOf(panels, most) {
  const machines = Object.keys(panels[0].machines);
  // A room without porters has no line for them.
  const kinds = Object.keys(panels[0].machines[machines[0]]).filter((kind) =>
    panels.some((panel) => machines.some((machine) => panel.machines[machine][kind].length > 0)),
  );
  const place = (at) => ({
    left: PANEL.left + (at % 2) * (PANEL.width + PANEL.left),
    top: PANEL.top + Math.floor(at / 2) * (PANEL.height + PANEL.below),
    width: PANEL.width,
    height: PANEL.height,
  });
  const line = { type: "line", symbol: "none", silent: true };
  const lines = panels.flatMap((panel, at) =>
    machines.flatMap((machine, style) =>
      kinds.map((kind, hue) => ({
        ...line,
        name: kind,
        xAxisIndex: at,
        yAxisIndex: at,
        data: panel.machines[machine][kind].map((count, second) => [second, count]),
        lineStyle: { width: 2, type: STYLES[style], color: HUES[hue] },
        itemStyle: { color: HUES[hue] },
      })),
    ),
  );
  const limits = panels.map((_, at) => ({
    ...line,
    name: `${most} a second`,
    xAxisIndex: at,
    yAxisIndex: at,
    data: [],
    lineStyle: { width: 1, type: "dotted", color: GREY },
    itemStyle: { color: GREY },
    markLine: {
      silent: true,
      symbol: "none",
      label: { show: false },
      lineStyle: { color: GREY, type: "dotted", width: 1.5 },
      data: [{ yAxis: most }],
    },
  }));
  const keys = machines.map((name, style) => ({
    ...line,
    name,
    data: [],
    lineStyle: { width: 2, type: STYLES[style], color: GREY },
    itemStyle: { color: GREY },
  }));
  return svgOf(
    {
      animation: false,
      textStyle: TEXT,
      title: panels.map(({ title }, at) => ({
        text: title,
        left: place(at).left,
        top: place(at).top - 28,
        padding: 0,
        textStyle: { color: GREY, fontSize: 14, fontWeight: 600 },
      })),
      legend: {
        top: 8,
        itemGap: 24,
        itemWidth: 34,
        itemStyle: { opacity: 0 },
        textStyle: { color: GREY },
        data: [...kinds, ...machines, `${most} a second`],
      },
      grid: panels.map((_, at) => place(at)),
      xAxis: panels.map((_, at) => ({
        ...AXIS,
        type: "value",
        gridIndex: at,
        name: "seconds",
        nameGap: 28,
        min: 0,
        max: "dataMax",
        axisLabel: { ...AXIS.axisLabel, showMaxLabel: false },
        splitLine: { show: false },
      })),
      yAxis: panels.map((_, at) => ({
        ...AXIS,
        type: "value",
        gridIndex: at,
        name: at % 2 === 0 ? "requests a second" : "",
        nameGap: 42,
        min: 0,
        max: 900,
        interval: 300,
      })),
      series: [...lines, ...keys, ...limits],
    },
    { width: WIDTH, height: PANEL.top + Math.ceil(panels.length / 2) * (PANEL.height + PANEL.below) - 30 },
  );
}

/** Draws a plot of requests, by default docs/images/scale-load.svg. */
export function drawLoad(panels, most, file = inRoot("docs", "images", "scale-load.svg")) {
  writeFileSync(file, `${loadOf(panels, most)}\n`);
}
