/* The report's charts: from its value to SVG. Pure. A chart that would show nothing is null. */

import { chart, durationScale, scaleOf, stacked, timeTicks } from "./chart.js";
import { filled, laneOf } from "./text.js";

/** More marks than this would hide what they mark. */
const MARKS_MAX = 24;
/** A lobby tells this often, in ms, how long the shop took. */
const TOLD_MS = 10_000;

export const counts = (most, say) => {
  const { to, ticks } = scaleOf(most);
  return { to, ticks: ticks.map((at) => ({ at, text: say.number(at) })) };
};
const durations = (mostMs, say) => {
  const { to, ticks } = durationScale(mostMs);
  return { to, ticks: ticks.map((at) => ({ at, text: at === 0 ? "0" : say.duration(at) })) };
};
export const most = (series) => Math.max(0, ...series.flatMap(({ parts }) => parts.map(([, , value]) => value)));
const figure = (title, text, body) => (body ? { title, text, body } : null);

/** Returns what every chart over time shares: its span and its marks. */
export function frameOf(report, marks, say) {
  const from = report.from_ms;
  const to = Math.max(report.to_ms, from + 1);
  const shown = marks.filter(({ at }) => at >= from && at <= to).slice(0, MARKS_MAX);
  return { x: { from, to, ticks: timeTicks(from, to, say) }, marks: shown };
}

/** Returns the stretches of the course as parts. The first and the last are cut to the span of the report. */
export function over(report, value) {
  const { course, course_ms: width, from_ms: from, to_ms: to } = report;
  const parts = course.map((stretch) => [Math.max(stretch.at_ms, from), Math.min(stretch.at_ms + width, Math.max(to, from + 1)), value(stretch)]);
  return parts.filter(([left, right, number]) => right > left && number !== null && number !== undefined);
}

export function courseChart(report, frame, say) {
  const words = say.words.course;
  const all = [
    ["hall", 3],
    ["present", 0],
    ["away", 1],
    ["inside", 2],
  ].map(([key, hue]) => ({ kind: "line", name: words[key], hue, dash: key === "away", parts: over(report, (one) => one[key]) }));
  const series = all.filter((one) => most([one]) > 0);
  if (series.length === 0) return null;
  return figure(words.head, words.text, chart({ title: words.head, ...frame, y: counts(most(series), say), series, height: 300 }));
}

export function flowChart(report, frame, say) {
  const words = say.words.flow;
  const series = [
    { kind: "area", name: words.came, hue: 5, parts: over(report, ({ entered, joined, walked_in: walked }) => entered + joined + walked) },
    { kind: "line", name: words.got_in, hue: 2, parts: over(report, (one) => one.got_in) },
    { kind: "line", name: words.missed, hue: 4, dash: true, parts: over(report, (one) => one.missed) },
  ].filter((one) => most([one]) > 0);
  if (series.length === 0) return null;
  const text = words.text.replace("{width}", say.duration(report.course_ms));
  return figure(words.head, text, chart({ title: words.head, ...frame, y: counts(most(series), say), series }));
}

export function waitsChart(report, frame, say) {
  const words = say.words.waits;
  const told = report.arrivals.filter(({ waits }) => waits.count > 0);
  if (told.length === 0) return null;
  const parts = (key) =>
    told
      .map((group) => [Math.max(group.from_ms, frame.x.from), Math.min(group.to_ms, frame.x.to), group.waits[key]])
      .filter(([from, to]) => to > from);
  /** @type {[string, string, number, boolean][]} */
  const lines = [
    ["longest_ms", "longest", 5, true],
    ["most_ms", "most", 1, false],
    ["half_ms", "half", 0, false],
  ];
  const series = lines.map(([key, name, hue, dash]) => ({ kind: "line", name: words[name], hue, dash, breaks: true, parts: parts(key) }));
  const text = report.is_public ? `${words.text} ${words.merged}` : words.text;
  return figure(words.head, text, chart({ title: words.head, ...frame, marks: [], y: durations(most(series), say), series }));
}

/** Draws the waits in order, with a bar for each twentieth of the people. */
export function spreadChart({ wait_twentieths_ms: parts }, say) {
  const words = say.words.spread;
  if (parts.length === 0 || parts.at(-1) === 0) return null;
  const x = { from: 0, to: parts.length, ticks: [0, 5, 10, 15, 20].map((at) => ({ at, text: words.share.replace("{share}", say.number(at * 5)) })) };
  const bars = parts.map((ms, nth) => [nth + 0.08, nth + 0.92, 0, ms]);
  return figure(
    words.head,
    words.text,
    chart({ title: words.head, x, y: durations(parts.at(-1), say), series: [{ kind: "bars", hue: 0, parts: bars }], height: 220 }),
  );
}

