// Local time in a time zone, and the instants that it names. Daylight saving makes some local times name none, and some two:
// whoever plans is asked which was meant, and nothing is guessed. It reads the browser's own time zone data (Intl) and nothing else.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Where offsets are looked at around a local time: no zone is further from UTC than 14 hours, and no two changes are this close. */
const AROUND_H = [-24, -12, 0, 12, 24];

const formats = new Map();

function format(zone) {
  if (!formats.has(zone)) {
    const numeric = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" };
    formats.set(zone, new Intl.DateTimeFormat("en-US", { timeZone: zone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23", ...numeric }));
  }
  return formats.get(zone);
}

/** What the clocks of the zone show at an instant (Unix ms), as if they showed UTC (ms). */
function shownAt(at, zone) {
  const parts = Object.fromEntries(format(zone).formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}

/** How far the zone is ahead of UTC at an instant, in ms. */
function offsetMs(at, zone) {
  const whole = Math.floor(at / 1_000) * 1_000;
  return shownAt(whole, zone) - whole;
}

/** Whether the browser knows this zone. */
export function isZone(zone) {
  try {
    return Boolean(zone) && Boolean(format(zone));
  } catch {
    return false;
  }
}

/** The browser's own zone. */
export const ownZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Every zone that can be chosen, by name. */
export function zones() {
  const known = Intl.supportedValuesOf?.("timeZone") ?? [];
  return [...new Set([...known, ownZone(), "UTC"])].sort();
}

/** `2026-12-01T10:00`, seconds optional, as an `<input type="datetime-local">` has it; undefined: it is no such text or no such day. */
function parsed(text) {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  if (!found) return undefined;
  const [year, month, day, hour, minute, second = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  return new Date(ms).toISOString().slice(0, 16) === text.slice(0, 16) && second < 60 ? ms : undefined;
}

/**
 * The instants (Unix ms) at which the clocks of the zone show this local time:
 * - `{ kind: "once", at }`;
 * - `{ kind: "twice", choices: [first, second] }`: the clocks are set back over it, so it comes twice;
 * - `{ kind: "missing", choices: [before, after] }`: the clocks are set forward over it, so it never comes. The choices are what the
 *   clocks show as long before the gap as was meant after its beginning, and as long after it;
 * - `{ kind: "bad" }`: no local time, or no zone that the browser knows.
 */
export function instants(local, zone) {
  const shown = parsed(local);
  if (shown === undefined || !isZone(zone)) return { kind: "bad" };
  const offsets = [...new Set(AROUND_H.map((hours) => offsetMs(shown + hours * HOUR_MS, zone)))];
  const meant = offsets.map((offset) => shown - offset).sort((a, b) => a - b);
  const real = meant.filter((at) => shownAt(at, zone) === shown);
  if (real.length === 1) return { kind: "once", at: real[0] };
  if (real.length > 1) return { kind: "twice", choices: [real[0], real.at(-1)] };
  return { kind: "missing", choices: [meant[0], meant.at(-1)] };
}

const two = (number) => String(number).padStart(2, "0");

/** `+09:00`. */
export function offsetText(at, zone) {
  const minutes = Math.round(offsetMs(at, zone) / MINUTE_MS);
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** What the clocks show, `2026-12-01T10:00:00`: the form of `<input type="datetime-local" step="1">`. */
export const localText = (at, zone) => new Date(at + offsetMs(at, zone)).toISOString().slice(0, 19);

/** An instant as the schedule takes it: `2026-12-01T10:00:00+09:00`. */
export const written = (at, zone) => `${localText(at, zone)}${offsetText(at, zone)}`;
