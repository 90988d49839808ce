/* Says in words and numbers what an action leads to, before it is done. Pure: takes the room as it is, the wish and forecasts; returns lines. */

import { filled } from "./filled.js";
import { freeOf } from "./situation.js";

/** The modes in which people are called. */
export const CALLS = ["open", "drain"];

function counts(report, write) {
  const callable = Math.min(freeOf(report), report.present);
  const { inside, called, waiting } = report;
  return { inside: write.number(inside), waiting: write.number(waiting), called: write.number(called), callable: write.number(callable) };
}

/** Returns what a mode leads to, or another action without a number. `name` is a key of the words' `follows`. */
export function followsOf(name, report, write) {
  const values = counts(report, write);
  if (name === "resume") values.called = values.callable;
  return write.text.follows[name].map((line) => filled(line, values));
}

/** Returns what pausing several rooms leads to. */
export function followsOfAll(reports, write) {
  const sum = (key) => write.number(reports.reduce((all, report) => all + report[key], 0));
  const values = { rooms: write.number(reports.length), inside: sum("inside"), waiting: sum("waiting") };
  return write.text.follows.pause_all.map((line) => filled(line, values));
}

/** Returns what a change to `to` permits leads to, as far as the report says. `tried` is the most that were inside in the last hour. */
export function followsOfPermits(report, to, { overS = 0, tried = null } = {}, write) {
  const { follows } = write.text;
  const from = report.permits;
  if (to === from) return [follows.same];
  const lines = [filled(follows.permits, { from: write.number(from), to: write.number(to) })];
  if (to < from) {
    const leave = Math.max(0, report.inside + report.called - to);
    lines.push(leave > 0 ? filled(follows.not_out, { leave: write.number(leave) }) : follows.nobody_out);
  } else {
    const called = Math.min(Math.max(0, to - from - report.debt), report.present);
    if (!CALLS.includes(report.mode)) lines.push(filled(follows.not_calling, { mode: report.mode }));
    else if (overS === 0) lines.push(called > 0 ? filled(follows.called_now, { called: write.number(called) }) : follows.nobody_called);
    if (tried !== null && to > tried) lines.push(filled(follows.most_seen, { most: write.number(tried) }));
  }
  if (overS > 0) lines.push(follows.ramp);
  return lines;
}

/** Returns what other permits do to the line, from the forecast for the room as it is (`now`) and the one with these permits (`then`). */
export function followsOfForecast(now, then, write) {
  const { follows } = write.text;
  if (then.silence === "not_measured") {
    const { from, to } = then.measured;
    return to > 0 ? filled(follows.not_known, { from: write.number(from), to: write.number(to) }) : follows.unknown;
  }
  if (now.silence || then.silence) return follows.unknown;
  const [before, after] = [now.line_ends.p50, then.line_ends.p50];
  if (after === null) return follows.never;
  if (before === null) return follows.unknown;
  const ms = after - before;
  if (Math.abs(ms) < 60_000) return follows.as_now;
  return filled(ms > 0 ? follows.later : follows.sooner, { time: write.about(Math.abs(ms)) });
}
