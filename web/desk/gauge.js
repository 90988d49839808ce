/* Draws the permits of a room as a gauge: how many are inside, called and free, and how much of their time is dead. Pure. */

import { filled } from "./filled.js";
import { freeOf } from "./situation.js";
import { h } from "./tree.js";

const WIDTH = 600;
const HEIGHT = 28;

/** Returns the parts of a gauge, in people. Together they fill it; debt lies beyond the permits there are. */
function partsOf(report) {
  const { inside, called, debt } = report;
  return { inside, called, free: freeOf(report), debt };
}

/** Returns the gauge of a report. `deadShare` is of the last minutes, null if unknown. The legend says the same in numbers, and
 * `asOf` of which moment they are, if not of now. */
export function gaugeOf(report, deadShare, write, asOf = "") {
  const { gauge } = write.text;
  const { inside, called, free, debt } = partsOf(report);
  const whole = Math.max(report.permits, inside + called + free, 1);
  let from = 0;
  const part = (name, count) => {
    const x = from;
    const width = Math.round((WIDTH * count * 10) / whole) / 10;
    from += width;
    return count > 0 ? h("rect", { class: name, x: Math.round(x * 10) / 10, y: 0, width, height: HEIGHT }) : null;
  };
  const limit = Math.round((WIDTH * report.permits * 10) / whole) / 10;
  const entry = (name, count) => h("li", { class: name }, h("i", { "aria-hidden": "true" }), h("strong", {}, write.number(count)), ` ${gauge[name]}`);
  return h(
    "div",
    { class: "gauge" },
    h(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      h("rect", { class: "ground", x: 0, y: 0, width: WIDTH, height: HEIGHT }),
      part("inside", inside),
      part("called", called),
      part("free", free),
      debt > 0 ? h("line", { class: "limit", x1: limit, x2: limit, y1: 0, y2: HEIGHT }) : null,
    ),
    h(
      "ul",
      { class: "legend", "aria-label": filled(gauge.label, { permits: write.number(report.permits) }) },
      entry("inside", inside),
      entry("called", called),
      entry("free", free),
    ),
    h(
      "p",
      { class: "hint" },
      asOf && `${asOf} `,
      filled(gauge.of, { permits: write.number(report.permits) }),
      debt > 0 ? ` ${filled(gauge.debt, { debt: write.number(debt) })}` : "",
      deadShare === null || report.present === 0 ? "" : ` ${filled(gauge.dead, { share: write.percent(deadShare) })}`,
    ),
  );
}
