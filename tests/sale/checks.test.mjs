// The scripted sale's own checks: a sale in which all is well, and the same with one thing wrong, which must be found.

import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../scripts/sale/checks.mjs";
import { planSale } from "../../scripts/sale/people.mjs";
import { crowdChart, drawChart, marksOf, orderChart, report } from "../../scripts/sale/text.mjs";

const SOLD_OUT = 50_000;

function person(number, { end = "bought", entry = null, numbers = [number], toldAtMs = SOLD_OUT + 100, rises = [] } = {}) {
  const told = { at_ms: toldAtMs, kind: "status", state: "over" };
  const visitor = { number, history: end === "bought" ? [] : [told], numbers: () => numbers, aheadRises: () => rises };
  return { visitor, entry, cameAtMs: entry === null ? 2_000 : 500, insideFromMs: end === "bought" ? 3_000 : null, end };
}

/** Two of the hall and two later; three find a seat. Opened at 1,000. */
function sale() {
  const people = [person(2, { entry: 1 }), person(1, { entry: 2 }), person(3), person(4, { end: "sold out" })];
  const shop = { calls: [1, 2, 3].map((number) => ({ number, fence: number })), seats_left: 0, seats_sold: 3, seats_total: 3, inside_max: 2 };
  const looks = [{ at_ms: 1_500, report: { hand: 1, tray: 0, called: 0, inside: 1, permits: 2, debt: 0, waiting: 1, in_hall: 2 } }];
  const who = [
    { at_ms: 4_000, by: "noor@tickets", room: "onsale", what: { mode: "paused", message: "slow" } },
    { at_ms: SOLD_OUT, by: "schedule", room: "onsale", what: { mode: "sold_out" } },
  ];
  return { people, shop, looks, who, opensAtMs: 1_000 };
}

const broken = (of) =>
  check(of)
    .filter(({ ok }) => !ok)
    .map(({ what }) => what);

test("a good sale passes every check", () => assert.deepEqual(broken(sale()), []));

const wrongs = {
  "everybody bought": (of) => {
    of.people.push(person(5, { end: "over: missed" }));
  },
  "every seat was sold, and none twice": (of) => {
    of.shop.seats_sold = 4;
  },
  "no number was called before": (of) => {
    of.shop.calls[0].fence = 9;
  },
  "a number stays one person's": (of) => {
    of.people[3].visitor.numbers = () => [4, 5];
  },
  "the number ahead": (of) => {
    of.people[2].visitor.aheadRises = () => [{}];
  },
  "permits added up": (of) => {
    of.looks[0].report.tray = 1;
  },
  "never more inside": (of) => {
    of.shop.inside_max = 3;
  },
  "everybody who waited": (of) => {
    of.people[3].visitor.history[0].at_ms = SOLD_OUT + 6_000;
  },
  "who came later": (of) => {
    of.people[0].visitor.number = 3.5;
    of.shop.calls = [];
  },
};
for (const [what, spoil] of Object.entries(wrongs)) {
  test(`found: ${what}`, () => {
    const of = sale();
    spoil(of);
    const [first, ...more] = broken(of);
    assert.ok(first?.startsWith(what), `${first}`);
    assert.deepEqual(more, []);
  });
}

test("who was never told counts as told too late; so does everybody when the sale had no end, or nobody waited for it", () => {
  const spoils = [
    (of) => {
      of.people[3].visitor.history = [];
    },
    (of) => {
      of.who.pop();
    },
    (of) => {
      of.people[3].insideFromMs = 4_000;
    },
  ];
  for (const spoil of spoils) {
    const of = sale();
    spoil(of);
    assert.match(broken(of).join(), /^everybody who waited[^,]*$/);
  }
});

test("the same seed is the same sale; who is late comes after the opening", () => {
  const asked = { people: 20, early: 15, earlyMs: 100, lateMs: 50, opensInMs: 200, holdMs: [1, 2], seed: 3 };
  const plans = planSale(asked);
  assert.deepEqual(plans, planSale(asked));
  assert.notDeepEqual(plans, planSale({ ...asked, seed: 4 }));
  assert.deepEqual(
    plans.map(({ arriveAfterMs: at }) => at > 200),
    plans.map((_, at) => at >= 15),
  );
});

test("the report says NO where something did not hold, who did what, and its charts are SVG", () => {
  const seen = { ...sale(), asked: { people: 4, early: 2, seats: 3, seed: 1 } };
  seen.shop.inside_max = 9;
  seen.who.push(
    { at_ms: 6_000, by: "schedule", room: "onsale", what: { permits: { from: 2, since_at_ms: 6_000, to: 80, over_s: 10 } } },
    { at_ms: 7_000, by: "mika@tickets", room: "~house", what: { room: "onsale" } },
  );
  const marks = marksOf(seen);
  const text = report({
    ...seen,
    marks,
    checks: check(seen),
    audit: { text: "sound" },
    draw: { text: "right" },
    machine: "a test",
    pictures: "images",
  });
  assert.match(text, /\| never more inside than permits \| \*\*NO\*\*: the shop saw 9 \|/);
  const rows = [
    "| 0.0 | the hours | opens |",
    "| 3.0 | noor@tickets | paused, a message |",
    "| 5.0 | schedule | 80 permits over 10 s |",
    "| 49.0 | schedule | sold out |",
  ];
  assert.ok(text.includes(rows.join("\n")), text);
  for (const chart of [crowdChart, drawChart, orderChart]) assert.match(chart({ ...seen, marks }), /^<svg/);
  seen.looks.push({ ...seen.looks[0], at_ms: SOLD_OUT });
  assert.match(crowdChart({ ...seen, marks }), />paused, 80 permits</, "marks that are near each other share a line");
});
