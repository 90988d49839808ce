/*
 * Writes durations, times and plurals in the page's language, by `Intl`. Pure but for the device's time zone.
 *
 * Digits are Latin in every language, and a number has no groups: the server, the shop's page and an operator's message write it so, and people
 * compare. Left to `Intl`, engines of different years write the same Arabic number in different signs.
 */

/** In the tag: as an option, ranges of numbers ignore it. A document that says no language is in English. */
const latin = (lang) => `${lang || "en"}-u-nu-latn`;

/** The units of a duration and their seconds, the largest first. */
/** @type {[string, number][]} */
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** Returns `text` with its `{placeholders}` filled in. If the text has plural forms, takes the one for `count`. */
export function fill(text, values, lang, count = 0) {
  const form = typeof text === "string" ? text : (text[new Intl.PluralRules(latin(lang)).select(count)] ?? text.other);
  return form.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Returns a wait as "about 3–5 min": never narrower than measured, and no finer than it is worth. */
export function waitText([lowS, highS], lang, words) {
  const [unit, size, step] = highS <= 90 ? ["second", 1, 10] : highS <= 10_800 ? ["minute", 60, 1] : ["hour", 3600, 1];
  const low = Math.floor(lowS / size / step) * step;
  const high = Math.max(1, Math.ceil(highS / size / step)) * step;
  const format = units(lang, unit);
  if (!low) return fill(words.under, { time: format.format(high) });
  if (low === high) return fill(words.about, { time: format.format(high) });
  const time = format.formatRange ? format.formatRange(low, high) : `${low}–${format.format(high)}`;
  return fill(words.about, { time });
}

/** Returns a duration in its two largest units: "1 hr, 5 min", "4 min, 12 sec", "30 sec". Rounds seconds up, then drops smaller units. */
export function durationText(ms, lang) {
  let rest = Math.max(0, Math.ceil(ms / 1_000));
  // The largest unit that fits. If nothing is left none fits, and -1 leaves seconds alone.
  const largest = UNITS.findIndex(([, seconds]) => seconds <= rest);
  const parts = [];
  for (const [unit, size] of UNITS.slice(largest).slice(0, 2)) {
    const count = Math.floor(rest / size);
    if (count || !parts.length) parts.push(units(lang, unit).format(count));
    rest %= size;
  }
  return new Intl.ListFormat(latin(lang), { type: "unit", style: "short" }).format(parts);
}

const calendarOf = (tag) => new Intl.DateTimeFormat(tag).resolvedOptions().calendar;

/** Returns the tag by which the reader's country writes dates in `lang`, of those that the browser prefers. Years are counted as the page counts them. */
export const countryOf = (lang, preferred) =>
  preferred.map((tag) => tag.split("-u-")[0]).find((tag) => tag.startsWith(`${lang}-`) && calendarOf(tag) === calendarOf(lang)) ?? lang;

/**
 * Returns the time of day at `atMs`, with the date if it is more than half a day from `nowMs`.
 * @param {number} atMs
 * @param {number} nowMs
 * @param {string} lang
 * @param {"short" | "medium" | "long"} [timeStyle]
 */
export function timeText(atMs, nowMs, lang, timeStyle = "short") {
  const far = Math.abs(atMs - nowMs) > 43_200_000;
  return new Intl.DateTimeFormat(latin(lang), { timeStyle, ...(far && { dateStyle: "medium" }) }).format(atMs);
}

function units(lang, unit) {
  return new Intl.NumberFormat(latin(lang), { style: "unit", unit, unitDisplay: "short", useGrouping: false });
}
