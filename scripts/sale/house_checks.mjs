// What must have held around the line: the house, the schedule, who operates, the webhooks, the brand, the report and what was published. Each check
// judges by what was told from outside, and takes nothing from the code that does it.

import { isDeepStrictEqual as same } from "node:util";
import { BRAND, OPERATOR, OTHER, OWNER, ROOM } from "./house.mjs";

const HOUSE = "~house";
/** The most by which a step, an opening or a message to those who wait may be late, on a busy machine. */
const LATE_MS_MAX = 5_000;
/** The fields that webhooks may have, beside room, edition and row (docs/webhooks.md). None of them is about one person. */
const FIELDS = {
  "house.changed": ["rooms", "operators"],
  "room.hall_opened": ["opens_at_ms"],
  "room.opened": ["closes_at_ms"],
  "room.drawn": ["draw", "first_number", "count"],
  "room.mode_changed": ["from", "to"],
  "room.settings_changed": ["keys", "values"],
  "room.line_ended": ["why", "places"],
};
const STANDS = ["room", "edition", "row"];

/** Returns every check as `{ what, ok, detail }`. */
export function checkHouse(seen) {
  return [
    roomCheck(seen),
    brandCheck(seen),
    scheduleCheck(seen),
    whoCheck(seen),
    trespassCheck(seen),
    signedCheck(seen),
    toldCheck(seen),
    orderCheck(seen),
    namelessCheck(seen),
    reportCheck(seen),
    publishedCheck(seen),
    { what: "anybody can repeat the draw, as committed to before", ok: seen.draw.ok, detail: "below" },
    { what: "the audit finds nothing wrong", ok: seen.audit.ok, detail: "below" },
  ];
}

function roomCheck({ house, file }) {
  const { definition, state } = house.rooms[ROOM] ?? {};
  const ok = state === "open" && same(definition, file.rooms[ROOM]) && same(house.brands, file.brands);
  return { what: "the room is as the owner's file says", ok, detail: `revision ${house.revision}` };
}

function brandCheck({ people }) {
  const pages = people.map(({ page }) => page).filter((page) => page !== null);
  const plain = pages.filter(({ title, accent }) => title !== BRAND.page_title || accent !== BRAND.page_colours.light.accent);
  return {
    what: "every page had the brand's title and colour",
    ok: pages.length > 0 && plain.length === 0,
    detail: `${pages.length} pages, ${plain.length} without`,
  };
}

/** Returns whether a change in the list is the one that was asked for. For a ramp the list also says where and when it began. */
function isOf(what, asked) {
  const begun = ([key, value]) => [key, value?.since_at_ms === undefined ? value : { to: value.to, over_s: value.over_s }];
  return same(Object.fromEntries(Object.entries(what).map(begun)), asked);
}

const areOf = (changes, asked) => changes.length === asked.length && changes.every(({ what }, at) => isOf(what, asked[at]));

/** The room's own hours and schedule, without anybody's call: each happens at its time, never before. */
function scheduleCheck({ opensAtMs, schedule, steps, who, heard }) {
  const lateMs = schedule.map(({ at, set }, index) => {
    const done = who.find(({ room, by, what }) => room === ROOM && by === "schedule" && isOf(what, set));
    return steps[index]?.state === "done" && done ? done.at_ms - Date.parse(at) : Infinity;
  });
  const opened = heard.find(({ type }) => type === "room.opened");
  lateMs.push(opened ? Date.parse(opened.timestamp) - opensAtMs : Infinity);
  const ok = steps.length === schedule.length && lateMs.every((late) => late >= 0 && late <= LATE_MS_MAX);
  return {
    what: "the room opened and kept its schedule by itself",
    ok,
    detail: `opened and ${schedule.length} steps, at most ${Math.max(...lateMs)} ms late`,
  };
}

/** The whole list, and what each did in it: the owner changed the house, the operator the room, the schedule the rest. */
function whoCheck({ who, done, schedule }) {
  const by = (name, place) => who.filter(({ by: one, room }) => one === name && room === place);
  const acts = by(OWNER, HOUSE).map(({ does, what }) => [does, what]);
  const ownerDid = [
    ["define", { room: ROOM, generation: 1 }],
    ["brand", { room: ROOM }],
    ["set_operator", { operator: OPERATOR }],
  ];
  const [hand, itself] = [by(OPERATOR, ROOM), by("schedule", ROOM)];
  const isAll = who.length === acts.length + hand.length + itself.length;
  const ok =
    isAll &&
    same(acts, ownerDid) &&
    areOf(hand, done) &&
    areOf(
      itself,
      schedule.map(({ set }) => set),
    );
  return { what: "the list of who did what is right", ok, detail: `owner ${acts.length}, operator ${hand.length}, schedule ${itself.length}` };
}

function trespassCheck({ trespass }) {
  const open = trespass.filter(({ status }) => status !== 403);
  return {
    what: "outside the room its operator was refused",
    ok: trespass.length > 0 && open.length === 0,
    detail:
      open.length === 0 ? `${trespass.length} times, in ${OTHER} and the house` : open.map(({ what, status }) => `${what}: ${status}`).join(", "),
  };
}

function signedCheck({ heard }) {
  const bad = heard.filter(({ isSigned }) => !isSigned);
  return { what: "every webhook was signed, and new", ok: heard.length > 0 && bad.length === 0, detail: `${heard.length} messages` };
}

