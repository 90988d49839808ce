/* Judges how a room is doing, as one situation: what a desk says in one sentence, and how much it matters. Pure: takes a report with its
 * settings, what was seen lately and a forecast; returns a name with values, which `sentence.js` puts into words. The first rule that holds
 * wins, so the rules stand in the order in which an operator wants to hear of things. */

/** How much a situation matters, the worst first. `off`: the room calls nobody, and that is meant. */
const LEVELS = ["act", "look", "well", "off"];

/** If there were fewer answers, or calls, lately, a share of them says nothing. */
const FEW = 20;
/** The shop fails if a larger share of its answers are errors. */
const ERRORS_MAX = 0.1;
/** The shop is slow if half of its answers, or one in twenty, take at least this long, ms. */
const SLOW_HALF_MS = 2_000;
const SLOW_MOST_MS = 8_000;
/** A larger share of missed calls, or of dead permit-time, is worth a look. */
const MISSED_MAX = 0.2;
const DEAD_MAX = 0.25;
/** The cap holds people back if they come in at least this share as fast as it allows. */
const CAPPED_MIN = 0.8;
/** One address holds much if it holds a larger share of the permits, and at least this many: a small room is a family's. */
const HELD_MAX = 0.2;
const HELD_COUNT = 6;
/** A line grows if more wait than five minutes ago: at least this share more, and at least this many more. */
const GROWS_SHARE = 0.05;
const GROWS_PEOPLE = 50;

const settingOf = (told, key) => told.settings?.[key]?.value;
/** Returns how many permits somebody could have. */
export const freeOf = ({ hand, tray }) => hand + tray;

/** Returns whether the room would call somebody if the shop is well: not before an opening, and not without permits. */
const mayCall = ({ mode, permits, opens_at_ms: opensAtMs }) => ["open", "drain"].includes(mode) && permits > 0 && !opensAtMs;
/** Returns whether anybody is called. */
export const isCalling = (report) => mayCall(report) && report.origin !== "failing";

/**
 * Returns how long a newcomer waits, ms: by the forecast, else by how fast people came in lately. Null if nobody is called, or it is not known.
 * Permits too many come back first, and who comes to an empty line without a free permit waits for one person to leave.
 */
export function waitOf({ report }, seen, forecast) {
  if (!isCalling(report)) return null;
  if (report.present === 0 && freeOf(report) > 0) return 0;
  if (forecast && !forecast.silence && forecast.newcomer?.p50 != null) return forecast.newcomer.p50;
  const line = Math.max(1, report.present + report.called) + report.debt;
  return seen.admittedPerMin > 0 ? (line * 60_000) / seen.admittedPerMin : null;
}

/** An opening that should have been this long ago says that the news of it is old; less is a device's clock. */
const OVERDUE_MS = 60_000;

/** Returns the mode in which the room will open by itself, by its dates, or null. Of a shut room a summary does not tell the mode that was set: "unknown". */
function openingOf({ report, settings }) {
  const mode = settings ? settings.mode.value : report.mode;
  if (!settings && mode === "closed") return report.opens_at_ms ? "unknown" : null;
  const isOpening = ["open", "paused"].includes(mode) || (mode === "drain" && report.in_hall + report.waiting > 0);
  return report.opens_at_ms && isOpening ? mode : null;
}

/** Returns the live value that the room does not go by, because the file leaves no room for it. Returns null if it goes by all. */
function unusable({ report, settings, changed }) {
  if (!settings) return null;
  const { permits, mode, opens_at: opens, closes_at: closes } = settings;
  const isLive = (key) => changed?.[key] && settings[key].source === "live" && !settings[key].ramp;
  if (isLive("permits") && permits.value !== report.permits) return { key: "permits", value: permits.value, force: report.permits };
  const hasDates = [opens, closes].some((dates) => dates?.value?.length > 0);
  return isLive("mode") && !hasDates && mode.value !== report.mode ? { key: "mode", value: mode.value, force: report.mode } : null;
}

const failedShare = ({ answers: { recent } }) => {
  const all = recent.count + recent.failed;
  return all >= FEW ? recent.failed / all : 0;
};
/** Returns whether people come in about as fast as the cap allows. */
const isCapped = ({ admittedPerMin }, perS) => perS > 0 && admittedPerMin >= CAPPED_MIN * perS * 60;
const living = ({ waiting, inside, in_hall: hall }) => waiting + inside + hall;

/**
 * The rules, `[level, name, holds]`. `holds` may return more values for the words.
 * @type {[string, string, (facts: any) => any][]}
 */
