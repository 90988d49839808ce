/* Writes numbers, durations and moments, in either language. Pure but for the device's time zone: `createWriter` makes what the desk uses. */

import { locale, words } from "./words.js";

/** Returns functions that write durations, numbers and moments as `tag` writes them, with the unit words of `text`. */
export function createWriter(tag, text) {
  const numbers = new Intl.NumberFormat(tag);
  const [compact, rough, clock, day, date, exact] = [
    new Intl.NumberFormat(tag, { notation: "compact" }),
    new Intl.NumberFormat(tag, { maximumSignificantDigits: 2 }),
    new Intl.DateTimeFormat(tag, { timeStyle: "short" }),
    new Intl.DateTimeFormat(tag, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }),
    new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" }),
    new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "medium" }),
  ];
  const unit = (count, key) => text.units[key].replace("{count}", typeof count === "number" ? numbers.format(count) : count);
  /** Returns a duration in at most two units. */
  const duration = (ms) => {
    if (ms < 10_000) return unit(Math.round(ms / 100) / 10, "s");
    const s = Math.round(ms / 1_000);
    if (s < 60) return unit(s, "s");
    const two = (high, large, low, small) => (low ? `${unit(high, large)} ${unit(low, small)}` : unit(high, large));
    if (s < 3_600) return two(Math.floor(s / 60), "min", s % 60, "s");
    return two(Math.floor(s / 3_600), "h", Math.floor((s % 3_600) / 60), "min");
  };
  return {
    text,
    /** Returns a number without digits behind the point, or below 10 with at most one. */
    number: (value) => numbers.format(Math.abs(value) >= 10 ? Math.round(value) : Math.round(value * 10) / 10),
    /** Returns a number for the axis of a chart: 500, 2.5K. */
    tick: (value) => compact.format(value),
    duration,
    /** Returns a duration as a guess: in minutes, never in seconds. */
    about: (ms) => (ms < 60_000 ? text.units.soon : duration(Math.round(ms / 60_000) * 60_000)),
    /** Returns the same as the end of a sentence: about 22 min, less than a minute. */
    guess: (ms) => (ms < 60_000 ? text.units.soon : text.units.about.replace("{time}", duration(Math.round(ms / 60_000) * 60_000))),
    /** Returns the time of an answer, with the two digits that octaves allow: 240 ms, 1.2 s. */
    answer: (ms) => {
      if (ms >= 65_536) return text.answers.more;
      return ms < 995 ? unit(rough.format(ms), "ms") : unit(rough.format(ms / 1_000), "s");
    },
    percent: (share) => `${numbers.format(Math.round(share * 100))} %`,
    clock: (ms) => clock.format(ms),
    date: (ms) => date.format(ms),
    /** Returns a moment in the shortest clear form: today only its time, this year without the year. */
    moment: (ms, nowMs) => {
      const [at, now] = [new Date(ms), new Date(nowMs)];
      if (at.toDateString() === now.toDateString()) return clock.format(ms);
      return (at.getFullYear() === now.getFullYear() ? day : date).format(ms);
    },
    exact: (ms) => exact.format(ms),
  };
}

/** The writer in the desk's language, as the reader's country writes it. */
export const write = createWriter(locale, words);
