/* The charts that answer an operator's questions: how many are in the hall, or how long do people wait, and does the shop keep up? Pure: takes the
 * last hour, returns a chart and its answer in words. */

import { filled } from "./filled.js";
import { plotOf, thinned } from "./plot.js";
import { isCalling } from "./situation.js";

const MINUTE_MS = 60_000;
const MINUTE_S = 60;
/** Rates and waits are taken over five minutes, so that one turn of the usher does not look like a storm. */
const SPAN_S = 300;
/** What was watched for less than this has no trend. */
const TREND_MS_MIN = 5 * MINUTE_MS;
/** A change by a smaller share than this counts as none. */
const SAME = 0.15;

/** Returns the last hour in steps: `[s, admissions a minute, wait ms, inside, permits]`, from columns `[s, waiting, inside, admitted, permits]`. */
export function stepsOf([at, waiting, inside, admitted, permits]) {
  let from = 0;
  return at.map((s, index) => {
    while (at[from + 1] <= s - SPAN_S) from++;
    const [span, rise] = [s - at[from], admitted[index] - admitted[from]];
    const perMin = span >= 60 && rise >= 0 ? (rise * 60) / span : null;
    const wait = waiting[index] === 0 ? 0 : perMin > 0 ? (waiting[index] / perMin) * MINUTE_MS : null;
    return [s, perMin, wait, inside[index], permits[index]];
  });
}

/** Returns the first known value, the last value and the time between them, or null if the last is not known, or there are not two. */
const ends = (steps, key) => {
  const known = steps.filter((step) => step[key] !== null && step[key] !== undefined);
  if (known.length < 2 || known.at(-1) !== steps.at(-1)) return null;
  return { first: known[0][key], last: known.at(-1)[key], overMs: (known.at(-1)[0] - known[0][0]) * 1_000 };
};

/** Answers "How long do people wait?" as `{ plot, answer }`. `waitMs` is the wait that the sentence says, null if unknown. */
export function waitChart(columns, { report, waitMs }, write, picked = null) {
  const measured = report.durations.wait.recent;
  const { waits } = write.text.questions;
  const steps = stepsOf(columns);
  const plot =
    steps.some(([, , wait]) => wait > 0) &&
    plotOf({
      name: "waits",
      label: waits.title,
      caption: waits.axis,
      says: saysOf(steps, ([s, , wait]) => `${write.clock(s * 1_000)}: ${wait === null ? waits.unknown : write.guess(wait)}`),
      tick: write.tick,
      moment: (s) => write.clock(s * 1_000),
      minute: MINUTE_S,
      picked,
      series: [{ name: "wait", points: thinned(steps.map(([s, , wait]) => [s, wait === null ? null : wait / MINUTE_MS])) }],
    });
  const moved = ends(steps, 2);
  const said =
    measured.count > 0 && measured.p50_ms !== null
      ? ` ${filled(waits.measured, { half: write.duration(measured.p50_ms), most: write.duration(measured.p90_ms) })}`
      : "";
  if (!isCalling(report)) return { plot, answer: waits.stopped + said };
  if (report.mode === "drain" && report.present === 0) return { plot, answer: waits.drained + said };
  if (waitMs === null) return { plot, answer: waits.unknown + said };
  // In a line that runs out nobody joins any more: the wait is that of the last who stands there.
  const about = filled(report.mode === "drain" ? waits.last : waits.about, { wait: write.guess(waitMs) });
  return { plot, answer: about + trendOf(moved && { ...moved, last: waitMs }, waits, write) + said };
}

/** Returns whether people gather in a hall before the doors open: then that is the question, for nobody waits to be called. */
export const isHall = (report) => Boolean(report.opens_at_ms) && report.in_hall > 0;

/** Answers "How many are in the hall?" as `{ plot, answer }`. */
export function hallChart([at, , , , , halls = []], report, write, picked = null) {
  const { hall } = write.text.questions;
  const steps = at.map((s, index) => [s, halls[index] ?? null]);
  const about = (count) => filled(hall.about, { count: write.number(count) });
  const plot = plotOf({
    name: "hall",
    label: hall.title,
    caption: hall.axis,
    says: saysOf(steps, ([s, count]) => `${write.clock(s * 1_000)}: ${count === null ? "–" : about(count)}`),
    tick: write.tick,
    moment: (s) => write.clock(s * 1_000),
    minute: MINUTE_S,
    picked,
    series: [{ name: "wait", points: thinned(steps) }],
  });
  return { plot, answer: about(report.in_hall) + trendOf(ends(steps, 1), hall, write) };
}

