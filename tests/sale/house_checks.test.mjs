// The checks of what is around the line: a sale in which all is well, and the same with one thing wrong, which must be found by the check
// that guards it, and by no other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BRAND, houseFile, OPERATOR, OWNER, ROOM, scheduleOf } from "../../scripts/sale/house.mjs";
import { checkHouse, isToldOf } from "../../scripts/sale/house_checks.mjs";

const OPENS = Date.parse("2026-12-01T10:00:00Z");
const ENDS = OPENS + 60_000;
const HASH = "ab".repeat(32);
const KEY = "a-visitor's-own-key";

const person = ({ number, entry = null, insideFromMs = OPENS + 1, page = { title: BRAND.page_title, accent: BRAND.page_colours.light.accent } }) => ({
  visitor: { number },
  entry,
  insideFromMs,
  page,
});
const change = (row, atMs, by, what) => ({ row, at_ms: atMs, by, does: "change", room: ROOM, what });

/** The list of who did what of a day with one change by hand. */
function listOf(schedule, done) {
  const house = (row, does, what) => ({ row, at_ms: OPENS - 60_000, by: OWNER, does, room: "~house", what });
  const [ramp, fewer, end] = schedule.map(({ at, set }, index) => change(20 + index, Date.parse(at) + 3, "schedule", { ...set }));
  ramp.what.permits = { ...ramp.what.permits, from: 40, since_at_ms: ramp.at_ms };
  return [
    house(1, "define", { room: ROOM, generation: 1 }),
    house(1, "brand", { room: ROOM }),
    house(2, "set_operator", { operator: OPERATOR }),
    ...done.map((what, index) => change(12 + index, OPENS + 2_000 + index, OPERATOR, what)),
    ramp,
    fewer,
    end,
  ];
}

const message = (type, data, more = {}) => ({
  id: `${type}-${data.row}`,
  type,
  timestamp: new Date(OPENS + 4).toISOString(),
  data,
  text: JSON.stringify({ type, data }),
  isSigned: true,
  isTaken: true,
  ...more,
});

/** What the receiver heard of that day; the draw was refused once. */
function heardOf() {
  const of = (type, row, data) => message(type, { room: ROOM, edition: 1, row, ...data });
  const drawn = of("room.drawn", 10, { draw: "shuffle", first_number: 1, count: 1 });
  const settings = (row) => of("room.settings_changed", row, { keys: ["mode"], values: { mode: "any" } });
  return [
    message("house.changed", { row: 1, rooms: [{ room: ROOM, does: "defined" }] }),
    message("house.changed", { row: 2, rooms: [], operators: 1 }),
    of("room.hall_opened", 1, { opens_at_ms: OPENS }),
    of("room.opened", 10, { closes_at_ms: null }),
    { ...drawn, isTaken: false },
    drawn,
    of("room.mode_changed", 12, { from: "open", to: "paused" }),
    settings(12),
    of("room.mode_changed", 13, { from: "paused", to: "open" }),
    settings(13),
    settings(20),
    settings(21),
    of("room.mode_changed", 22, { from: "open", to: "sold_out" }),
    of("room.line_ended", 22, { why: "sold_out", places: 1 }),
    settings(22),
  ];
}

function sale() {
  const schedule = scheduleOf({ opensAtMs: OPENS, endsAtMs: ENDS });
  const file = houseFile({ people: 3, opensAtMs: OPENS, schedule });
  const done = [
    { mode: "paused", message: "slow" },
    { mode: "open", message: null },
  ];
  return {
    opensAtMs: OPENS,
    schedule,
    steps: schedule.map(() => ({ state: "done" })),
    file,
    done,
    who: listOf(schedule, done),
    heard: heardOf(),
    secrets: [KEY],
    house: { revision: 2, brands: structuredClone(file.brands), rooms: { [ROOM]: { state: "open", definition: structuredClone(file.rooms[ROOM]) } } },
    people: [person({ number: 1, entry: 1 }), person({ number: 2, page: null }), person({ number: 3, insideFromMs: null })],
    trespass: [{ what: "PATCH rooms/lounge", status: 403 }],
    counted: { verdict: { is_sound: true }, people: { before: 0, entered: 1, joined: 1, walked_in: 1, got_in: 2, sold_out: 1 } },
    published: {
      isSound: true,
      fingerprint: HASH,
      notes: [
        { row: 3, found_row: 3 },
        { row: 9, found_row: 9 },
      ],
      page: `<code>${HASH}</code>`,
      journal: "{}",
    },
    draw: { ok: true },
    audit: { ok: true },
  };
}

const broken = (of) =>
  checkHouse(of)
    .filter(({ ok }) => !ok)
    .map(({ what }) => what);
const find = ({ heard }, type) => heard.find((one) => one.type === type);
const without = (type) => (of) => {
  of.heard = of.heard.filter((one) => one.type !== type);
};

test("a good sale passes every check", () => assert.deepEqual(broken(sale()), []));

