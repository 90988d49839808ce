// What a log of the crowd says, from outside only. A log is a list of `{ at, who, what }`, `at` in milliseconds of one clock. Pure.
//
//   asks        the request to join leaves         told     the page hears that it is called
//   has         the front has said `waiting`       in       the person is inside
//   lost        the connection is gone             out      the person is about to leave, or was killed inside
//   back        the front says `waiting` again     quit     the person gave the place up, or was killed while waiting
//   kill, up    the server is killed, runs again (without `who`)

/** Somebody was overtaken only by a person who asked so much later and went in so much earlier: answers may pass each other on their way. */
export const SKEW_MS = 100;
/** Whoever has come back counts as there after so long. */
const SETTLED_MS = 500;

const instants = (log, what) =>
  log
    .filter((entry) => entry.what === what)
    .map(({ at }) => at)
    .sort((a, b) => a - b);

/**
 * Returns the times from a release until the next one was told: the k-th release makes room for the k-th call after the first `permits`. Only for a log in
 * which somebody always waited and nobody vanished.
 */
export function handovers(log, permits) {
  const released = instants(log, "out");
  return instants(log, "told")
    .slice(permits)
    .map((at, i) => at - released[i])
    .filter(Number.isFinite)
    .map((ms) => Math.max(0, ms));
}

/** Returns the most people who were inside at once, within `[from, to)`. */
export function mostInside(log, [from, to] = [-Infinity, Infinity]) {
  const steps = log.filter(({ what }) => what === "in" || what === "out").sort((a, b) => a.at - b.at || (a.what === "out" ? -1 : 1));
  const inside = new Set();
  let most = 0;
  for (const { at, who, what } of steps) {
    if (what === "in") inside.add(who);
    else inside.delete(who);
    if (at < from) most = inside.size;
    else if (at < to) most = Math.max(most, inside.size);
  }
  return most;
}

/** Returns name → what happened to that person: the instants of `asks`, `has` and `told`, and the stretches in which the person waited and was there. */
function lives(log) {
  const people = new Map();
  for (const { at, who, what } of log.filter((entry) => entry.who).sort((a, b) => a.at - b.at)) {
    if (!people.has(who)) people.set(who, { there: [] });
    const person = people.get(who);
    person[what] ??= at;
    if (what === "has") person.there.push({ from: at, to: Infinity });
    if (what === "back") person.there.push({ from: at + SETTLED_MS, to: Infinity });
    if (["lost", "told", "quit"].includes(what) && person.there.length > 0) person.there.at(-1).to = Math.min(at, person.there.at(-1).to);
  }
  return people;
}

/**
 * Returns who was overtaken: people who had been told their place before another one asked for one, who were there, and who saw that other go in earlier. `skewMs`
 * is how late the log may have heard of a call. O(n²).
 */
export function overtaken(log, skewMs = SKEW_MS) {
  const people = [...lives(log)];
  const saw = (one, other) => one.there.some(({ from, to }) => from <= other.told && other.told + skewMs < to);
  return people.filter(([, one]) => people.some(([, other]) => one.has + skewMs < other.asks && saw(one, other))).map(([who]) => who);
}

/** Returns what became of a crowd of these plans: how many stayed until they were let in or the end came, how many of them were let in, and the last call. */
export function outcome(log) {
  const people = [...lives(log).values()];
  const stayed = people.filter(({ quit, told }) => told !== undefined || quit === undefined);
  const begun = Math.min(...people.map(({ asks }) => asks));
  return {
    stayed: stayed.length,
    served: stayed.filter((person) => person.in !== undefined).length,
    took_s: (Math.max(...stayed.map((person) => person.in ?? begun)) - begun) / 1_000,
  };
}
