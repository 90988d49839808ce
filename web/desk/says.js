/* Puts a forecast into words. Pure: takes a forecast, returns sentences. */

import { filled } from "./filled.js";
import { words } from "./words.js";
import { write } from "./written.js";

const at = (nowMs, afterMs) => write.clock(nowMs + afterMs);
const { about, duration } = write;

/** Says when the line ends. `kind` names the sentences: as things are, or with other permits. */
function ends({ line_ends: { p10, p50, p90 }, permits, horizon_ms }, nowMs, kind) {
  const text = words.outlook[kind];
  const values = { permits: write.number(permits), time: duration(Math.floor(horizon_ms / 60_000) * 60_000) };
  if (p10 === null) return filled(text.never, values);
  if (p50 === null) return filled(text.perhaps, { ...values, from: at(nowMs, p10) });
  const shown = { ...values, at: at(nowMs, p50), from: at(nowMs, p10) };
  return p90 === null ? filled(text.open, shown) : filled(text.band, { ...shown, to: at(nowMs, p90) });
}

/** Returns the one sentence: when the line ends as things are, or why nothing is said. */
export function sentence(forecast, nowMs) {
  if (forecast.silence) return words.outlook.silence[forecast.silence];
  return ends(forecast, nowMs, "ends");
}

/** Returns the same sentence for other permits. */
export function whatIf(forecast, nowMs) {
  if (forecast.silence) return filled(words.outlook.silence[forecast.silence], { permits: write.number(forecast.permits) });
  return ends(forecast, nowMs, "what_if");
}

/** Returns what else is known: how long a newcomer waits, what the forecast rests on, and what was tried. */
export function notes(forecast) {
  const { measured, newcomer, stay_ms, arrivals_per_h, give_up_percent } = forecast;
  const lines = [];
  if (!forecast.silence && newcomer.p10 !== null && newcomer.p90 !== null) {
    const [from, to] = [about(newcomer.p10), about(newcomer.p90)];
    lines.push(filled(from === to ? words.outlook.newcomer_about : words.outlook.newcomer, { from, to }));
  }
  if (stay_ms > 0) {
    const values = { stay: duration(stay_ms), arrivals: write.number(arrivals_per_h), percent: give_up_percent };
    lines.push(filled(words.outlook.rests_on, values));
  }
  if (measured.most > 0) {
    const [least, most, from, to, knee] = ["least", "most", "from", "to", "slows_above"].map((key) => write.number(measured[key] ?? 0));
    lines.push(filled(least === most ? words.outlook.measured_one : words.outlook.measured, { least, most, from, to }));
    if (measured.slows_above !== null) lines.push(filled(words.outlook.slows, { knee }));
  }
  return lines;
}

/** Returns what was said of now some time ago, and how many wait. `judged` is null if there is no forecast that old. */
export function looksBack(judged) {
  if (!judged) return "";
  const { agoMs, from, to, waiting, isRight } = judged;
  const values = { ago: about(agoMs), from: write.number(from), to: write.number(to), waiting: write.number(waiting) };
  return filled(isRight ? words.outlook.was_right : words.outlook.was_wrong, values);
}