/** Draws groups of numbers from left to right, time upwards. Bars that rise show that smaller numbers were called first. */
function orderChart(report, say, lane) {
  const words = say.words.order;
  const told = report.numbers.filter((group) => group.lane === lane && group.from_ms !== null);
  if (told.length < 2) return null;
  const [from, to] = [Math.min(...told.map((group) => group.from_ms)), Math.max(...told.map((group) => group.to_ms))];
  const { ticks } = scaleOf(told.at(-1).last);
  const x = {
    from: told[0].first - 1,
    to: told.at(-1).last,
    ticks: ticks.filter((at) => at >= told[0].first - 1 && at <= told.at(-1).last).map((at) => ({ at, text: say.number(Math.max(at, 1)) })),
  };
  const y = { from, to: Math.max(to, from + 1), ticks: timeTicks(from, to, say) };
  const parts = told.map((group) => [group.first - 1, group.last, group.from_ms, group.to_ms]);
  const head = lane === undefined ? words.head : filled(say.words.lanes.of_lane, { lane: laneOf(report, lane), text: words.head });
  return figure(head, words.text, chart({ title: head, x, y, series: [{ kind: "bars", hue: 0, parts }], height: 320 }));
}

/** Returns one chart for each lane, in their order; a single one for a room without lanes. */
export function orderCharts(report, say) {
  const lanes = [...new Set(report.numbers.map(({ lane }) => lane))];
  return lanes.map((lane) => orderChart(report, say, lane));
}

export function permitsChart(report, frame, text, say) {
  const words = say.words.permits;
  const areas = stacked(
    [
      ["inside", "used", 2],
      ["called", "called", 1],
      ["idle", "idle", 4],
    ].map(([key, name, hue]) => ({ name: words[name], hue, parts: over(report, (one) => one[key]) })),
  );
  const permits = { kind: "line", name: words.permits, hue: 5, dash: true, breaks: true, parts: over(report, (one) => one.permits) };
  const series = [...areas, permits];
  if (most(areas) === 0) return null;
  return figure(words.head, text, chart({ title: words.head, ...frame, y: counts(most(series), say), series }));
}

/** Draws the stock that the shop told. Each number holds until the shop tells another. */
export function stockChart(report, frame, text, say) {
  const words = say.words.stock;
  const told = report.course.filter(({ stock }) => stock !== null);
  if (told.length === 0) return null;
  const parts = told
    .map(({ at_ms: at, stock }, nth) => [Math.max(at, frame.x.from), told[nth + 1]?.at_ms ?? frame.x.to, stock])
    .filter(([from, to]) => to > from);
  const series = [{ kind: "area", name: words.left, hue: 3, parts }];
  return figure(words.head, text, chart({ title: words.head, ...frame, y: counts(most(series), say), series, height: 200 }));
}

export function originChart(report, frame, text, say) {
  const words = say.words.origin;
  const answered = report.course.some(({ answers }) => answers > 0);
  if (!answered && !report.course.some(({ failed }) => failed > 0)) return null;
  // A lobby tells of its last ten seconds, so what it tells happened before that moment.
  const answers = report.course.filter((one) => one.answers > 0);
  const spans = answers.map(({ at_ms: at }, nth) => [
    Math.max(at - Math.max(TOLD_MS, report.course_ms), nth > 0 ? answers[nth - 1].at_ms + report.course_ms : frame.x.from),
    Math.min(at + report.course_ms, frame.x.to),
  ]);
  const told = (key) => answers.map((one, nth) => [...spans[nth], one[key]]).filter(([from, to, value]) => to > from && value !== null);
  const times = [
    ["most_ms", "most", 1],
    ["half_ms", "half", 0],
  ].map(([key, name, hue]) => ({ kind: "line", name: words[name], hue, breaks: true, parts: told(key) }));
  const bad = { kind: "area", name: words.failed, hue: 4, parts: over(report, (one) => one.failed) };
  const slow = answered ? chart({ title: words.head, ...frame, y: durations(most(times), say), series: times, height: 200 }) : "";
  const failed = most([bad]) > 0 ? chart({ title: words.failed, ...frame, marks: [], y: counts(most([bad]), say), series: [bad], height: 130 }) : "";
  return figure(words.head, text, slow + failed);
}
