/* Draws charts as SVG text. Pure. A chart is as wide as the page: what is drawn stretches, text does not, so a phone can show it. Colours
 * come from the page's style, so a chart fits light, dark and paper. */

import { escaped } from "./text.js";

/** The width of what is drawn; the page stretches it. */
const WIDTH = 1_000;
const [TOP, BOTTOM] = [26, 24];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [1, 2, 5, 10, 15, 30]
  .map((n) => n * SECOND)
  .concat(
    [1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
    [1, 2, 3, 6, 12].map((n) => n * HOUR),
    [1, 2, 7, 14, 28, 91, 182, 364].map((n) => n * DAY),
  );
/** The most labels along the time axis; a phone shows every second one. */
const LABELS_MAX = 9;

const short = (value) => String(Number(value.toFixed(1)));

/** Returns round values from 0 to at least `most`: `{ to, ticks }`. */
export function scaleOf(most) {
  const about = Math.max(most, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(about));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= about && n >= 1 && Number.isInteger(n)) ?? 10 * power);
  const to = Math.ceil(Math.max(most, 1) / step) * step;
  return { to, ticks: Array.from({ length: Math.round(to / step) + 1 }, (_, n) => n * step) };
}

/** Returns round durations from 0 to at least `most` ms: `{ to, ticks }`. */
export function durationScale(mostMs) {
  const step = STEPS.find((ms) => mostMs / ms <= 5) ?? Math.ceil(mostMs / 5 / DAY) * DAY;
  const to = Math.max(1, Math.ceil(mostMs / step)) * step;
  return { to, ticks: Array.from({ length: to / step + 1 }, (_, n) => n * step) };
}

/** Returns round times on the zone's clocks: `[{ at, text }]`. */
export function timeTicks(fromMs, toMs, say) {
  const step = STEPS.find((ms) => (toMs - fromMs) / ms <= LABELS_MAX) ?? STEPS.at(-1);
  const offsetMs = say.offsetMs(fromMs);
  const text = step < MINUTE ? say.clock : step < DAY ? say.minute : say.day;
  const first = Math.ceil((fromMs + offsetMs) / step) * step - offsetMs;
  return Array.from({ length: Math.max(0, Math.floor((toMs - first) / step) + 1) }, (_, n) => ({
    at: first + n * step,
    text: text(first + n * step),
  }));
}

/** Returns a path of steps over stretches `[from, to, value]`. In a gap between two it falls to zero, or breaks if `breaks` is set. */
function steps(parts, x, y, { closed = false, breaks = false, base = () => 0 } = {}) {
  let path = "";
  let until = null;
  const zero = y(0);
  for (const [from, to, value] of parts) {
    const [left, right, top] = [x(from), x(to), y(value)];
    if (until === null) path += closed ? `M${short(left)} ${short(zero)}V${short(top)}` : `M${short(left)} ${short(top)}`;
    else if (from > until) path += breaks ? `M${short(left)} ${short(top)}` : `V${short(zero)}H${short(left)}V${short(top)}`;
    else path += `V${short(top)}`;
    path += `H${short(right)}`;
    until = to;
  }
  return closed && path ? `${path}V${short(zero)}Z` : path;
}

function drawn(series, x, y) {
  const { kind, parts, hue, dash } = series;
  const style = `class="${kind} h${hue}${dash ? " dash" : ""}"`;
  if (kind === "area") return `<path ${style} d="${steps(parts, x, y, { closed: true })}"/>`;
  if (kind === "line") return `<path ${style} d="${steps(parts, x, y, series)}"/>`;
  // Bars: each goes from `low` to `high`, never too thin to be seen.
  return parts
    .map(([from, to, low, high]) => {
      const [left, right, top] = [x(from), x(to), y(high)];
      return `<rect ${style} x="${short(left)}" y="${short(top - 1)}" width="${short(Math.max(1, right - left))}" height="${short(y(low) - top + 2)}"/>`;
    })
    .join("");
}

const percent = (at) => `${short(at * 100)}%`;
const anchor = (at) => (at < 0.04 ? "start" : at > 0.96 ? "end" : "middle");

/**
 * Returns a chart. `x` and `y` are `{ from, to, ticks: [{ at, text }] }`, `series` is `[{ kind: "line" | "area" | "bars", name, hue, parts }]`,
 * `marks` is `[{ at, text }]`. `title` is for people who do not see the chart: what it shows stands above it in words. Areas are drawn from 0: stack them before.
 */
export function chart({ title, x, y, series, marks = [], height = 240 }) {
  const span = Math.max(1, x.to - x.from);
  const share = (at) => (at - x.from) / span;
  const place = (at) => Math.min(Math.max(share(at), 0), 1) * WIDTH;
  const room = height - TOP - BOTTOM;
  const level = (value) => room - ((value - (y.from ?? 0)) / Math.max(1, y.to - (y.from ?? 0))) * room;
  const grid = y.ticks.map(({ at }) => `<line class="grid" x1="0" x2="${WIDTH}" y1="${short(level(at))}" y2="${short(level(at))}"/>`).join("");
  const lines = marks.map(({ at }) => `<line class="mark" x1="${short(place(at))}" x2="${short(place(at))}" y1="0" y2="${room}"/>`).join("");
  const levels = y.ticks.map(({ at, text: said }) => `<text class="halo" x="0" y="${short(TOP + level(at) - 3)}">${escaped(said)}</text>`).join("");
  const labels = x.ticks
    .map(
      ({ at, text: said }, nth) =>
        `<text${nth % 2 ? ' class="more"' : ""} x="${percent(share(at))}" y="${height - 6}" text-anchor="${anchor(share(at))}">${escaped(said)}</text>`,
    )
    .join("");
  const names = marks
    .map(
      ({ at, text: said }, nth) =>
        `<text class="name" x="${percent(share(at))}" y="${nth % 2 ? 20 : 10}" text-anchor="${anchor(share(at))}">${escaped(said)}</text>`,
    )
    .join("");
  const plot = `<svg y="${TOP}" width="100%" height="${room}" viewBox="0 0 ${WIDTH} ${room}" preserveAspectRatio="none">${grid}${series.map((one) => drawn(one, place, level)).join("")}${lines}</svg>`;
  const svg = `<svg class="chart" role="img" aria-label="${escaped(title)}" width="100%" height="${height}" xmlns="http://www.w3.org/2000/svg">${plot}<g aria-hidden="true">${levels}${labels}${names}</g></svg>`;
  const named = series.filter(({ name }) => name);
  const legend =
    named.length > 0
      ? `<ul class="legend">${named.map(({ name, hue, kind, dash }) => `<li><span class="swatch ${kind} h${hue}${dash ? " dash" : ""}"></span>${escaped(name)}</li>`).join("")}</ul>`
      : "";
  return `${legend}${svg}`;
}

/** Stacks areas and returns them with the lowest last, so that each is drawn from 0: `[{ name, hue, parts }]` with the same stretches. */
export function stacked(all) {
  const sums = new Map();
  return all
    .map((one) => ({
      ...one,
      kind: "area",
      parts: one.parts.map(([from, to, value]) => {
        sums.set(from, (sums.get(from) ?? 0) + value);
        return [from, to, sums.get(from)];
      }),
    }))
    .reverse();
}
