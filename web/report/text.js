/* Says numbers, times and durations in the report, in the language and the time zone that were asked for. Pure. */

import words from "./words.json" with { type: "json" };

export const LANGUAGES = Object.keys(words);
const FALLBACK = "en";
/** @type {[string, number][]} */
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

export const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
export const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);

/** Returns the report's language for a tag such as `en-GB`; undefined for a text that names none of them. */
export function languageOf(tag) {
  try {
    return LANGUAGES.find((one) => one === new Intl.Locale(tag).language);
  } catch {
    return undefined;
  }
}

/**
 * Who reads a report, and of which time most of it is.
 * @typedef {{ lang?: string, timeZone?: string, from?: number, to?: number }} Reader
 */

/**
 * Returns what is said and how. `{ lang, timeZone }` are as a browser or a command line names them; an unknown language becomes English.
 * Most of the report lies between `from` and `to`, in ms. If both are on one day, `when` leaves the day out.
 * @param {Reader} reader
 */
export function speaker({ lang = FALLBACK, timeZone, from = 0, to = from + 86_400_000 } = {}) {
  const known = languageOf(lang) ?? FALLBACK;
  // Dates as the reader's country writes them: `en-GB` has the day first.
  const tag = languageOf(lang) ? lang : known;
  const formats = (options) => new Intl.DateTimeFormat(tag, { timeZone, ...options });
  const whole = formats({ dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
  const clock = formats({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const minute = formats({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const day = formats({ month: "short", day: "numeric" });
  const date = formats({ dateStyle: "short" });
  const number = new Intl.NumberFormat(known, { maximumFractionDigits: 1 });
  const { duration: units } = words[known];
  const said = (unit, n) => filled(units[unit], { n: number.format(n) });
  return {
    lang: known,
    words: words[known],
    zone: whole.resolvedOptions().timeZone,
    offsetMs: offsetOf(formats({ dateStyle: "short", timeStyle: "medium" }).resolvedOptions().timeZone),
    number: (value) => number.format(value),
    moment: (ms) => whole.format(ms),
    when: (ms) => (date.format(ms) === date.format(from) && date.format(from) === date.format(to) ? clock : whole).format(ms),
    clock: (ms) => clock.format(ms),
    minute: (ms) => minute.format(ms),
    day: (ms) => day.format(ms),
    /** Returns a duration in at most two units: `1 h 2 min`, `3 min 5 s`, `4.1 s`, `12 ms`. Returns a dash if there is none. */
    duration(ms) {
      if (ms === null || ms === undefined) return "–";
      if (ms < 1_000) return said("ms", ms);
      if (ms < 10_000) return said("s", ms / 1_000);
      const whole = Math.round(ms / 1_000) * 1_000;
      const at = UNITS.findIndex(([, size]) => whole >= size);
      const [unit, size] = UNITS[at];
      const next = UNITS[at + 1];
      const rest = next ? Math.floor((whole % size) / next[1]) : 0;
      return rest > 0
        ? `${said(unit, Math.floor(whole / size))}${known === "ja" ? "" : " "}${said(next[0], rest)}`
        : said(unit, Math.floor(whole / size));
    },
  };
}

/** Returns a function that tells how far the zone's clocks are ahead of UTC at a moment, in ms. */
function offsetOf(timeZone) {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    const { year, month, day, hour, minute, second } = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
  };
}

/** Returns a lane's title as people were shown it; empty for a room without lanes. */
export function laneOf({ lanes = [] }, name) {
  return name === undefined ? "" : lanes.find((lane) => lane.name === name)?.title || name;
}
