/* What is shown, and how the wait is told: the pure parts of the page. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createClock } from "../../web/clock.js";
import { countryOf, durationText, fill, timeText } from "../../web/format.js";
import { createLine, createMemory } from "../../web/line.js";
import { shown } from "../../web/shown.js";
import { follow } from "../../web/wait.js";

const rows = JSON.parse(await readFile(new URL("../fixtures/page_states.json", import.meta.url), "utf8"));
const UP = { up: true, cookies: true, reached: true };

function lineOf(status) {
  const line = createLine(
    "onsale",
    createMemory("onsale", () => null),
  );
  assert.equal(line.takeStatus({ mode: "open", ...status }), true, JSON.stringify(status));
  return line.get();
}

test("what is shown follows from the status, as the front serves it", () => {
  for (const { status, shown: state, near, seats = "", lane = "", behind, unsaid = status.mode ?? "open", number = status.number ?? "" } of rows) {
    const seen = shown(lineOf(status), UP);
    assert.deepEqual(
      [seen.state, seen.near, seen.seats, seen.lane, seen.behind, seen.unsaid, seen.number],
      [state, near ? "true" : "", seats, lane, behind ? "true" : "", unsaid, number],
      JSON.stringify(status),
    );
  }
});

test("what is shown follows from the link", () => {
  const waiting = lineOf({ state: "waiting", number: 9, ahead: 56 });
  const arriving = lineOf({ state: "none" });
  const over = lineOf({ state: "over", number: 9, reason: "left" });
  const closed = lineOf({ state: "none", mode: "closed" });
  const table = [
    [waiting, { ...UP, up: false }, "waiting", "lost"],
    [waiting, { ...UP, up: false, answers: true }, "waiting", "busy"],
    [arriving, { ...UP, cookies: false, up: false }, "cookies", ""],
    [arriving, { ...UP, reached: false, up: false }, "unreachable", ""],
    [over, { ...UP, up: false }, "over", ""],
    [arriving, { ...UP, up: false }, "unreachable", ""],
    // Who has no place is promised none: the message says which limit it is.
    [arriving, { ...UP, up: false, answers: true }, "arriving", ""],
    [closed, { ...UP, up: false, answers: true }, "closed", ""],
  ];
  for (const [line, link, state, said] of table) {
    const seen = shown(line, link);
    assert.deepEqual([seen.state, seen.link], [state, said], JSON.stringify(link));
  }
});

/** Plays `[after ms, range, stands]` steps; gives what was shown after each. */
function waits(...steps) {
  let wait = null,
    nowMs = 1_000_000;
  return steps.map(([afterMs, range, stands = false]) => {
    nowMs += afterMs;
    wait = follow(wait, range, nowMs, stands);
    return [wait.range?.map(Math.round), wait.why];
  });
}

test("the wait follows a measurement down, but one lucky second is no promise", () => {
  assert.deepEqual(waits([0, [300, 400]], [30_000, [100, 150]], [30_000, [100, 150]], [30_000, [100, 150]]), [
    [[300, 400], ""],
    [[100, 200], ""],
    [[100, 150], ""],
    [[100, 150], ""],
  ]);
});

test("the wait goes up only with a reason, and the reason goes again", () => {
  assert.deepEqual(waits([0, [100, 200]], [1_000, [100, 219]], [1_000, [150, 300]], [59_000, [150, 300]], [1_000, [150, 300]]), [
    [[100, 200], ""],
    [[100, 200], ""],
    [[150, 300], "slower"],
    [[150, 300], "slower"],
    [[150, 300], ""],
  ]);
});

test("unsure, the range widens downwards only", () => {
  assert.deepEqual(waits([0, [100, 200]], [1_000, [50, 200]], [1_000, [190, 200]]), [
    [[100, 200], ""],
    [[50, 200], ""],
    [[50, 200], ""],
  ]);
});

test("a longer wait after a pause is said to come from the pause", () => {
  assert.deepEqual(waits([0, [100, 200]], [1_000, [100, 900], true], [60_000, [200, 400]]), [
    [[100, 200], ""],
    [[100, 200], ""],
    [[200, 400], "resumed"],
  ]);
});

