// Decides which levels are measured: how many people, in which order. Pure.
//
// First come quick looks upwards, doubling, until the shop clearly answers slower (the bend is behind) or a cap is reached. Then come eight levels
// around the bend, three of them past it, and two of them again on the way down, which shows whether the shop is still the same. A shop that collapsed
// gets fewer and fewer people instead, until it carries them again.

/** Shares of the bend: five before it, three past it. */
const SHARES = [0.15, 0.3, 0.5, 0.7, 0.9, 1.25, 1.6, 2.1];
/** Where no bend was seen: shares of the most people that are allowed. */
const SHARES_UNBENT = [0.12, 0.25, 0.37, 0.5, 0.62, 0.75, 0.87, 1];
/** The levels that are measured again on the way down, by place: one past the bend and one before it. */
const AGAIN = [6, 3];
/** How many times as long a step takes as in an empty shop when the bend is clearly behind, and when it is near. */
const LOOK_BENT = 1.7;
const LOOK_BENDING = 1.2;
const LOOK_PEOPLE_FIRST = 4;

/** Returns how many times as long a step takes, thinking included, as in the empty shop. */
export const stretchOf = (level, quiet) => (level.answer_ms + level.think_ms) / (quiet.answer_ms + level.think_ms);

/** Returns how many people to look at next, or `null` if the bend is behind or `peopleMax` was looked at. */
export function nextLook(looks, peopleMax) {
  const last = looks.at(-1);
  if (!last) return Math.min(LOOK_PEOPLE_FIRST, peopleMax);
  const stretch = stretchOf(last, looks[0]);
  if (last.people >= peopleMax || stretch >= LOOK_BENT) return null;
  return Math.min(peopleMax, Math.ceil(last.people * (stretch >= LOOK_BENDING ? 1.5 : 2)));
}

/** Returns where the bend seems to be after the looks, in people, or `null` if it was not reached. */
export function roughBend(looks) {
  const last = looks.at(-1);
  if (!last || stretchOf(last, looks[0]) < LOOK_BENT) return null;
  const perS = Math.max(...looks.map(({ per_s: each }) => each));
  return (perS * (looks[0].answer_ms + last.think_ms)) / 1_000;
}

/** Returns the levels: `[{ people, way: "up" | "down" }]`, at most ten. `bend` may be null. */
export function levelsFor(bend, peopleMax) {
  const sizes = (bend === null ? SHARES_UNBENT.map((share) => share * peopleMax) : SHARES.map((share) => share * bend)).map((people) =>
    Math.min(peopleMax, Math.max(1, Math.round(people))),
  );
  const up = [...new Set(sizes)];
  const again = [...new Set(AGAIN.map((at) => sizes[at]))].filter((people) => people < up.at(-1));
  return [...up.map((people) => ({ people, way: "up" })), ...again.map((people) => ({ people, way: "down" }))];
}

/** A fallen shop gets first so many of the people with whom it had fallen, then so much fewer each time, down to this share of them. */
const [BACK_FIRST, BACK, BACK_MIN] = [0.95, 0.93, 0.3];

/** Returns the crowds with which a shop that fell is measured again, the largest first. `fallen`: the fewest people that it did not carry. */
export function crowdsBack(fallen) {
  const sizes = [];
  for (
    let people = Math.round(BACK_FIRST * fallen);
    people >= Math.max(1, BACK_MIN * fallen);
    people = Math.min(people - 1, Math.round(people * BACK))
  )
    sizes.push(people);
  return sizes;
}
