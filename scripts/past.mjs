// Dates of a room at which nothing can happen any more, such as an opening with a slip in its year, and closings that come before every opening: until the
// first of these the room is open. A sale that runs has such dates too, so this warns and refuses nothing.

/** Returns a date as somebody wrote it. */
const written = (date) => (date instanceof Date ? date.toISOString() : String(date));

/** Returns a value of TOML or JSON as a list of Unix ms; what is no date is left to the schema. */
const momentsOf = (value) =>
  [value ?? []]
    .flat()
    .map((date) => Date.parse(written(date)))
    .filter((ms) => !Number.isNaN(ms));

const [PASSED, BEFORE] = ["Give a date to come, unless the sale has begun", "Give the closing a date after the opening, unless this is meant"];

/**
 * Returns what is doubtful in the dates of each room, lane and schedule: `[{ key, value, what, cure }]`. Dates of which every one has passed, and a closing
 * to come before every opening.
 */
export function past(rooms = {}, nowMs = Date.now()) {
  const isPast = (moments) => moments.length > 0 && Math.max(...moments) < nowMs;
  const found = [];
  const look = (key, dates, what) => {
    if (isPast(momentsOf(dates))) found.push({ key, value: [dates].flat().map(written).join(", "), what, cure: PASSED });
  };
  const compare = (key, opens, closes) => {
    const [opensMs, closesMs] = [opens, closes].map((dates) => Math.min(...momentsOf(dates)));
    if (opensMs === Infinity || closesMs >= opensMs || closesMs < nowMs) return;
    const value = [closes].flat().map(written).join(", ");
    found.push({ key, value, what: "comes before every opening, so until then it is open", cure: BEFORE });
  };
  for (const [room, { opens_at: opensAt, closes_at: closesAt, schedule, lanes }] of Object.entries(rooms)) {
    const at = `ROOMS.${room}`;
    look(`${at}.opens_at`, opensAt, "has passed, so the room does not wait for it");
    look(`${at}.closes_at`, closesAt, "has passed, so the room does not close by it");
    compare(`${at}.closes_at`, opensAt, closesAt);
    look(
      `${at}.schedule`,
      [schedule ?? []].flat().map((step) => step?.at),
      "has passed, every step of it",
    );
    for (const { name, opens_at: of, closes_at: until } of Array.isArray(lanes) ? lanes : []) {
      look(`${at}.lanes, ${name}, opens_at`, of, "has passed, so the lane does not wait for it");
      compare(`${at}.lanes, ${name}, closes_at`, of, until);
    }
  }
  return found;
}

/** Returns what `past` found as lines for a terminal. */
export const pastText = (rooms, nowMs) =>
  past(rooms, nowMs)
    .map(({ key, value, what, cure }) => `warning: ${key} = ${value}: ${what}. ${cure}.\n`)
    .join("");
