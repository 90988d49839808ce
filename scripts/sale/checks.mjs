// What must have held in the scripted sale, by what the buyers, the shop and the operator saw. `house_checks.mjs` judges what is around the line. The
// audit of the journal comes on top; its code shares nothing with this.

import { outOfOrder } from "../../demo/crowd.mjs";
import { ROOM } from "./house.mjs";

/** Returns every check as `{ what, ok, detail }`. */
export function check({ people, shop, looks, who, opensAtMs }) {
  const soldOutAtMs = who.find(({ room, what }) => room === ROOM && what.mode === "sold_out")?.at_ms ?? NaN;
  const ends = tally(people.map(({ end }) => end));
  const numbers = people.map(({ visitor }) => visitor.number).filter((number) => number !== undefined);
  const rises = people.flatMap(({ visitor }) => visitor.aheadRises());
  const renumbered = people.filter(({ visitor }) => new Set(visitor.numbers()).size > 1);
  const wrong = outOfOrder(shop.calls, new Set(numbers));
  const odd = Object.keys(ends).filter((end) => !["bought", "sold out"].includes(end));
  const unbalanced = looks.filter(({ report: r }) => r.hand + r.tray + r.called + r.inside !== r.permits + r.debt);
  const told = people
    .filter(({ insideFromMs, end }) => insideFromMs === null && end === "sold out")
    .map(({ visitor }) => toldSoldOutMs(visitor, soldOutAtMs));
  const slowest = Math.max(0, ...told);
  return [
    { what: "everybody bought or heard that all is sold", ok: odd.length === 0, detail: list(ends) },
    {
      what: "every seat was sold, and none twice",
      ok: shop.seats_left === 0 && shop.seats_sold === (ends.bought ?? 0),
      detail: `${shop.seats_sold} of ${shop.seats_total}`,
    },
    { what: "no number was called before a lower one", ok: wrong.length === 0, detail: `${shop.calls.length} calls` },
    {
      what: "a number stays one person's",
      ok: new Set(numbers).size === numbers.length && renumbered.length === 0,
      detail: `${numbers.length} numbers`,
    },
    {
      what: "the number ahead never rose",
      ok: rises.length === 0,
      detail: `${people.reduce((sum, { visitor }) => sum + visitor.history.filter(({ kind }) => kind === "status" || kind === "frame").length, 0).toLocaleString("en")} messages`,
    },
    { what: "permits added up at every look", ok: unbalanced.length === 0, detail: `${looks.length} looks` },
    {
      what: "never more inside than permits",
      ok: shop.inside_max <= Math.max(...looks.map(({ report }) => report.permits)),
      detail: `the shop saw ${shop.inside_max}`,
    },
    {
      what: "everybody who waited heard of the end within 5 s",
      ok: told.length > 0 && slowest <= 5_000,
      detail: `${told.length} people, the last after ${(slowest / 1_000).toFixed(1)} s`,
    },
    hallCheck(people, opensAtMs),
  ];
}

/** Whoever came before the opening has a lower number than everybody who came after it. */
function hallCheck(people, opensAtMs) {
  const early = people.filter(({ entry }) => entry !== null).map(({ visitor }) => visitor.number);
  const late = people
    .filter(({ entry, cameAtMs, visitor }) => entry === null && cameAtMs > opensAtMs && visitor.number !== undefined)
    .map(({ visitor }) => visitor.number);
  const highest = early.reduce((most, number) => Math.max(most, number ?? 0), 0);
  const lowest = late.reduce((least, number) => Math.min(least, number), Infinity);
  return {
    what: "who came later is behind everybody of the hall",
    ok: early.length > 0 && highest < lowest,
    detail: `${early.length} in the hall, ${late.length} later`,
  };
}

/** Returns how long after the schedule's end this visitor heard of it. */
function toldSoldOutMs(visitor, soldOutAtMs) {
  const heard = visitor.history.find(
    ({ kind, state, at_ms: atMs }) => kind === "status" && atMs >= soldOutAtMs - 500 && ["over", "none"].includes(state),
  );
  return heard ? Math.max(heard.at_ms - soldOutAtMs, 0) : Infinity;
}

function tally(words) {
  const counts = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

const list = (counts) =>
  Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, count]) => `${count} ${word}`)
    .join(", ");
