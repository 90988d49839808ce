// What reports in HTML share: one file that needs no other, charts that are readable on light and dark, escaped text. Pure.

import { GREY, HUES } from "../bench/plot.mjs";

export const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Returns an axis of numbers from 0 on. */
export const axisOf = (name, nameGap) => ({
  type: "value",
  name,
  nameGap,
  nameLocation: "middle",
  nameTextStyle: { color: GREY },
  axisLabel: { color: GREY },
  axisLine: { lineStyle: { color: GREY } },
  splitLine: { lineStyle: { color: GREY, opacity: 0.25 } },
  min: 0,
});

/** What every chart has. */
export const frame = {
  animation: false,
  color: HUES,
  textStyle: { fontFamily: "system-ui, sans-serif" },
  grid: { left: 70, right: 40, top: 60, bottom: 50 },
  legend: { top: 4, itemGap: 28, textStyle: { color: GREY } },
};
export const line = (name, data, more = {}) => ({ name, type: "line", symbol: "none", data, ...more });
export const fixed = (value) => Number(value.toPrecision(4));

/** Returns a table of cells, heads first. @param {string[][]} rows */
export function tableOf([heads, ...rows]) {
  const cells = (tag, row) => row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("");
  return `<div class="wide"><table><thead><tr>${cells("th", heads)}</tr></thead><tbody>${rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("\n")}</tbody></table></div>`;
}

/** Returns a chart with its heading and what it shows; nothing without a chart. */
export const figureOf = (title, svg, text) => (svg ? `<figure><figcaption><h2>${title}</h2><p>${text}</p></figcaption>${svg}</figure>` : "");

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; } body { max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } .answer { border-inline-start: 4px solid ${HUES[0]}; padding-inline-start: 1rem; } svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: .2rem .6rem; text-align: end; border-bottom: 1px solid ${GREY}; } td:last-child, th:last-child { text-align: start; }
pre { overflow-x: auto; }`;

/** Returns the whole page. `body` is HTML, `title` is not. */
export const pageOf = (title, body) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head><body>
${body}
</body></html>
`;
