// The pure parts of `npm run bench -- --only peers`: the crowd, the judge and the page. A peer that is judged wrongly is slandered, or flattered. The front
// stands before the one recipe that needs no server.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { handovers, mostInside, outcome, overtaken } from "../../bench/contest/judge.mjs";
import { heldUp, points, seconds, table, verdicts } from "../../bench/contest/page.mjs";
import { planPeople } from "../../bench/contest/plan.mjs";
import { contenders } from "../../bench/contest/contenders.mjs";
import { Visit } from "../../bench/contest/visit.mjs";
import { peers } from "../../bench/peers/index.mjs";
import { toldOf } from "../../bench/plot.mjs";

const CROWD = { people: 100, withinMs: 5_000, holdMs: [10, 20], seed: 1 };
/** A log from `[at, who, what]`. */
const logOf = (...entries) => entries.map(([at, who, what]) => ({ at, who, what }));

test("the same seed brings the same crowd, with every habit in its share", () => {
  const plans = planPeople(CROWD);
  assert.deepEqual(plans, planPeople(CROWD));
  assert.notDeepEqual(plans, planPeople({ ...CROWD, seed: 2 }));
  const count = (habit) => plans.filter((plan) => plan.habit === habit).length;
  assert.deepEqual(["vanish", "away", "quit", "vanish_inside", "steady"].map(count), [10, 10, 5, 3, 72]);
  assert.ok(
    plans.slice(0, 28).some(({ habit }) => habit === "steady"),
    "the habits are shuffled",
  );
  assert.ok(plans.every(({ arriveMs, holdMs }) => arriveMs >= 0 && arriveMs <= 5_000 && holdMs >= 10 && holdMs <= 20));
  assert.equal(new Set(plans.map(({ name }) => name)).size, 100);
});

test("a release is matched with the call that it makes room for", () => {
  const log = logOf(
    [0, "a", "told"],
    [1, "b", "told"],
    [100, "a", "out"],
    [107, "c", "told"],
    [200, "b", "out"],
    [203, "d", "told"],
    [300, "c", "out"],
  );
  assert.deepEqual(handovers(log, 2), [7, 3]);
  assert.deepEqual(
    handovers(logOf([0, "a", "told"], [5, "b", "told"], [9, "a", "out"]), 1),
    [0],
    "a permit that was there twice is no negative time",
  );
  assert.deepEqual(handovers([], 3), []);
});

test("the most inside: who goes out at the moment in which another comes in makes room first", () => {
  const log = logOf([0, "a", "in"], [1, "b", "in"], [5, "a", "out"], [5, "c", "in"], [6, "d", "in"], [7, "b", "out"], [9, "x", "out"]);
  assert.equal(mostInside(log), 3);
  assert.equal(mostInside(log, [0, 6]), 2);
  assert.equal(mostInside(log, [8, 20]), 2, "who was never in does not go out");
  assert.equal(mostInside(log, [8, 8.5]), 2, "those who are inside when the stretch begins count");
});

/** One who waits from 0 to 1,000, beside another who comes at 500. */
const beside = (...more) => logOf([0, "one", "asks"], [10, "one", "has"], [500, "other", "asks"], [510, "other", "has"], ...more);

test("overtaken: somebody who asked later went in earlier, while one was there", () => {
  assert.deepEqual(overtaken(beside([700, "other", "told"], [1_000, "one", "told"])), ["one"]);
  assert.deepEqual(overtaken(beside([700, "other", "told"])), ["one"], "one is never called");
  assert.deepEqual(overtaken(beside([700, "one", "told"], [1_000, "other", "told"])), []);
  assert.deepEqual(overtaken(beside([950, "other", "told"], [1_000, "one", "told"])), [], "the two answers passed each other");
  assert.deepEqual(
    overtaken(logOf([0, "one", "asks"], [450, "one", "has"], [500, "other", "asks"], [700, "other", "told"], [1_000, "one", "told"])),
    [],
    "they asked together",
  );
});

