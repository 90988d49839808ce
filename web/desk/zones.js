// Local time in a time zone, and the instants that it names. Daylight saving makes some local times name none, and some two.
// Whoever plans is asked which was meant, and nothing is guessed. This file reads only the browser's own time zone data (Intl).

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The hours around a local time at which offsets are read. No zone is further from UTC than 14 hours, and no two changes are this close. */
const AROUND_H = [-24, -12, 0, 12, 24];

const formats = new Map();

function format(zone) {
  if (!formats.has(zone)) {
    /** @type {Intl.DateTimeFormatOptions} */
    const numeric = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" };
    formats.set(
      zone,
      new Intl.DateTimeFormat("en-US", { timeZone: zone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23", ...numeric }),
    );
  }
  return formats.get(zone);
}

/** Returns what the clocks of the zone show at an instant (Unix ms), as if they showed UTC (ms). */
function shownAt(at, zone) {
  const parts = Object.fromEntries(
    format(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
}

/** Returns how far the zone is ahead of UTC at an instant, in ms. */
function offsetMs(at, zone) {
  const whole = Math.floor(at / 1_000) * 1_000;
  return shownAt(whole, zone) - whole;
}

/** Returns whether the browser knows this zone. */
export function isZone(zone) {
  try {
    return Boolean(zone) && Boolean(format(zone));
  } catch {
    return false;
  }
}

/** The browser's own zone. */
export const ownZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Returns the names of all zones that can be chosen. */
export function zones() {
  const known = Intl.supportedValuesOf?.("timeZone") ?? [];
  return [...new Set([...known, ownZone(), "UTC"])].sort();
}

/** Reads `2026-12-01T10:00`, seconds optional, as an `<input type="datetime-local">` has it. Returns undefined for any other text or no real day. */
function parsed(text) {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
  if (!found) return undefined;
  const [year, month, day, hour, minute, second = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  return new Date(ms).toISOString().slice(0, 16) === text.slice(0, 16) && second < 60 ? ms : undefined;
}

/**
 * Returns the instants (Unix ms) at which the clocks of the zone show this local time:
 * - `{ kind: "once", at }`;
 * - `{ kind: "twice", choices: [first, second] }`: the clocks are set back over it, so it comes twice;
 * - `{ kind: "missing", choices: [before, after] }`: the clocks are set forward over it, so it never comes. At the choices, the clocks
 *   show the local time moved back, and forward, by the length of the gap;
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

/** Returns the offset from UTC as `+09:00`. */
export function offsetText(at, zone) {
  const minutes = Math.round(offsetMs(at, zone) / MINUTE_MS);
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Returns what the clocks show, as `2026-12-01T10:00:00`: the form of `<input type="datetime-local" step="1">`. */
export const localText = (at, zone) => new Date(at + offsetMs(at, zone)).toISOString().slice(0, 19);

/** Returns an instant as the schedule takes it: `2026-12-01T10:00:00+09:00`. */
export const written = (at, zone) => `${localText(at, zone)}${offsetText(at, zone)}`;
