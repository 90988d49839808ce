// Draws the schedule of a room as a timeline: what changes when, how it went, and where now is. A pure function of the schedule, of what the
// room says of its steps, and of the time. It touches no page. Its classes are in timeline.css, its words in schedule_words.json.

import { offsetText } from "./zones.js";

const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));

/** Returns the parts of a duration that are not zero, at most two: `1 h 30 min`. */
function lasting(seconds, words) {
  /** @type {[string, number][]} */
  const parts = [
    ["h", Math.floor(seconds / 3600)],
    ["min", Math.floor((seconds % 3600) / 60)],
    ["s", seconds % 60],
  ];
  const shown = parts.filter(([, count]) => count > 0).slice(0, 2);
  return shown.map(([unit, count]) => filled(words[unit], { count })).join(" ");
}

/** Returns one key of a step in words. */
function inWords(key, value, words, number) {
  if (value === null) return filled(words.file, { key });
  if (key === "mode") return words.modes[value] ?? value;
  const isRamp = typeof value === "object" && "to" in value;
  const ramp = `${key}_ramp`;
  if (isRamp && words[ramp]) return filled(words[ramp], { count: number.format(value.to), time: lasting(value.over_s, words) });
  if (key === "permits" && typeof value === "number") return filled(words.permits, { count: number.format(value) });
  if (key === "admissions_per_s" && typeof value === "number") {
    return value === 0 ? words.admissions_none : filled(words.admissions_per_s, { count: number.format(value) });
  }
  if (key === "message") return value === "" ? words.message_none : filled(words.message, { text: value.any ?? value });
  return filled(words.other, { key, value: typeof value === "string" ? value : JSON.stringify(value) });
}

/** Returns what a step does: the mode first, as its head, then the rest. */
export function stepInWords(set, words, locale) {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
  const rank = (key) => ["mode", "permits", "admissions_per_s"].indexOf(key) >>> 0;
  const keys = Object.keys(set).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  return keys.map((key) => inWords(key, set[key], words, number));
}

/**
 * Returns the steps in order of time, each as `{ atMs, set, state, why, isNext }`. `told` is the report's `schedule`. A step that the room
 * has not told of yet is due. A step that is due although its time is over is `late`.
 */
export function stepsOf(schedule, told, nowMs) {
  const known = new Map((told ?? []).map((step) => [step.at_ms, step]));
  const steps = (schedule ?? []).map(({ at, set }) => {
    const atMs = Date.parse(at);
    const { state = "due", why } = known.get(atMs) ?? {};
    return { atMs, set, why, state: state === "due" && atMs < nowMs - LATE_MS ? "late" : state };
  });
  steps.sort((a, b) => a.atMs - b.atMs);
  const next = steps.find(({ state }) => state === "due");
  return steps.map((step) => ({ ...step, isNext: step === next }));
}

/** A report may take this long to say that a step was carried out. */
const LATE_MS = 5_000;

function stepHtml(step, { words, locale, times }) {
  const [head, ...rest] = stepInWords(step.set, words, locale).map(escaped);
  const state = step.state === "late" ? words.late : words.states[step.state];
  const mark = step.isNext ? words.next : state;
  const why = { refused: step.why ? filled(words.refused_why, { why: step.why }) : words.refused, passed: words.passed }[step.state];
  return [
    `<li class="step ${step.state}${step.isNext ? " next" : ""}">`,
    `<time datetime="${new Date(step.atMs).toISOString()}">${escaped(times.time(step.atMs))}</time>`,
    `<div class="what"><strong>${head}</strong>`,
    rest.length ? `<span class="rest">${rest.join(" · ")}</span>` : "",
    why ? `<p class="why">${escaped(why)}</p>` : "",
    `</div><span class="state">${escaped(mark)}</span></li>`,
  ].join("");
}

/** Returns functions that write times in this language and zone, with the offset from UTC if the schedule has more than one offset. */
function timesIn(locale, zone, steps) {
  const day = new Intl.DateTimeFormat(locale, { timeZone: zone, weekday: "short", year: "numeric", month: "long", day: "numeric" });
  const time = new Intl.DateTimeFormat(locale, { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const exact = new Intl.DateTimeFormat(locale, { timeZone: zone, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const isMixed = new Set(steps.map(({ atMs }) => offsetText(atMs, zone))).size > 1;
  const clock = (at) => (at % 60_000 === 0 ? time : exact).format(at);
  return {
    day: (at) => day.format(at),
    minute: (at) => time.format(at),
    time: (at) => (isMixed ? `${clock(at)} ${offsetText(at, zone)}` : clock(at)),
  };
}

/**
 * Returns the timeline as HTML: a list for each day, the steps in it, and a line where now is. The operator's words are escaped.
 * `{ schedule, told, nowMs, zone, locale, words }` are the setting's value, the report's `schedule`, Unix ms, an IANA zone, a language,
 * and that language's words.
 */
export function timeline({ schedule, told, nowMs, zone, locale, words }) {
  const steps = stepsOf(schedule, told, nowMs);
  if (steps.length === 0) return `<p class="timeline-empty">${escaped(words.empty)}</p>`;
  const times = timesIn(locale, zone, steps);
  const now = { atMs: nowMs, isNow: true };
  const behind = steps.filter(({ atMs, state }) => atMs <= nowMs || state === "done");
  const entries = [...behind, now, ...steps.filter((step) => !behind.includes(step))];
  const days = [];
  for (const entry of entries) {
    const day = times.day(entry.atMs);
    if (days.at(-1)?.day !== day) days.push({ day, entries: [] });
    days.at(-1).entries.push(entry);
  }
  const nowHtml = `<li class="now" aria-current="time"><span>${escaped(filled(words.now, { time: times.minute(nowMs) }))}</span></li>`;
  const html = (entry) => (entry.isNow ? nowHtml : stepHtml(entry, { words, locale, times }));
  const sections = days.map(({ day, entries }) => `<li class="day"><h4>${escaped(day)}</h4><ol>${entries.map(html).join("")}</ol></li>`);
  const note = filled(words.zone, { zone: `${zone} (UTC${offsetText(nowMs, zone)})` });
  return `<ol class="timeline" aria-label="${escaped(words.label)}">${sections.join("")}</ol><p class="timeline-zone">${escaped(note)}</p>`;
}
