// Local times of real zones and what they name: one instant, two, or none. And the timeline that shows them.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { stepsOf, timeline } from "../../web/desk/timeline.js";
import { instants, isZone, localText, offsetText, written, zones } from "../../web/desk/zones.js";

const words = JSON.parse(await readFile(new URL("../../web/desk/schedule_words.json", import.meta.url), "utf8"));
const HOUR_MS = 3_600_000;
const at = (text) => Date.parse(text);

test("an ordinary time names one instant", () => {
  for (const [local, zone, utc] of [
    ["2026-12-01T10:00", "Asia/Tokyo", "2026-12-01T01:00:00Z"],
    ["2026-12-01T10:00", "Europe/Berlin", "2026-12-01T09:00:00Z"],
    ["2026-07-01T10:00:30", "Europe/Berlin", "2026-07-01T08:00:30Z"],
    ["2026-07-01T00:00", "America/New_York", "2026-07-01T04:00:00Z"],
    ["2026-12-31T23:59", "Pacific/Kiritimati", "2026-12-31T09:59:00Z"],
    ["2026-07-01T10:00", "Asia/Kathmandu", "2026-07-01T04:15:00Z"],
    ["2026-07-01T10:00", "UTC", "2026-07-01T10:00:00Z"],
  ])
    assert.deepEqual(instants(local, zone), { kind: "once", at: at(utc) }, `${local} ${zone}`);
});

// Each change of 2026: the local time before it, in it and after it. In the middle clocks skip or repeat.
const CHANGES = [
  ["Europe/Berlin", "missing", "2026-03-29T01:59", "2026-03-29T02:30", "2026-03-29T03:00", ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"]],
  ["Europe/Berlin", "twice", "2026-10-25T01:59", "2026-10-25T02:30", "2026-10-25T03:00", ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]],
  ["America/New_York", "missing", "2026-03-08T01:59", "2026-03-08T02:00", "2026-03-08T03:00", ["2026-03-08T06:00:00Z", "2026-03-08T07:00:00Z"]],
  ["America/New_York", "twice", "2026-11-01T00:59", "2026-11-01T01:00", "2026-11-01T02:00", ["2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z"]],
  ["Australia/Lord_Howe", "missing", "2026-10-04T01:59", "2026-10-04T02:15", "2026-10-04T02:30", ["2026-10-03T15:15:00Z", "2026-10-03T15:45:00Z"]],
  ["Australia/Lord_Howe", "twice", "2026-04-05T01:29", "2026-04-05T01:45", "2026-04-05T02:00", ["2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"]],
];

for (const [zone, kind, before, within, after, choices] of CHANGES) {
  test(`${zone}: ${within} is ${kind}, and what lies beside it is not`, () => {
    assert.equal(instants(before, zone).kind, "once");
    assert.equal(instants(after, zone).kind, "once");
    assert.deepEqual(instants(within, zone), { kind, choices: choices.map(at) });
  });
}

test("every half hour of the months with changes names what a walk over all instants finds", () => {
  for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo"]) {
    const found = new Map();
    const kinds = { once: 0, twice: 0, missing: 0 };
    const STEP_MS = HOUR_MS / 2;
    const within = [];
    for (const [begins, ends] of [
      ["2026-03-01T00:00:00Z", "2026-04-10T00:00:00Z"],
      ["2026-10-01T00:00:00Z", "2026-11-05T00:00:00Z"],
    ].map((span) => span.map(at))) {
      for (let ms = begins - 24 * HOUR_MS; ms < ends + 24 * HOUR_MS; ms += STEP_MS) {
        const local = localText(ms, zone);
        found.set(local, [...(found.get(local) ?? []), ms]);
      }
      for (let shown = begins; shown < ends; shown += STEP_MS) within.push(shown);
    }
    for (const shown of within) {
      const local = new Date(shown).toISOString().slice(0, 19);
      const real = found.get(local) ?? [];
      const said = instants(local, zone);
      kinds[said.kind] += 1;
      const kind = ["missing", "once", "twice"][real.length];
      assert.equal(said.kind, kind, `${local} ${zone}`);
      if (kind === "once") assert.equal(said.at, real[0]);
      if (kind === "twice") assert.deepEqual(said.choices, real);
    }
    const changes = { "Europe/Berlin": 2, "America/New_York": 2, "Australia/Lord_Howe": 1, "Asia/Tokyo": 0 }[zone];
    assert.deepEqual([kinds.twice, kinds.missing], [changes, changes], zone);
  }
});

