// The report of the scripted sale: Markdown, and three charts in the style of the other plots of the docs.

import { GREY, HUES, svgOf } from "../../bench/plot.mjs";
import { quantile } from "../figures.mjs";
import { ROOM } from "./house.mjs";

const WIDTH = 860;
const HEIGHT = 380;
/** The most dots of a chart. More would make large files and no better pictures. */
const DOTS_MAX = 700;

const faint = { lineStyle: { color: GREY, opacity: 0.25 } };
const axisOf = (name, nameGap) => ({
  type: "value",
  name,
  nameGap,
  nameLocation: "middle",
  nameTextStyle: { color: GREY },
  axisLabel: { color: GREY },
  axisLine: { lineStyle: { color: GREY } },
  splitLine: faint,
});
const frame = {
  animation: false,
  color: HUES,
  textStyle: { fontFamily: "system-ui, sans-serif" },
  grid: { left: 70, right: 30, top: 80, bottom: 50 },
  legend: { top: 4, textStyle: { color: GREY } },
};

/** Returns what was changed, in a few words. */
function wordsOf({ mode, permits, schedule, message }) {
  const ramp = permits?.to === undefined ? `${permits} permits` : `${permits.to} permits over ${permits.over_s} s`;
  const words = [
    mode === "open" ? "open again" : mode?.replace("_", " "),
    permits !== undefined && ramp,
    schedule && "end put off",
    message && "a message",
  ];
  return words.filter(Boolean).join(", ");
}

/** Marks that are nearer than this in a chart would lie on each other. */
const NEAR_MS = 2_500;

/** Returns what stands at the lines of a chart, where there is little room: marks that are near each other share a line. */
function labelled(marks) {
  const lines = [];
  for (const { at_ms: atMs, what } of marks) {
    const short = what.replace(/,.*| over .*/, "");
    const before = lines.at(-1);
    if (before && atMs - before.at_ms < NEAR_MS) before.what += `, ${short}`;
    else lines.push({ at_ms: atMs, what: short });
  }
  return lines;
}

/** Returns what happened to the room, and by whom, in order of time: the opening, and the list of who did what. */
export function marksOf({ who, opensAtMs }) {
  const changes = who.filter(({ room }) => room === ROOM).map(({ at_ms, by, what }) => ({ at_ms, by, what: wordsOf(what) }));
  return [{ at_ms: opensAtMs, by: "the hours", what: "opens" }, ...changes].sort((a, b) => a.at_ms - b.at_ms);
}

/** Draws the people by second, with what was changed. */
export function crowdChart({ looks, marks, opensAtMs }) {
  const at = (atMs) => Number(((atMs - opensAtMs) / 1_000).toFixed(1));
  const line = (name, value, extra = {}) => ({
    name,
    type: "line",
    symbol: "none",
    step: "end",
    data: looks.map(({ at_ms: atMs, report }) => [at(atMs), value(report)]),
    ...extra,
  });
  const marked = {
    symbol: "none",
    silent: true,
    lineStyle: { color: GREY, type: "dashed" },
    label: { color: GREY, formatter: "{b}", rotate: 60, position: "end", align: "left" },
    data: labelled(marks).map(({ at_ms: atMs, what }) => ({ name: what, xAxis: at(atMs) })),
  };
  const series = [
    line("in the hall", ({ in_hall: hall }) => hall),
    line("in line", ({ waiting }) => waiting, { markLine: marked }),
    line("inside", ({ inside }) => inside, { yAxisIndex: 1 }),
    line("permits", ({ permits }) => permits, { yAxisIndex: 1, lineStyle: { type: "dotted" } }),
  ];
  const yAxis = [axisOf("people in hall and line", 50), { ...axisOf("inside, permits", 40), splitLine: { show: false } }];
  return svgOf(
    {
      ...frame,
      legend: { ...frame.legend, top: undefined, bottom: 0 },
      grid: { left: 70, right: 65, top: 120, bottom: 75 },
      xAxis: axisOf("seconds after the opening", 28),
      yAxis,
      series,
    },
    { width: WIDTH, height: HEIGHT + 85 },
  );
}

/** Thins a list evenly, so that no more than `DOTS_MAX` are left. */
const thinned = (all) => all.filter((_, at) => at % Math.ceil(all.length / DOTS_MAX) === 0);

