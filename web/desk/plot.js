/* A small chart of lines and a band, as SVG. Pure: takes points, returns a piece of page. Whoever points at it, or walks over it with the arrow keys
 * (walk.js), reads what was at that moment. The style sheet has the colours; a caption beside each chart answers its question in words. */

import { h } from "./tree.js";

const WIDTH = 600;
const HEIGHT = 190;
/** A stripe of at least ten units is wide enough to point at. */
const STRIPES = 55;
const LEFT = 62,
  BOTTOM = 24,
  TOP = 12;
/** Minutes between two moments that the axis names, and how many there may be. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1_440];
const MOMENTS_MAX = 4;

/** Returns a round number at or above `value`, half of which is whole: there are no half people. */
export function roundUp(value) {
  if (!(value > 2)) return 2;
  const ten = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * ten).find((step) => step >= value * 0.999999 && step % 2 === 0);
}

/** Returns the round moments between two, five at most, or the last where there is none. `minute`: how long one is. */
export function momentsOf(least, most, minute) {
  const step = minute * (STEPS.find((each) => (most - least) / (each * minute) <= MOMENTS_MAX) ?? (most - least) / minute / MOMENTS_MAX);
  const first = Math.ceil(least / step) * step;
  const round = Array.from({ length: MOMENTS_MAX + 1 }, (_, at) => first + at * step).filter((at) => at <= most);
  return round.length > 0 ? round : [most];
}

/**
 * Returns a chart, or null while there are fewer than two points. `series` is `[{ name, points: [[x, y]], over, text }]`: y is null for a gap, `over` is
 * an upper edge that makes a band of it, and `text` names it in the legend. `tick(y)` and `moment(x)` write the axes; a minute is `minute` of x. `says(x)`
 * returns what was at `x`; `picked` is the moment that somebody points at, or null; `label` says what the chart
 * shows, and `caption` in what, until somebody points at it.
 * @param {{
 *   series: { name: string, points: [number, number | null][], over?: [number, number | null][], text?: string }[], tick: (y: number) => string,
 *   moment: (x: number) => string, minute: number, name: string, label: string, caption: string, says: (x: number) => string, picked?: number | null
 * }} drawn
 */
export function plotOf({ series, tick, moment, minute, name, label, caption, says, picked = null }) {
  const xs = series.flatMap(({ points }) => points.map(([x]) => x));
  if (new Set(xs).size < 2) return null;
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  const top = roundUp(1.02 * Math.max(...series.flatMap(({ points, over }) => [...points, ...(over ?? [])].map(([, y]) => y ?? 0))));
  const x = (value) => one(LEFT + ((WIDTH - LEFT) * (value - least)) / (most - least));
  const y = (value) => one(TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top));
  const walked = stripes(series[0].points);
  // Moments go by while somebody points at one: the next that is still drawn takes its place.
  const later = picked === null ? -1 : walked.findIndex(({ to }) => to >= picked);
  const at = later < 0 ? walked.length - 1 : later;
  const svg = h(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: `plot ${name}`, "aria-hidden": "true" },
    [0, top / 2, top].map((value) => [
      h("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }),
      h("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, tick(value)),
    ]),
    momentsOf(least, most, minute).map((value) => [
      h("line", { class: "grid", x1: x(value), x2: x(value), y1: y(0), y2: y(0) + 5 }),
      h("text", { x: x(value), y: HEIGHT - 4, "text-anchor": anchorOf(x(value)) }, moment(value)),
    ]),
    series.map((each) => drawn(each, x, y)),
    picked !== null && h("line", { class: "picked", x1: x(walked[at].to), x2: x(walked[at].to), y1: TOP, y2: y(0) }),
    walked.map(({ from, to }) =>
      h("rect", { class: "hover", "data-x": to, x: x(from), y: TOP, width: one(x(to) - x(from)), height: HEIGHT - TOP - BOTTOM }),
    ),
  );
  const reading = says(walked[at].to);
  // What one walks over with arrows is a slider to a screen reader: it says the text of each place.
  const place = { "aria-valuemin": 0, "aria-valuemax": walked.length - 1, "aria-valuenow": at, "aria-valuetext": reading };
  return [
    h("p", { class: "hint reading", "aria-hidden": picked !== null && "true" }, picked === null ? caption : reading),
    h("div", { class: "walk", role: "slider", tabindex: "0", "aria-label": label, "aria-orientation": "horizontal", ...place }, svg),
    legendOf(series),
  ];
}

/** A moment's text stays within the picture: on the left it has the place of the other axis. */
const anchorOf = (x) => (x > WIDTH - 50 ? "end" : "middle");

/** @type {(series: { name: string, points: [number, number | null][], over?: [number, number | null][] }, x: any, y: any) => any} */
const drawn = ({ name, points, over }, x, y) =>
  over
    ? h("polygon", { class: `band ${name}`, points: [...points, ...[...over].reverse()].map(([at, value]) => `${x(at)},${y(value)}`).join(" ") })
    : h("path", { class: `trace ${name}`, d: pathOf(points, x, y) });

/** Returns the legend of a chart with several lines. */
function legendOf(series) {
  const named = series.filter(({ text }) => text);
  if (named.length === 0) return null;
  const key = ({ name, over }) =>
    over ? h("rect", { class: `band ${name}`, width: 28, height: 10 }) : h("path", { class: `trace ${name}`, d: "M1 5H27" });
  return h(
    "ul",
    { class: "legend" },
    named.map((each) => h("li", {}, h("svg", { class: "key", viewBox: "0 0 28 10", "aria-hidden": "true" }, key(each)), ` ${each.text}`)),
  );
}

/** Returns at most `STRIPES` stripes of a chart, by their ends: what is said of one holds when it ends. */
function stripes(points) {
  const some = thinned(points, STRIPES).map(([x]) => x);
  return some.slice(1).map((to, at) => ({ from: some[at], to }));
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
