/* A small chart of lines and a band, as SVG. Pure: takes points, returns a piece of page. The style sheet has the colours; a caption beside
 * each chart answers its question in words. */

import { h } from "./tree.js";

const WIDTH = 600;
const HEIGHT = 150;
/** A stripe of at least ten units is wide enough to point at. */
const STRIPES = 55;
const LEFT = 46,
  BOTTOM = 24,
  TOP = 12;

/** Returns a round number at or above `value`, half of which is whole: there are no half people. */
export function roundUp(value) {
  if (!(value > 2)) return 2;
  const ten = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * ten).find((step) => step >= value * 0.999999 && step % 2 === 0);
}

/**
 * Returns a chart, or null while there are fewer than two points. `series` is `[{ name, points: [[x, y]], over }]`: y is null for a gap,
 * and `over` is an upper edge that makes a band of it. `tick(y)` and `moment(x)` write the axes. `says(x)` returns what was at `x`,
 * for whoever points at it.
 * @param {{
 *   series: { name: string, points: [number, number | null][], over?: [number, number | null][] }[], tick: (y: number) => string,
 *   moment: (x: number) => string, name: string, says?: (x: number) => any
 * }} drawn
 */
export function plotOf({ series, tick, moment, name, says }) {
  const xs = series.flatMap(({ points }) => points.map(([x]) => x));
  if (new Set(xs).size < 2) return null;
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  const top = roundUp(1.02 * Math.max(...series.flatMap(({ points, over }) => [...points, ...(over ?? [])].map(([, y]) => y ?? 0))));
  const x = (value) => one(LEFT + ((WIDTH - LEFT) * (value - least)) / (most - least));
  const y = (value) => one(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top));
  const line = ({ name: of, points, over }) =>
    over
      ? h("polygon", { class: `band ${of}`, points: [...points, ...[...over].reverse()].map(([at, value]) => `${x(at)},${y(value)}`).join(" ") })
      : h("path", { class: `trace ${of}`, d: pathOf(points, x, y) });
  return h(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: `plot ${name}`, "aria-hidden": "true" },
    [0, top / 2, top].map((value) => [
      h("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }),
      h("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, tick(value)),
    ]),
    [least, (least + most) / 2, most].map((value, at) =>
      h("text", { x: x(value), y: HEIGHT - 4, "text-anchor": ["start", "middle", "end"][at] }, moment(value)),
    ),
    series.map(line),
    says &&
      stripes(series[0].points, says).map(({ from, to, text }) =>
        h("rect", { class: "hover", x: x(from), y: TOP, width: one(x(to) - x(from)), height: HEIGHT - TOP - BOTTOM }, h("title", {}, text)),
      ),
  );
}

/** Returns at most `STRIPES` stripes of a chart, each with what it says of the moment at which it ends. */
function stripes(points, says) {
  const some = thinned(points, STRIPES).map(([x]) => x);
  return some.slice(1).map((to, at) => ({ from: some[at], to, text: says(to) }));
}

const one = (value) => Math.round(value * 10) / 10;

/** Returns a path with a break wherever a value is unknown. */
function pathOf(points, x, y) {
  let isDrawing = false;
  return points
    .map(([at, value]) => {
      if (value === null || value === undefined) {
        isDrawing = false;
        return "";
      }
      const step = `${isDrawing ? "L" : "M"}${x(at)} ${y(value)}`;
      isDrawing = true;
      return step;
    })
    .join("");
}

/** Returns at most `count` of the points, with the last. More than a screen can show would only cost time. */
export function thinned(points, count = 180) {
  const step = Math.max(1, Math.ceil(points.length / count));
  return points.filter((_, at) => (points.length - 1 - at) % step === 0);
}