/** Returns a function that says what was at a moment of these steps. */
const saysOf = (steps, text) => {
  const known = new Map(steps.map((step) => [step[0], step]));
  return (s) => text(known.get(s));
};

/** Answers "Does the shop keep up?" with people inside, permits, and admissions a minute. */
export function shopChart(columns, report, write, picked = null) {
  const steps = stepsOf(columns);
  const points = (key) => thinned(steps.map((step) => [step[0], step[key] ?? null]));
  const { shop } = write.text.questions;
  const at = ([s, perMin, , inside, permits]) =>
    filled(shop.at, {
      time: write.clock(s * 1_000),
      inside: write.number(inside),
      permits: write.number(permits),
      count: perMin === null ? "–" : write.number(perMin),
    });
  const plot = plotOf({
    name: "shop",
    label: shop.title,
    caption: shop.axis,
    says: saysOf(steps, at),
    tick: write.tick,
    moment: (s) => write.clock(s * 1_000),
    minute: MINUTE_S,
    picked,
    series: [
      { name: "inside", points: points(3), text: shop.legend.inside },
      { name: "permits", points: points(4), text: shop.legend.permits },
      { name: "pace", points: points(1), text: shop.legend.pace },
    ],
  });
  return { plot, answer: shopAnswer(steps, report, write) };
}

/** Returns the chart of how long the shop took to answer people inside: half of the answers, and nineteen of twenty. Null without answers. */
export function answersChart([at, , , , , , halves = [], mosts = []], write, picked = null) {
  const steps = at.map((s, index) => [s, halves[index] ?? null, mosts[index] ?? null]);
  if (!steps.some(([, half]) => half !== null)) return null;
  const { answers } = write.text.questions;
  const says = ([s, half, most]) =>
    filled(half === null ? answers.none : answers.at, { time: write.clock(s * 1_000), half: write.answer(half ?? 0), most: write.answer(most ?? 0) });
  return plotOf({
    name: "answers",
    label: answers.title,
    caption: answers.axis,
    says: saysOf(steps, says),
    tick: write.tick,
    moment: (s) => write.clock(s * 1_000),
    minute: MINUTE_S,
    picked,
    series: [
      { name: "wait", points: thinned(steps.map(([s, half]) => [s, half])), text: answers.legend.half },
      { name: "pace", points: thinned(steps.map(([s, , most]) => [s, most])), text: answers.legend.most },
    ],
  });
}

function shopAnswer(steps, report, write) {
  const { recent } = report.answers;
  const { shop } = write.text.questions;
  const pace = ends(steps, 1);
  const told = answered(recent, write);
  if (pace === null || !isCalling(report)) return told;
  return `${filled(shop.pace, { count: write.number(pace.last) })}${trendOf(pace, shop, write)} ${told}`;
}

/** Returns how the shop answered lately. */
function answered({ count, failed, p50_ms: half, p95_ms: most }, write) {
  const { shop } = write.text.questions;
  const counts = { failed: write.number(failed), all: write.number(count + failed) };
  if (count > 0) return filled(failed > 0 ? shop.failed : shop.told, { half: write.answer(half), most: write.answer(most), ...counts });
  return failed > 0 ? filled(shop.none, counts) : shop.silent;
}

/**
 * Returns a sentence that compares a value with the first one known; empty if that was just now. It says nothing of the time in between, in
 * which the value may have risen and fallen.
 */
function trendOf(moved, texts, write) {
  if (moved === null || moved.overMs < TREND_MS_MIN) return "";
  const { first, last, overMs } = moved;
  const trend = Math.abs(last - first) <= SAME * Math.max(first, last) ? "same" : last > first ? "more" : "less";
  return ` ${filled(texts[trend], { time: write.about(overMs) })}`;
}