test("a process that was held up accuses nobody of what it heard late", () => {
  assert.deepEqual(overtaken(beside([700, "other", "told"], [1_000, "one", "told"]), 299), ["one"]);
  assert.deepEqual(overtaken(beside([700, "other", "told"], [1_000, "one", "told"]), 300), []);
  assert.deepEqual(overtaken(beside([700, "other", "told"]), 490), [], "they may have asked together");
  assert.equal(heldUp([{ hand: { lag_ms: 20 }, crowd: { lag_ms: 40 } }, { failed: "x" }]), "The measuring process was held up by at most 40 ms.");
  assert.match(heldUp([{ hand: { lag_ms: 120 }, crowd: { lag_ms: 40 } }]), /120 ms: \*\*the machine was too busy/);
});

test("nobody is overtaken who was not there, gave up, or has only just come back", () => {
  assert.deepEqual(overtaken(beside([600, "one", "lost"], [700, "other", "told"], [800, "one", "back"], [2_000, "one", "told"])), []);
  assert.deepEqual(overtaken(beside([600, "one", "quit"], [700, "other", "told"])), []);
  assert.deepEqual(overtaken(beside([600, "one", "lost"], [650, "one", "back"], [700, "other", "told"], [2_000, "one", "told"])), []);
  assert.deepEqual(overtaken(beside([600, "one", "lost"], [650, "one", "back"], [1_300, "other", "told"], [2_000, "one", "told"])), ["one"]);
});

test("the outcome counts those who stayed, and those of them who were let in", () => {
  const log = logOf(
    [0, "a", "asks"],
    [9, "a", "told"],
    [10, "a", "in"],
    [0, "b", "asks"],
    [5, "b", "quit"],
    [100, "c", "asks"],
    [1_900, "d", "asks"],
    [2_000, "d", "told"],
    [2_000, "d", "in"],
    [3, undefined, "kill"],
  );
  assert.deepEqual(outcome(log), { stayed: 3, served: 2, took_s: 2 });
});

const figures = (name, what, ms, more = {}) => ({
  name,
  what,
  told: "socket",
  limit: true,
  second: "nothing",
  line: { joins_per_s: 1_234.5, memory_kb: 0.4, requests_per_min: 12, cpu_ms_per_min: 2.5 },
  hand: { p50_ms: ms, p99_ms: ms * 10, most: 10, permits: 10, overtaken: 0, people: 450 },
  gone: { lost_s: 6.04, waited_s: 15 },
  crowd: { permits: 5, most_before: 5, most_after: 5, overtaken: 0, people: 60, permits_left: 5, served: 51, stayed: 51, took_s: 33.64 },
  ...more,
});
const FOUND = [
  { ...figures("baton", "**Baton**", 3), second: undefined, line: { ...figures("baton").line, requests_per_min: 0 } },
  figures("homemade", "Polled", 2_500),
  figures("homemade_default", "the same", 2_400),
  figures("blpop", "Popped", 2, { gone: { lost_s: null, waited_s: 15 } }),
  { name: "advisory", what: "Locks", failed: "it | ended" },
];

test("the table has a row for each, with units, and says what did not come or did not finish", () => {
  const rows = table(FOUND)
    .split("\n")
    .map((row) => row.slice(2, -2).split(" | "));
  assert.equal(rows.length, 2 + FOUND.length);
  assert.deepEqual(rows[3].slice(0, 6), ["Polled", "1,235", "2.5 s / 25 s", "12", "2.5 ms", "< 1 KB"]);
  assert.deepEqual(rows[3].slice(6), ["10; 5, 5", "0 of 450; 0 of 60", "6.04 s", "5; 51 of 51 in 33.6 s"]);
  assert.equal(rows[5][8], "not within 15 s");
  assert.equal(rows[6][1], "did not finish: it \\| ended");
});

const met = (found) =>
  Object.fromEntries(
    verdicts(found)
      .filter(({ target }) => target)
      .map(({ what, ceiling_of, met }) => [`${what} ${ceiling_of ?? ""}`.trim(), met]),
  );

