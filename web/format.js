/*
 * Numbers, durations, times and plurals in the page's language, by `Intl`. Pure but for the language.
 */

/** `text` with its `{placeholders}`. A text with plural forms takes the one for `count`. */
export function fill(text, values, lang, count = 0) {
  const form = typeof text === "string" ? text : text[new Intl.PluralRules(lang).select(count)] ?? text.other;
  return form.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** "about 3–5 min": never narrower than measured, and never finer than it is worth. */
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

/** A duration in its two largest units, rounded up: "1 hr 5 min", "4 min 12 sec", "30 sec". */
export function durationText(ms, lang) {
  const s = Math.max(0, Math.ceil(ms / 1_000));
  const parts = s >= 86_400 ? { days: Math.floor(s / 86_400), hours: Math.floor(s / 3_600) % 24 }
    : s >= 3_600 ? { hours: Math.floor(s / 3_600), minutes: Math.floor(s / 60) % 60 }
    : s >= 60 ? { minutes: Math.floor(s / 60), seconds: s % 60 }
    : { seconds: s };
  if (Intl.DurationFormat && s) return new Intl.DurationFormat(lang, { style: "short" }).format(parts);
  return Object.entries(parts).map(([name, count]) => units(lang, name.slice(0, -1)).format(count)).join(" ");
}

/** The time of day at `atMs`, with the date when that is more than half a day from `nowMs`. */
export function timeText(atMs, nowMs, lang, timeStyle = "short") {
  const far = Math.abs(atMs - nowMs) > 43_200_000;
  return new Intl.DateTimeFormat(lang, { timeStyle, ...(far && { dateStyle: "medium" }) }).format(atMs);
}

function units(lang, unit) {
  return new Intl.NumberFormat(lang, { style: "unit", unit, unitDisplay: "short" });
}
