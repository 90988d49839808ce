// What the terminal shows: the plan before the run, a bar during it, the table and the answer after it. Pure.

import { roughly } from "../durations.mjs";
import { whyNotCounted } from "./verdict.mjs";

const BAR = 24;

const whole = (value) => Math.round(value).toLocaleString("en");
const short = (value) => (value >= 100 ? whole(value) : Number(value.toPrecision(3)).toString());

/** Returns what is about to happen, before anything does. */
export function planText({ origins, steps, times, caps, visitMs }) {
  const listed = steps.map(({ name, method, path }) => `  ${method.padEnd(6)} ${path}  (${name})`).join("\n");
  const mostMs = 10 * (times.settle_ms + times.level_ms) + 8 * (times.settle_ms + times.look_ms);
  const hosts = origins.map(({ host }) => host).join(", ");
  return [
    `One visit, about ${roughly(visitMs)} long:\n${listed}`,
    `Asked: ${hosts}, nobody else.`,
    `At most ${whole(caps.people_max)} people at once, ${whole(caps.requests_per_s_max)} requests a second, ${roughly(caps.run_ms_max)}; about ${roughly(mostMs)} in all.`,
    "One 429 or 403, or 2 % errors, ends it. So does Ctrl-C.",
  ].join("\n");
}

/** Returns the bar for this share of the run. */
export function barText(share, what) {
  const full = Math.round(BAR * Math.min(1, share));
  return `[${"#".repeat(full)}${".".repeat(BAR - full)}] ${what}`;
}

/** Each column: its head, and the cell of a level. @type {[string, (level: import("./run.mjs").Level) => string][]} */
const COLUMNS = [
  ["people", ({ people, way }) => `${whole(people)}${way === "down" ? " again" : ""}`],
  ["steps/s", ({ per_s: perS }) => short(perS)],
  ["±%", ({ per_s_error: error }) => (100 * error).toFixed(1)],
  ["in flight", ({ in_flight: inFlight }) => short(inFlight)],
  ["answer ms", ({ answer_ms: ms }) => whole(ms)],
  ["p95", ({ p95_ms: ms }) => whole(ms)],
  ["p99", ({ p99_ms: ms }) => whole(ms)],
  ["errors", ({ errors }) => String(errors)],
  ["lag p99", ({ lag_p99_ms: ms }) => ms.toFixed(1)],
  ["cpu %", ({ cpu_percent: cpu }) => cpu.toFixed(0)],
  ["counts", (level) => (whyNotCounted(level) === null ? "yes" : `no: ${whyNotCounted(level)}`)],
];

/** Returns rows of cells for a table of levels, heads first. */
export const cellsOf = (levels) => [COLUMNS.map(([head]) => head), ...levels.map((level) => COLUMNS.map(([, cell]) => cell(level)))];

export function tableText(levels) {
  const rows = cellsOf(levels);
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  const last = widths.length - 1;
  return rows.map((row) => row.map((cell, at) => (at === last ? cell : cell.padStart(widths[at]))).join("  ")).join("\n");
}

/** Returns the answer in sentences: `{ head, body }`. */
export function answerOf({ kind, people, low, high, recommended, why, found }) {
  if (kind === "none") return { head: "No number can be given.", body: [`${why}.`] };
  const because = `Recommended: permits = ${recommended}. That is 0.8 × the lower end: the rest is for the day on which people are quicker than in the steps file, something else runs on the same machines, or a server is missing.`;
  if (kind === "at_least")
    return { head: `Your shop takes at least ${whole(people)} people at once.`, body: [`More is not known: ${why}.`, because] };
  if (!found)
    return {
      head: `Your shop takes ${whole(people)} people at once: so many it carried again after it had fallen, and ${whole(high)} it did not.`,
      body: [`More may go well for a while: ${why}. Look for a lock or a pool that everybody waits for.`, because],
    };
  const { per_s: perS, quiet, think_ms: thinkMs } = found;
  const sum = `${short(perS)} steps a second × (${short(quiet.answer_ms / 1_000)} s answer + ${short(thinkMs / 1_000)} s thinking) = ${whole(people)}. Beyond that another person makes everybody slower and nobody sooner.`;
  return { head: `Your shop takes ${whole(people)} people at once (90 %: ${whole(low)} to ${whole(high)}).`, body: [sum, because] };
}

export function answerText(verdict) {
  const { head, body } = answerOf(verdict);
  return [head, ...body].join("\n");
}