test("Baton is held to its targets beside polling and a blocking pop", () => {
  assert.deepEqual(Object.values(met(FOUND)), Array(9).fill(true).with(0, true), JSON.stringify(met(FOUND)));
  const worse = (part, change) => met([{ ...FOUND[0], [part]: { ...FOUND[0][part], ...change } }, ...FOUND.slice(1)]);
  assert.equal(worse("hand", { overtaken: 1 })["people overtaken"], false);
  assert.equal(worse("crowd", { overtaken: 1 })["people overtaken"], false);
  assert.equal(worse("crowd", { most_after: 6 })["most inside above the permits"], false);
  assert.equal(worse("hand", { most: 11 })["most inside above the permits"], false);
  assert.equal(worse("crowd", { permits_left: 4 })["permits more (or, below 0, fewer) after the kill"], false);
  assert.equal(worse("crowd", { permits_left: 6 })["permits more (or, below 0, fewer) after the kill"], false);
  assert.equal(worse("crowd", { served: 50 })["people whom the kill left outside"], false);
  assert.equal(worse("line", { requests_per_min: 1 })["requests of a waiting minute"], false);
  assert.equal(worse("hand", { p50_ms: 26 })["release → told, p50 polling"], false);
  assert.equal(worse("hand", { p99_ms: 41 })["release → told, p99 BLPOP, synced"], false);
  assert.deepEqual(verdicts(FOUND.slice(1)), [], "without Baton nothing is judged");
  assert.ok(
    verdicts(FOUND.slice(0, 1)).some(({ met: each }) => each === null),
    "what was not measured is not judged",
  );
});

test("what a second server needs is said once for all that need the same, and not of Baton", () => {
  assert.equal(seconds(FOUND), "- Polled; Popped: nothing.");
});

test("the picture has all who were measured, the quickest first, on a logarithmic axis", () => {
  const shown = points(FOUND);
  assert.deepEqual(
    shown.map(({ what }) => what),
    ["Popped", "Baton", "Polled, Redis as it comes", "Polled"],
  );
  const svg = toldOf(shown);
  for (const { what } of shown) assert.ok(svg.includes(`>${what}<`), what);
  for (const tick of ["1 ms", "10 ms", "100 ms", "1 s", "10 s"]) assert.ok(svg.includes(`>${tick}<`), tick);
});

test("each peer says all that the page and the front need, in at most 150 lines", () => {
  for (const file of readdirSync(inRoot("bench", "peers")))
    assert.ok(readFileSync(inRoot("bench", "peers", file), "utf8").split("\n").length <= 151, file);
  for (const { name, what, told, limit, second, open } of peers) {
    assert.match(name, /^[a-z_]+$/);
    assert.ok(what && second && ["socket", "poll"].includes(told) && typeof limit === "boolean" && typeof open === "function", name);
  }
  const names = contenders.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    names.filter((name) => name.endsWith("_default")),
    ["homemade_default", "redis_lock_default", "fair_semaphore_default", "blpop_default"],
  );
});

test("a front before the counter: one goes in, the next is told of the release, and a kill forgets who is inside", { timeout: 30_000 }, async (t) => {
  const contender = await contenders.find(({ name }) => name === "counter").start({ keep: (thing) => thing, options: {} });
  t.after(() => contender.stop());
  const log = [];
  const manner = await contender.open({ room: "r", permits: 1, limitMs: 60_000 });
  const [first, second, third] = (await manner.newcomers(3)).map((person, i) => new Visit({ manner, log, name: `p${i + 1}`, person }));
  void first.wait();
  await first.told;
  await first.enter();
  void second.wait();
  await second.joined;
  assert.equal(second.isCalled, false);
  await first.leave();
  await second.told;
  await second.enter();
  assert.equal(mostInside(log), 1);
  assert.equal(handovers(log, 1).length, 1);
  void third.wait();
  await third.joined;
  await contender.kill();
  await third.told;
  await third.enter();
  assert.equal(mostInside(log), 2);
  assert.deepEqual(
    log.filter(({ who }) => who === "p3").map(({ what }) => what),
    ["asks", "has", "lost", "back", "told", "in"],
  );
});
