/* Shows how good the outlook's forecasts were. For the operator alone: the public page shows how the line was kept, and a forecast is no
 * part of that. Pure. */

import { chart } from "./chart.js";
import { counts, most, over } from "./charts.js";
import { heads, wide } from "./sections.js";
import { escaped, filled } from "./text.js";

const MINUTE_MS = 60_000;
/** The forecasts that the chart shows, and how long before what came they were made. */
const [CHARTED, AHEAD_MS] = ["waiting_in_10_min", 10 * MINUTE_MS];
/** The width of a band: a share of the time to the next one, and at most a share of the chart. */
const [WIDTH, WIDTH_MAX] = [0.4, 0.03];
/** If a smaller share lay in its bands, the report calls them too narrow. Ten good forecasts have fewer than six right once in thirty sales. */
const POOR_PERCENT = 60;

const paragraph = (text) => (text ? `<p>${escaped(text)}</p>` : "");

/** Returns the figure that the page frames. A report without forecasts was made at the desk, which cannot make them. */
export function forecastsFigure(report, frame, say) {
  const words = say.words.forecasts;
  const { forecasts } = report;
  if (!forecasts) return { title: words.head, text: words.elsewhere, body: "" };
  const text = filled(words.text, { every: say.duration(forecasts.every_ms) });
  const silent = forecasts.silent > 0 ? filled(words.silent, { silent: say.number(forecasts.silent), moments: say.number(forecasts.moments) }) : "";
  if (forecasts.said.length === 0) return { title: words.head, text, body: paragraph([words.none, silent].filter(Boolean).join(" ")) };
  const body = paragraph(lead(forecasts, say)) + table(forecasts, say) + bands(report, frame, text, say);
  return {
    title: words.head,
    text,
    body: `${body}<p class="soft">${escaped([words.columns, words.left_out, silent].filter(Boolean).join(" "))}</p>`,
  };
}

/** Returns the whole in a sentence; without a share if there are too few of every kind. */
function lead({ scores, said, judged_from: from }, { words: { forecasts: words }, number }) {
  const within = said.filter((one) => one.is_within).length;
  const percent = Math.round((within / said.length) * 100);
  const told = { within: number(within), count: number(said.length), percent: number(percent), from: number(from) };
  const isJudged = scores.some((one) => one.is_judged);
  return filled(isJudged ? (percent < POOR_PERCENT ? words.poor : words.lead) : words.few, told);
}

function table({ scores }, { words: { forecasts: words }, number }) {
  const percent = (value) => (value === null ? "–" : `${number(Math.round(value))} %`);
  const row = ({ of, count, within, below, is_judged: isJudged, width_percent: width, miss_percent: miss }) => {
    const aside = isJudged ? percent((within / count) * 100) : words.too_few;
    const share = filled(words.share, { within: number(within), count: number(count) });
    const cells = [`${escaped(share)}<small>${escaped(aside)}</small>`, number(below), number(count - within - below), percent(width), percent(miss)];
    return `<tr><td style="min-width:8rem">${escaped(words[of])}</td>${cells.map((cell) => `<td class="n">${cell}</td>`).join("")}</tr>`;
  };
  /** @type {[string, boolean][]} */
  const names = [
    ["of", false],
    ["within", true],
    ["below", true],
    ["above", true],
    ["width", true],
    ["miss", true],
  ];
  const rows = scores
    .filter(({ count }) => count > 0)
    .map(row)
    .join("");
  return wide(words.head, `${heads(names.map(([key, isNumber]) => [words[key], isNumber]))}<tbody>${rows}</tbody>`);
}

/** Draws what was said of each moment ten minutes before it, and how many waited then. */
function bands(report, frame, text, say) {
  const words = say.words.forecasts;
  const { said, every_ms: every } = report.forecasts;
  const half = Math.min(every * WIDTH, (frame.x.to - frame.x.from) * WIDTH_MAX) / 2;
  const told = said.filter((one) => one.of === CHARTED && one.high !== null);
  if (told.length === 0) return "";
  const place = ({ at_ms: at }) => [Math.max(at + AHEAD_MS - half, frame.x.from), Math.min(at + AHEAD_MS + half, frame.x.to)];
  const series = [
    { kind: "bars", name: words.band, hue: 1, parts: told.map((one) => [...place(one), one.low, one.high]) },
    { kind: "line", name: words.came, hue: 0, parts: over(report, (one) => one.present) },
  ];
  const highest = Math.max(most([series[1]]), ...told.map(({ high }) => high));
  return `<h3>${escaped(words.chart)}</h3>${chart({ title: words.chart, text, ...frame, y: counts(highest, say), series, height: 220 })}`;
}