const RULES = [
  ["act", "unusable", ({ told }) => unusable(told)],
  ["act", "rolled_back", ({ seen }) => seen.rolledBack > 0],
  ["act", "opened", ({ seen }) => seen.opened > 0],
  [
    "off",
    "rehearsal",
    ({ rehearsal, report }) =>
      rehearsal && report.mode === "closed" && report.in_hall === 0 && { waiting: rehearsal.waiting, inside: rehearsal.inside },
  ],
  ["act", "failing", ({ report }) => mayCall(report) && report.origin === "failing"],
  ["act", "no_permits", ({ report }) => mayCall({ ...report, permits: 1 }) && report.permits === 0],
  [
    "act",
    "errors",
    ({ report, told, calls }) =>
      calls &&
      failedShare(report) > ERRORS_MAX && {
        share: failedShare(report),
        isPassing: ["observe", "bypass"].includes(report.mode),
        brake: told.settings && mayCall(report) ? settingOf(told, "origin_errors_max_percent") > 0 : null,
      },
  ],
  ["look", "recovering", ({ report }) => mayCall(report) && report.origin === "recovering"],
  ["look", "bypass", ({ report }) => report.mode === "bypass"],
  ["look", "observe", ({ report }) => report.mode === "observe"],
  ["look", "overdue", ({ opening, report, nowMs }) => opening && report.opens_at_ms < nowMs - OVERDUE_MS],
  ["off", "by_dates", ({ opening }) => opening === "unknown"],
  ["look", "opens_paused", ({ opening }) => opening === "paused"],
  ["look", "opens_without", ({ opening, report }) => opening && report.permits === 0],
  ["off", "hall", ({ opening, report }) => opening && report.in_hall > 0],
  ["off", "before", ({ opening, report }) => opening && living(report) === 0],
  ["off", "between", ({ opening }) => opening],
  ["look", "paused", ({ report }) => report.mode === "paused"],
  ["off", "sold_out", ({ report }) => report.mode === "sold_out"],
  ["look", "closed_line", ({ report }) => report.mode === "closed" && report.waiting + report.in_hall > 0],
  ["off", "closed_inside", ({ report }) => report.mode === "closed" && report.inside > 0],
  ["off", "closed", ({ report }) => report.mode === "closed"],
  ["look", "drained", ({ report }) => report.mode === "drain" && report.waiting === 0],
  ["look", "drain", ({ report }) => report.mode === "drain"],
  [
    "look",
    "slow",
    ({
      report: {
        answers: { recent },
      },
    }) => recent.count >= FEW && (recent.p50_ms >= SLOW_HALF_MS || recent.p95_ms >= SLOW_MOST_MS) && { most: recent.p95_ms },
  ],
  [
    "look",
    "missed",
    ({ report, seen }) =>
      report.present > 0 &&
      seen.calls >= FEW &&
      seen.missed / seen.calls > MISSED_MAX && { share: seen.missed / seen.calls, isLately: seen.isWatched },
  ],
  [
    "look",
    "capped",
    ({ report, seen, told }) =>
      seen.isWatched &&
      report.present > 0 &&
      seen.deadShare > DEAD_MAX &&
      isCapped(seen, settingOf(told, "admissions_per_s")) && { share: seen.deadShare, cap: settingOf(told, "admissions_per_s") },
  ],
  ["look", "dead", ({ report, seen }) => seen.isWatched && report.present > 0 && seen.deadShare > DEAD_MAX && { share: seen.deadShare }],
  [
    "look",
    "one_address",
    ({ report }) => {
      const count = report.inside_of_one_address ?? 0;
      return count >= HELD_COUNT && count > HELD_MAX * report.permits && { count, share: count / report.permits };
    },
  ],
  [
    "well",
    "drawn",
    ({ report, told }) =>
      told.settings &&
      report.totals.entered > 0 &&
      report.in_hall === 0 &&
      report.waiting > 0 &&
      report.totals.claimed <= report.permits && { entered: report.totals.entered, lot: settingOf(told, "draw") !== "arrival" },
  ],
  ["look", "line_full", ({ report }) => report.places_left === 0],
  [
    "look",
    "grows",
    ({ report, seen }) => {
      const more = report.waiting - (seen.waitingBefore ?? report.waiting);
      return more >= GROWS_PEOPLE && more >= GROWS_SHARE * seen.waitingBefore && { more };
    },
  ],
  [
    "well",
    "quiet",
    ({ report, told }) => report.waiting === 0 && { isStraight: settingOf(told, "walk_in") === true && settingOf(told, "admissions_per_s") === 0 },
  ],
  ["well", "well", () => true],
];

/**
 * Returns the situation of a room: `{ level, name, values }`. `told` is what the API says of the room, or null while the room is silent, or nothing was
 * heard of it yet; `last` is then the last of it. `seen` comes from `seen.js`. `rehearsal` is the report of a rehearsal that is going on.
 */
export function situationOf({ told, last = null, seen, forecast = null, rehearsal = null, nowMs = Date.now() }) {
  if (!told?.report && seen.silentSinceMs === null) return { level: "off", name: "unheard", values: {} };
  if (!told?.report) {
    const { fail } = last?.settings ?? {};
    return {
      level: "act",
      name: "unreachable",
      values: { since: seen.silentSinceMs, waiting: last?.report?.waiting ?? null, isOpen: fail?.value === "open" },
    };
  }
  const { report } = told;
  const calls = ["open", "drain", "observe", "bypass"].includes(report.mode);
  const facts = { told, report, seen, rehearsal, calls, nowMs, opening: openingOf(told) };
  for (const [level, name, holds] of RULES) {
    const more = holds(facts);
    if (more)
      return { level, name, values: { ...valuesOf(told, seen, forecast), ...(report.opens_at_ms && { left: report.opens_at_ms - nowMs }), ...more } };
  }
  throw new Error("the last rule always holds");
}

function valuesOf(told, seen, forecast) {
  const { report } = told;
  const { recent } = report.answers;
  return {
    inside: report.inside,
    here: report.in_hall + report.waiting,
    waiting: report.waiting,
    permits: report.permits,
    free: freeOf(report),
    hall: report.in_hall,
    opens: report.opens_at_ms,
    opened: seen.opened,
    proofs: seen.rolledBack,
    wait: report.present > 0 ? waitOf(told, seen, forecast) : null,
    answer: recent.count > 0 ? recent.p50_ms : null,
  };
}

/** The situation of a room that this page fails to show. */
export const UNSHOWN = { level: "look", name: "unshown", values: {} };

/** Compares two situations: the worse comes first; at the same level, the one where more people wait. */
export function byNeed(one, other) {
  return LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level) || (other.values.waiting ?? 0) - (one.values.waiting ?? 0);
}
