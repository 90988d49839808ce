/* Draws how many will wait: the middle of many futures as a line, and the range of four in five as a band. Pure. The sentence above it
 * says the same to people who do not see it. */

import { plotOf } from "./plot.js";
import { write } from "./written.js";

/** Returns the picture of a forecast's points, made at `nowMs`. Returns null if there is nothing to draw. */
export function bandOf(waiting, nowMs) {
  const points = (key) => waiting.map((point) => [nowMs + point.after_ms, point.waiting[key]]);
  return plotOf({
    name: "outlook",
    tick: (value) => write.number(value),
    moment: (ms) => write.clock(ms),
    series: [
      { name: "futures", points: points("p10"), over: points("p90") },
      { name: "wait", points: points("p50") },
    ],
  });
}
