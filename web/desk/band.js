/* Draws how many will wait: the middle of many futures as a line, and the range of four in five as a band. Pure. The sentence above it
 * says the same to people who do not see it. */

import { filled } from "./filled.js";
import { plotOf } from "./plot.js";
import { words } from "./words.js";
import { write } from "./written.js";

const MINUTE_MS = 60_000;

/** Returns the picture of a forecast's points, made at `nowMs`. Returns null if there is nothing to draw. */
export function bandOf(waiting, nowMs, picked = null) {
  const points = (key) => waiting.map((point) => [nowMs + point.after_ms, point.waiting[key]]);
  return plotOf({
    name: "outlook",
    label: words.outlook_title,
    caption: words.outlook_chart,
    minute: MINUTE_MS,
    picked,
    says: (ms) => {
      const { p10, p50, p90 } = waiting.find((point) => nowMs + point.after_ms === ms).waiting;
      const values = { time: write.clock(ms), count: write.number(p50), from: write.number(p10), to: write.number(p90) };
      return filled(words.outlook_at, values);
    },
    tick: write.tick,
    moment: (ms) => write.clock(ms),
    series: [
      { name: "futures", points: points("p10"), over: points("p90"), text: words.outlook_legend.futures },
      { name: "wait", points: points("p50"), text: words.outlook_legend.middle },
    ],
  });
}
