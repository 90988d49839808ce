/* The figures of a room: those of its report, those worked out from it, and how each is written. */

import { words } from "./words.js";
import { write } from "./written.js";

/** Returns the figures of a report, with what was `seen` lately. */
export function figuresOf(told, seen) {
  const { report } = told;
  const { totals, durations } = report;
  const { wait, released, expired } = durations;
  // On a site that never says when somebody is done, all stays end with the lease.
  const stay = released.recent.count >= expired.recent.count ? released : expired;
  const time = (ms) => (ms === null ? null : write.duration(ms));
  return {
    ...report,
    lobbies: told.lobbies,
    admissions: seen.admissionsPerS,
    attempts: seen.attemptsPerS,
    wait_p50: time(wait.recent.p50_ms),
    wait_p90: time(wait.recent.p90_ms),
    stay_p50: time(stay.recent.p50_ms),
    stay_p90: time(stay.recent.p90_ms),
    dead: seen.deadShare === null ? null : `${write.number(Math.round(1_000 * seen.deadShare) / 10)} %`,
    missed: totals.missed,
    origin_errors: totals.origin_errors,
    unheeded: totals.unheeded,
  };
}

/** Makes a list of figures in `place`. Returns the function that sets them. */
export function createFigures(place) {
  const cells = Object.entries(words.figures).map(([key, label]) => {
    const [pair, dt, dd] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
    dt.textContent = label;
    dd.dataset.figure = key;
    pair.append(dt, dd);
    place.append(pair);
    return /** @type {[string, HTMLElement]} */ ([key, dd]);
  });
  return (values) => {
    for (const [key, cell] of cells) {
      const text = written(values[key]);
      if (cell.textContent !== text) cell.textContent = text;
    }
  };
}

function written(value) {
  if (typeof value === "string") return value;
  return typeof value === "number" ? write.number(value) : "–";
}