/** Draws a dot for each of some people: when they came, and which number they got. */
export function drawChart({ people, opensAtMs }) {
  const dot = ({ cameAtMs, visitor }) => [(cameAtMs - opensAtMs) / 1_000, visitor.number];
  const some = thinned(people.filter(({ visitor }) => visitor.number !== undefined));
  const dots = (name, isOne) => ({ name, type: "scatter", symbolSize: 3, data: some.filter(isOne).map(dot) });
  const series = [
    dots("came before the opening", ({ cameAtMs }) => cameAtMs < opensAtMs),
    dots("came after it", ({ cameAtMs }) => cameAtMs >= opensAtMs),
  ];
  return svgOf(
    {
      ...frame,
      xAxis: axisOf("came, seconds after the opening", 28),
      yAxis: axisOf("number", 50),
      series: series.filter(({ data }) => data.length > 0),
    },
    { width: WIDTH, height: HEIGHT },
  );
}

/** Draws a dot for each of some people who were let in: their number, and when they went in. */
export function orderChart({ people, opensAtMs }) {
  const inside = people.filter(({ insideFromMs, visitor }) => insideFromMs !== null && visitor.number !== undefined);
  const data = thinned(inside).map(({ insideFromMs, visitor }) => [visitor.number, (insideFromMs - opensAtMs) / 1_000]);
  return svgOf(
    {
      ...frame,
      legend: undefined,
      grid: { ...frame.grid, top: 20 },
      xAxis: axisOf("number", 28),
      yAxis: axisOf("went in, seconds after the opening", 45),
      series: [{ type: "scatter", symbolSize: 3, data }],
    },
    { width: WIDTH, height: HEIGHT },
  );
}

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
const at = (sorted, share) => quantile(sorted, share) ?? 0;

/** Returns how long people waited, from coming, or from the opening if they came before it. */
function waits(people, opensAtMs) {
  const all = people
    .filter(({ insideFromMs }) => insideFromMs !== null)
    .map(({ cameAtMs, insideFromMs }) => insideFromMs - Math.max(cameAtMs, opensAtMs))
    .sort((a, b) => a - b);
  return `half waited ${seconds(at(all, 0.5))} or less, nine of ten ${seconds(at(all, 0.9))}`;
}

/** Returns the report as Markdown. `pictures`: the folder of the charts, relative to where the text will lie. */
export function report({ asked, people, looks, marks, checks, audit, draw, opensAtMs, machine, pictures }) {
  const said = (text) =>
    text
      .trim()
      .split("\n")
      .map((line) => `    ${line}`)
      .join("\n");
  const verdict = audit.text
    .trim()
    .split("\n")
    .filter((line, at) => at === 0 || /^ {2}(permits|fingerprint) /.test(line))
    .join("\n");
  const row = ({ what, ok, detail }) => `| ${what} | ${ok ? "" : "**NO**: "}${detail} |`;
  return `# A scripted sale

A sale from the owner's file to the published report, in two minutes on one machine:

    npm run sale

${asked.people.toLocaleString("en")} simulated people with an HTTP client each come to the worker on \`workerd\` and the demo shop with ${asked.seats.toLocaleString("en")} seats. The
owner makes the room in the [house](house.md). The room keeps its [schedule](operating.md#a-schedule) itself; the operator does what nobody can
plan. ${asked.early.toLocaleString("en")} people come before the opening and wait for the draw. The command wrote this page (${machine};
seed ${asked.seed}). It is no benchmark: everything shares the machine.

![People in hall, line and shop by second](${pictures}/sale-crowd.svg)

| what must hold, and did unless it says NO | seen |
|---|---|
${checks.map(row).join("\n")}

Of those who went in, ${waits(people, opensAtMs)}, counted from the opening or from coming later.

| seconds after the opening | by | |
|---:|---|---|
${marks.map(({ at_ms: atMs, by, what }) => `| ${((atMs - opensAtMs) / 1_000).toFixed(1)} | ${by} | ${what} |`).join("\n")}

## Who got which number

![Moment of coming and number](${pictures}/sale-draw.svg)

Before the opening the moment of coming says nothing about the number: that is the draw, here computed again. After it, numbers follow the order of coming.

${said(draw.text)}

Who went in when:

![Number and moment of going in](${pictures}/sale-order.svg)

It is steeper with fewer permits; a pause is a step.

## The audit

${said(verdict)}

How to read it: [audit.md](audit.md). \`.baton/sale/report/\` has the [report](report.md).
`;
}