/** Returns what the receiver must be told, by the list of who did what: `{ what, is(message) }`. `drawn` and `waited`: how many people, if known. */
function expectedOf(who, /** @type {{ drawn?: number, waited?: number }} */ { drawn, waited } = {}) {
  const of = (type, row) => ({
    what: row === undefined ? type : `${type} of row ${row}`,
    is: (message) => message.type === type && (row === undefined || message.data.row === row),
  });
  const rows = (place) => [...new Set(who.filter(({ room }) => room === place).map(({ row }) => row))];
  const modes = who.filter(({ room, what }) => room === ROOM && what.mode !== undefined);
  const from = (index) => modes[index - 1]?.what.mode ?? "open";
  const turns = modes.map(({ row, what }, index) => ({
    what: `${from(index)} to ${what.mode}`,
    is: ({ type, data }) => type === "room.mode_changed" && data.row === row && data.from === from(index) && data.to === what.mode,
  }));
  const counted = (name, field, count) => ({
    what: `${name} of ${count} people`,
    is: ({ type, data }) => type === name && (count === undefined || data[field] === count),
  });
  return [
    ...rows(HOUSE).map((row) => of("house.changed", row)),
    ...rows(ROOM).map((row) => of("room.settings_changed", row)),
    ...turns,
    of("room.hall_opened"),
    of("room.opened"),
    counted("room.drawn", "count", drawn),
    counted("room.line_ended", "places", waited),
  ];
}

/** Returns whether this person had a number and no turn when the sale ended. */
const hasWaited = ({ insideFromMs, visitor }) => insideFromMs === null && visitor.number !== undefined;

const taken = (heard) => heard.filter(({ isTaken }) => isTaken);
const missingOf = (heard, expected) => expected.filter(({ is }) => !taken(heard).some(is));

/** Returns whether the receiver has taken everything that follows from the list. */
export const isToldOf = (heard, who) => missingOf(heard, expectedOf(who)).length === 0;

/** Delivery is at least once: everything was taken, what was refused came again, and a repeat says the same. */
function toldCheck({ heard, who, people }) {
  const expected = expectedOf(who, { drawn: people.filter(({ entry }) => entry !== null).length, waited: people.filter(hasWaited).length });
  const missing = missingOf(heard, expected).map(({ what }) => what);
  const refused = heard.filter(({ isTaken }) => !isTaken);
  const lost = refused.filter(({ id }) => !taken(heard).some((again) => again.id === id));
  const changed = heard.filter(({ id, text }) => heard.some((other) => other.id === id && other.text !== text));
  const ok = missing.length === 0 && refused.length > 0 && lost.length === 0 && changed.length === 0;
  return {
    what: "webhooks told each notable thing, again when refused",
    ok,
    detail: missing.length > 0 ? `missing: ${missing.join(", ")}` : `${expected.length} things, ${refused.length} refused once`,
  };
}

/** By the row in which it happened, of the room and of the house. */
function orderCheck({ heard }) {
  const firsts = taken(heard).filter(({ id }, at, all) => all.findIndex((other) => other.id === id) === at);
  const rows = (isOne) => firsts.filter(({ data }) => isOne(data.room)).map(({ data }) => data.row);
  const ok = [rows((room) => room === ROOM), rows((room) => room === undefined)].every((list) =>
    list.every((row, at) => at === 0 || row >= list[at - 1]),
  );
  return { what: "webhooks came in order", ok, detail: `${firsts.length} messages` };
}

/** No field that is not documented, no visitor's key and no operator's name. */
function namelessCheck({ heard, secrets }) {
  const isKnown = (type, field) => FIELDS[type] !== undefined && [...STANDS, ...FIELDS[type]].includes(field);
  const odd = heard.flatMap(({ type, data }) =>
    Object.keys(data)
      .filter((field) => !isKnown(type, field))
      .map((field) => `${type} ${field}`),
  );
  const named = namesIn(heard.map(({ text }) => text).join("\n"), secrets);
  return {
    what: "no webhook spoke of one person",
    ok: odd.length === 0 && named === 0 && secrets.length > 0,
    detail: odd.length > 0 ? odd.join(", ") : `looked for ${secrets.length} visitors`,
  };
}

const namesIn = (text, secrets) => [...secrets, OWNER, OPERATOR].filter((name) => text.includes(name)).length;

/** The report is made of the journal alone, so it and the people share nothing but what happened. */
function reportCheck({ counted: { verdict, people: told }, people }) {
  const count = (isOne) => people.filter(isOne).length;
  const seen = [
    count(({ visitor }) => visitor.number !== undefined),
    count(({ entry }) => entry !== null),
    count(({ insideFromMs }) => insideFromMs !== null),
    count(hasWaited),
  ];
  const reported = [told.before + told.entered + told.joined + told.walked_in, told.entered, told.got_in, told.sold_out];
  /** @param {number[]} counts */
  const inWords = ([came, entered, gotIn, waited]) => `${came} came, ${entered} to the hall, ${gotIn} got in, ${waited} waited at the end`;
  const agrees = same(seen, reported);
  const detail = agrees ? inWords(reported) : `the report: ${inWords(reported)}; the people: ${inWords(seen)}`;
  return { what: "the report is sound, and counts right", ok: verdict.is_sound && agrees, detail };
}

/** What somebody without a token can see: the page, its journal, and notes taken during the sale. */
function publishedCheck({ published: { isSound, fingerprint, notes, page, journal }, secrets }) {
  const kept = notes.filter(({ row, found_row: found }) => row === found);
  const isNamed = namesIn(page + journal, secrets) > 0;
  const ok = isSound && notes.length > 1 && kept.length === notes.length && page.includes(fingerprint) && !isNamed;
  return {
    what: "a stranger verified the published page by notes",
    ok,
    detail: `${kept.length} of ${notes.length} notes are in the journal${isNamed ? ", and somebody's key or name" : ""}`,
  };
}