test("a day that a country left out is missing", () => {
  assert.equal(instants("2011-12-30T12:00", "Pacific/Apia").kind, "missing");
});

test("what is no local time, and what is no zone, is said to be bad", () => {
  for (const local of ["", "2026-12-01", "2026-02-30T10:00", "2026-12-01T25:00", "2026-12-01T10:00Z", "2026-12-01T10:61"]) {
    assert.deepEqual(instants(local, "UTC"), { kind: "bad" }, local);
  }
  for (const zone of ["", "Mars/Base", "Europe/Berlin; x"]) assert.deepEqual(instants("2026-12-01T10:00", zone), { kind: "bad" }, zone);
  assert.ok(isZone("Asia/Tokyo") && zones().includes("Asia/Tokyo") && zones().includes("UTC"));
});

test("an instant is written as the schedule takes it, and read back", () => {
  for (const zone of ["Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]) {
    for (const text of ["2026-12-01T01:00:00Z", "2026-07-01T22:30:15Z"]) assert.equal(at(written(at(text), zone)), at(text), zone);
  }
  assert.equal(written(at("2026-12-01T01:00:00Z"), "Asia/Tokyo"), "2026-12-01T10:00:00+09:00");
  assert.equal(offsetText(at("2026-07-01T00:00:00Z"), "America/New_York"), "-04:00");
});

const SCHEDULE = [
  { at: "2026-12-01T12:00:00+09:00", set: { mode: "sold_out", message: "<b>bye</b>" } },
  { at: "2026-12-01T10:00:00+09:00", set: { permits: { to: 1200, over_s: 5400 }, mode: "open" } },
  { at: "2026-12-02T10:00:00+09:00", set: { grace_s: null } },
];
const drawn = (told, nowMs, locale = "en") => timeline({ schedule: SCHEDULE, told, nowMs, zone: "Asia/Tokyo", locale, words: words[locale] });

test("the timeline says what changes, how it went and what is next, in order", () => {
  const told = [{ at_ms: at("2026-12-01T01:00:00Z"), state: "refused", why: "lease_idle_s: is <longer>" }];
  const html = drawn(told, at("2026-12-01T02:00:00Z"));
  const order = [
    "10:00",
    "Opens",
    "1,200 permits, over 1 h 30 min",
    "is &#60;longer&#62;",
    "not carried out",
    "Now, 11:00",
    "12:00",
    "Sold out",
    ">next<",
    "grace_s as in the file",
  ];
  const places = order.map((text) => html.indexOf(text));
  assert.ok(
    places.every((place, index) => place > (places[index - 1] ?? -1)),
    JSON.stringify(places),
  );
  assert.ok(!html.includes("<b>") && html.includes('class="step refused"') && html.includes('class="step due next"'));
  assert.equal(html.match(/class="day"/g).length, 2);
  assert.match(drawn([], at("2026-12-01T00:00:00Z"), "ja"), /完売[\s\S]*お知らせ/);
});

test("a step that is over and of which the room says nothing is late, soon after it is not", () => {
  const states = (nowMs) => stepsOf(SCHEDULE, [], nowMs).map(({ state }) => state);
  assert.deepEqual(states(at("2026-12-01T01:00:03Z")), ["due", "due", "due"]);
  assert.deepEqual(states(at("2026-12-01T01:00:06Z")), ["late", "due", "due"]);
});

test("without steps it says so; both languages say the same things", () => {
  assert.match(timeline({ schedule: [], told: [], nowMs: 0, zone: "UTC", locale: "en", words: words.en }), /Nothing is planned/);
  const shape = (value) =>
    typeof value === "string"
      ? (value.match(/\{\w+\}/g) ?? []).sort().join()
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
  assert.deepEqual(shape(words.ja), shape(words.en));
});