const TOLD = "webhooks told each notable thing";
/** What is said of it, and everything that must be found by this check alone. */
const wrongs = {
  "the room is as the owner's file says": [
    (of) => {
      of.house.rooms[ROOM].definition.permits = 41;
    },
    (of) => {
      delete of.house.rooms[ROOM];
    },
    (of) => {
      of.house.rooms[ROOM].state = "archived";
    },
    (of) => {
      of.house.brands[ROOM].page_title = "Another";
    },
  ],
  "every page had the brand": [
    (of) => {
      of.people[0].page = { title: BRAND.page_title };
    },
    (of) => {
      of.people[2].page.title = "Baton";
    },
    (of) => {
      for (const one of of.people) one.page = null;
    },
  ],
  "the room opened": [
    (of) => {
      of.steps[1].state = "refused";
    },
    (of) => {
      of.steps.pop();
    },
    (of) => {
      of.who.at(-1).at_ms = ENDS - 1;
    },
    (of) => {
      of.who.at(-1).at_ms = ENDS + 5_001;
    },
    (of) => {
      find(of, "room.opened").timestamp = new Date(OPENS - 1).toISOString();
    },
  ],
  "the list of who did what": [
    (of) => {
      of.who[3].by = OWNER;
    },
    (of) => {
      of.who[0].by = OPERATOR;
    },
    (of) => {
      of.who.splice(1, 1);
    },
    (of) => {
      of.done.pop();
    },
    (of) => {
      of.done.reverse();
    },
    (of) => {
      of.who.push({ ...of.who[1], by: "operator" });
    },
  ],
  "outside the room its operator was refused": [
    (of) => {
      of.trespass[0].status = 200;
    },
    (of) => {
      of.trespass = [];
    },
  ],
  "every webhook was signed": [
    (of) => {
      of.heard[3].isSigned = false;
    },
  ],
  [TOLD]: [
    ...["house.changed", "room.hall_opened", "room.mode_changed", "room.settings_changed", "room.line_ended"].map(without),
    (of) => {
      of.heard = of.heard.filter(({ data }) => data.row !== 20);
    },
    (of) => {
      find(of, "room.mode_changed").data.from = "closed";
    },
    (of) => {
      for (const one of of.heard.filter(({ type }) => type === "room.drawn")) one.data.count = 2;
    },
    (of) => {
      find(of, "room.line_ended").data.places = 0;
    },
    (of) => {
      of.heard = of.heard.filter(({ isTaken }) => isTaken);
    },
    (of) => {
      of.heard.push(message("room.opened", { room: ROOM, row: 22 }, { isTaken: false }));
    },
    (of) => {
      of.heard.push({ ...of.heard.at(-1), text: "another text" });
    },
  ],
  "webhooks came in order": [
    (of) => {
      of.heard.splice(6, 0, of.heard.splice(-4, 1)[0]);
    },
    (of) => {
      of.heard.unshift(of.heard.splice(1, 1)[0]);
    },
  ],
  "no webhook spoke of one person": [
    (of) => {
      find(of, "room.line_ended").data.numbers = [3];
    },
    (of) => {
      of.heard[2].text += KEY;
    },
    (of) => {
      of.heard[1].text += OPERATOR;
    },
    (of) => {
      of.secrets = [];
    },
    (of) => {
      of.heard.push(message("room.called", { room: ROOM, row: 22 }));
    },
  ],
  "the report is sound": [
    (of) => {
      of.counted.verdict.is_sound = false;
    },
    ...["entered", "joined", "got_in", "sold_out"].map((what) => (of) => {
      of.counted.people[what] += 1;
    }),
  ],
  "a stranger verified": [
    (of) => {
      of.published.isSound = false;
    },
    (of) => {
      of.published.notes[0].found_row = null;
    },
    (of) => {
      of.published.notes[1].found_row = 8;
    },
    (of) => {
      of.published.notes.pop();
    },
    (of) => {
      of.published.page = "<code></code>";
    },
    (of) => {
      of.published.journal += KEY;
    },
    (of) => {
      of.published.page += OWNER;
    },
  ],
  "anybody can repeat the draw": [
    (of) => {
      of.draw.ok = false;
    },
  ],
  "the audit finds": [
    (of) => {
      of.audit.ok = false;
    },
  ],
};
for (const [what, spoils] of Object.entries(wrongs)) {
  test(`found: ${what}`, () => {
    for (const spoil of spoils) {
      const of = sale();
      spoil(of);
      const [first, ...more] = broken(of);
      assert.ok(first?.startsWith(what), `${first} for ${spoil}`);
      assert.deepEqual(more, [], `${spoil}`);
    }
  });
}

test("who disagrees with the report is named", () => {
  const of = sale();
  of.counted.people.got_in = 3;
  assert.match(
    checkHouse(of).find(({ ok }) => !ok).detail,
    /^the report: 3 came, 1 to the hall, 3 got in, 1 waited at the end; the people: 3 came, 1 to the hall, 2 got in, /,
  );
});

test("a refused message alone is not told, and a schedule that did not come is neither done nor told", () => {
  const of = sale();
  assert.ok(isToldOf(of.heard, of.who));
  assert.ok(
    !isToldOf(
      of.heard.filter(({ type, isTaken }) => type !== "room.drawn" || !isTaken),
      of.who,
    ),
  );
  without("room.opened")(of);
  assert.deepEqual(
    broken(of).map((what) => what.split(" ").slice(0, 5).join(" ")),
    ["the room opened and kept", "webhooks told each notable thing,"],
  );
});