test("nothing measured for a while is not forgotten: what comes then must not jump either", () => {
  assert.deepEqual(waits([0, null], [1_000, [100, 200]], [1_000, null], [1_000, [300, 500]]).at(-1), [[300, 500], "slower"]);
});

test("the wait does not jump over a reload either", () => {
  const items = new Map();
  const storage = { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value) };
  const status = (low, high) => ({ state: "waiting", mode: "open", number: 9, ahead: 50, eta_min_s: low, eta_max_s: high });
  const load = () =>
    createLine(
      "onsale",
      createMemory("onsale", () => storage),
    );
  load().takeStatus(status(100, 200), 1_000);
  const line = load();
  line.takeStatus(status(200, 300), 2_000);
  assert.deepEqual([line.get().eta, line.get().why], [[200, 300], "slower"]);
});

test("durations are told in their two largest units", () => {
  const table = [
    [0, "0 sec"],
    [28_000, "28 sec"],
    [27_001, "28 sec"],
    [72_000, "1 min, 12 sec"],
    [4_325_000, "1 hr, 12 min"],
    [3_615_000, "1 hr"],
    [200_000_000, "2 days, 7 hr"],
    [-5, "0 sec"],
  ];
  for (const [ms, text] of table) assert.equal(durationText(ms, "en"), text);
  assert.equal(durationText(72_000, "ja"), "1 分 12 秒");
});

test("a time of day has its date when it is far", () => {
  const noon = Date.UTC(2026, 10, 21, 12);
  assert.doesNotMatch(timeText(noon + 3_600_000, noon, "en"), /2026/);
  assert.match(timeText(noon + 86_400_000, noon, "en"), /2026/);
});

test("plurals are those of the language", () => {
  const forms = { one: "{n} place", few: "few", other: "{n} places" };
  assert.deepEqual(
    [1, 2].map((n) => fill(forms, { n }, "en", n)),
    ["1 place", "2 places"],
  );
  assert.deepEqual(
    [1, 3].map((n) => fill(forms, { n }, "ar", n)),
    ["1 place", "few"],
  );
  assert.equal(fill("{n} of {unknown}", { n: 0 }, "en"), "0 of {unknown}");
});

test("the server's clock is kept, whatever the device's says", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 5_000_000 });
  let openMs = 700,
    leaps = 0;
  t.mock.method(performance, "now", () => openMs);
  const clock = createClock(9_000_000, 400, () => {
    leaps += 1;
  });
  assert.equal(clock.now(), 9_000_300);
  clock.heard(new Date(9_001_000).toUTCString());
  assert.equal(clock.now(), 9_000_300, "a second is no news");
  for (const setMs of [50_000_000, 1_000_000]) {
    t.mock.timers.setTime(setMs);
    assert.equal(clock.now(), 9_000_300, "somebody set the device's clock");
  }
  assert.equal(leaps, 2, "each time the server can be asked");
  openMs += 1_000;
  t.mock.timers.setTime(1_001_000);
  assert.deepEqual([clock.now(), leaps], [9_001_300, 2]);
  clock.heard(new Date(9_060_000).toUTCString());
  assert.equal(clock.now(), 9_060_000, "the device had slept, and its count with it");
  clock.heard(null);
  assert.equal(clock.now(), 9_060_000);
});

test("a date is written as the reader's country writes it", () => {
  assert.equal(countryOf("en", ["de-DE", "en-GB", "en-US"]), "en-GB");
  for (const [lang, preferred, tag] of [
    ["en", ["de"], "en"],
    ["pt", ["pt-BR"], "pt-BR"],
    ["zh-Hans", ["zh-TW"], "zh-Hans"],
    ["en", ["en-GB-u-ca-buddhist"], "en-GB"],
    ["ar", ["ar-SA"], countryOf("ar", ["ar-SA"])],
  ])
    assert.equal(countryOf(lang, preferred), tag);
  const years = (tag) => /\d{4}/.exec(timeText(Date.UTC(2026, 10, 27), 0, tag))[0];
  assert.equal(years(countryOf("ar", ["ar-SA"])), years("ar"), "years are counted as the page counts them");
  assert.match(timeText(Date.UTC(2026, 10, 27, 12), 0, "en-GB"), /^27 Nov 2026/);
});
