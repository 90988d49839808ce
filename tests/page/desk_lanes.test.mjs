/* The lanes at the desk without a browser: what is drawn, what a change sends, and what is said before it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SITUATIONS } from "../../scripts/gallery/desk_states.mjs";
import { followsOfShares, followsOfTurn, lanesOf, shared, turned } from "../../web/desk/lanes.js";
import { textOf } from "../../web/desk/tree.js";
import { LANGUAGES } from "../../web/desk/words.js";
import { createWriter } from "../../web/desk/written.js";

const write = createWriter("en", LANGUAGES.en);
const [{ report, settings }] = SITUATIONS.lanes.rooms();
const SEEN = { mayChange: true, isSilent: false };
const drawn = (told = report, seen = SEEN) => lanesOf(told, seen, write).filter(Boolean).map(textOf).join(" ");

test("each lane is there with who waits, who was called, and which is next; a room without lanes shows none", () => {
  const text = drawn();
  for (const part of [
    "Members",
    "812 waiting",
    "48 calls in the last minute",
    "share 3",
    "Everybody",
    "next",
    "opens",
    "Late sale",
    "44 in the hall",
  ])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.equal(text.match(/\bnext\b/g).length, 1);
  assert.deepEqual(lanesOf({ ...report, lanes: [] }, SEEN, write), []);
  assert.ok(!drawn({ ...report, mode: "paused" }).includes("next"), "nobody is next while nobody is called");
  assert.ok(!drawn({ ...report, lanes_rule: "strict" }).includes("share"), "shares say nothing under the strict rule");
});

test("who only looks has no buttons", () => {
  const buttons = (seen) => JSON.stringify(lanesOf(report, seen, write)).match(/"tag":"button"/g)?.length ?? 0;
  assert.deepEqual([buttons(SEEN), buttons({ mayChange: false, isSilent: false })], [4, 0]);
});

test("a change sends the whole list, and touches one lane of it", () => {
  const lanes = [{ name: "a", share: 3, opens_at: "2030-01-01T00:00:00Z", hall_s: 60 }, { name: "b" }];
  const at = "2029-06-01T10:00:00.000Z";
  assert.deepEqual(turned(lanes, "b", false, Date.parse(at)), [lanes[0], { name: "b", closes_at: at }]);
  assert.deepEqual(turned(lanes, "a", true, Date.parse(at)), [{ name: "a", share: 3, hall_s: 60, opens_at: at }, lanes[1]]);
  assert.deepEqual(
    turned(lanes, "a", false, Date.parse(at))[0],
    { name: "a", share: 3, closes_at: at },
    "without an opening a hall waits for nothing",
  );
  assert.deepEqual(shared(lanes, { a: 1, b: 9 }), [
    { ...lanes[0], share: 1 },
    { name: "b", share: 9 },
  ]);
});

test("what follows is said before: whom it keeps, whom it calls, who gets how many calls", () => {
  assert.match(followsOfTurn(report, "members", false, write).join(" "), /nobody of it is called; 855 keep their places/);
  assert.match(followsOfTurn(report, "late", true, write).join(" "), /44 in its hall get their numbers/);
  const shares = followsOfShares(report, { members: 2, everybody: 1, late: 1 }, write).join(" ");
  for (const part of ["Members: 50 %", "Everybody: 25 %", "Late sale: 25 %", "saves nothing up"])
    assert.ok(shares.includes(part), `${part} in ${shares}`);
  assert.ok(settings.lanes.live);
});
