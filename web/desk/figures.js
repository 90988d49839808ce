/* The figures of a room: what is worked out of a report, and how it is written. */

import { createRate } from "./rates.js";
import words from "./words.json";

const numbers = new Intl.NumberFormat("en");
/** Dead permit-time is told of the last five minutes, as waits and stays are. */
const LONG_MS = 300_000;

/** A duration in at most two units. */
export function duration(ms) {
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  const s = Math.round(ms / 1_000);
  if (s < 60) return `${s} s`;
  const two = (high, unit, low, small) => (low ? `${high} ${unit} ${low} ${small}` : `${high} ${unit}`);
  if (s < 3_600) return two(Math.floor(s / 60), "min", s % 60, "s");
  return two(Math.floor(s / 3_600), "h", Math.floor((s % 3_600) / 60), "min");
}

/** What becomes of one report after another. */
export function createReading() {
  const [admissions, attempts] = [createRate(), createRate()];
  const [dead, used] = [createRate(LONG_MS), createRate(LONG_MS)];
  return (told, nowMs) => {
    const { report } = told;
    const { totals, durations } = report;
    const { wait, released, expired } = durations;
    // Of a site that never says when somebody is done, all stays end by the lease.
    const stay = released.recent.count >= expired.recent.count ? released : expired;
    const [deadMs, usedMs] = [dead.take(report.dead_permit_ms, nowMs), used.take(report.used_permit_ms, nowMs)];
    const time = (ms) => (ms === null ? null : duration(ms));
    return {
      ...report, lobbies: told.lobbies,
      admissions: admissions.take(totals.claimed + totals.walked_in, nowMs), attempts: attempts.take(totals.attempts, nowMs),
      wait_p50: time(wait.recent.p50_ms), wait_p90: time(wait.recent.p90_ms),
      stay_p50: time(stay.recent.p50_ms), stay_p90: time(stay.recent.p90_ms),
      dead: deadMs + usedMs > 0 ? `${Math.round((1_000 * deadMs) / (deadMs + usedMs)) / 10} %` : null,
      missed: totals.missed, origin_errors: totals.origin_errors,
    };
  };
}

/** A list of figures; returns what sets them. */
export function createFigures(place) {
  const cells = Object.entries(words.figures).map(([key, label]) => {
    const [pair, dt, dd] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
    dt.textContent = label;
    dd.dataset.figure = key;
    pair.append(dt, dd);
    place.append(pair);
    return [key, dd];
  });
  return (values) => {
    for (const [key, cell] of cells) cell.textContent = written(values[key]);
  };
}

function written(value) {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return "–";
  return numbers.format(value >= 10 ? Math.round(value) : Math.round(value * 10) / 10);
}
