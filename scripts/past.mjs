// Dates of a room at which nothing can happen any more, such as an opening with a slip in its year. A sale that runs has one too, so this warns and
// refuses nothing.

/** Returns a date as somebody wrote it. */
const written = (date) => (date instanceof Date ? date.toISOString() : String(date));

/** Returns a value of TOML or JSON as a list of Unix ms; what is no date is left to the schema. */
const momentsOf = (value) =>
  [value ?? []]
    .flat()
    .map((date) => Date.parse(written(date)))
    .filter((ms) => !Number.isNaN(ms));

/** Returns a sentence for each room, lane and schedule of which every date has passed: `[{ key, value, what }]`. */
export function past(rooms = {}, nowMs = Date.now()) {
  const isPast = (moments) => moments.length > 0 && Math.max(...moments) < nowMs;
  const found = [];
  const look = (key, dates, what) => {
    if (isPast(momentsOf(dates))) found.push({ key, value: [dates].flat().map(written).join(", "), what });
  };
  for (const [room, { opens_at: opensAt, closes_at: closesAt, schedule, lanes }] of Object.entries(rooms)) {
    const at = `ROOMS.${room}`;
    look(`${at}.opens_at`, opensAt, "has passed, so the room does not wait for it");
    look(`${at}.closes_at`, closesAt, "has passed, so the room does not close by it");
    look(
      `${at}.schedule`,
      [schedule ?? []].flat().map((step) => step?.at),
      "has passed, every step of it",
    );
    for (const { name, opens_at: of } of Array.isArray(lanes) ? lanes : [])
      look(`${at}.lanes, ${name}, opens_at`, of, "has passed, so the lane does not wait for it");
  }
  return found;
}

/** Returns what `past` found as lines for a terminal. */
export const pastText = (rooms, nowMs) =>
  past(rooms, nowMs)
    .map(({ key, value, what }) => `warning: ${key} = ${value}: ${what}. Give a date to come, unless the sale has begun.\n`)
    .join("");
