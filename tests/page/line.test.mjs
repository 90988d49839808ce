import assert from "node:assert/strict";
import { test } from "node:test";
import { createLine, createMemory } from "../../web/line.js";
import { backoffMs } from "../../web/connection.js";
import { waitText } from "../../web/format.js";

function storage() {
  const items = new Map();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value) };
}
const newLine = (items = storage()) =>
  createLine(
    "onsale",
    createMemory("onsale", () => items),
  );
const waiting = (number, ahead, more) => ({ state: "waiting", room: "onsale", number, ahead, ...more });
const frame = (version, ahead, mode = "open") => ({ version, mode, waiting: 500, callLowUs: 1e6, callHighUs: 2e6, points: [{ number: 100, ahead }] });

test("ahead never rises, whatever comes in whatever order", () => {
  const line = newLine();
  const seen = [];
  const look = () => seen.push(line.get().ahead);
  line.takeStatus(waiting(100, 40)), look();
  line.takeFrame(frame(5, 30)), look();
  line.takeFrame(frame(4, 10)), look();
  line.takeFrame(frame(6, 35)), look();
  line.takeStatus(waiting(100, 50)), look();
  line.takeStatus(waiting(100, 20)), look();
  line.takeFrame(frame(7, 20)), look();
  assert.deepEqual(seen, [40, 30, 30, 30, 30, 20, 20]);
});

test("a frame older than the status does not count", () => {
  const line = newLine();
  line.takeStatus(waiting(100, 40, { version: 9 }));
  assert.equal(line.takeFrame(frame(8, 2)), false);
  assert.equal(line.get().ahead, 40);
});

test("ahead does not rise over a reload, and a new number starts afresh", () => {
  const items = storage();
  newLine(items).takeStatus(waiting(100, 12));
  const reloaded = newLine(items);
  reloaded.takeStatus(waiting(100, 15));
  assert.equal(reloaded.get().ahead, 12);
  assert.equal(reloaded.get().joinedBehind, 12);
  reloaded.takeStatus(waiting(300, 80));
  assert.equal(reloaded.get().ahead, 80);
});

test("the same number of another edition is another place: nothing of the old one is shown", () => {
  const items = storage();
  const line = newLine(items);
  line.takeStatus(waiting(100, 12, { edition: 1, version: 4 }));
  line.takeFrame(frame(5, 3));
  line.takeStatus({ state: "over", room: "onsale", reason: "reset", number: 100, edition: 1, version: 6 });
  line.takeStatus(waiting(100, 40, { edition: 2, version: 9 }));
  assert.deepEqual([line.get().ahead, line.get().joinedBehind], [40, 40]);
  assert.equal(line.takeFrame(frame(8, 2)), false, "a picture of before the reset");
  assert.equal(line.get().ahead, 40);
  const reloaded = newLine(items);
  reloaded.takeStatus(waiting(100, 45, { edition: 2 }));
  assert.equal(reloaded.get().ahead, 40);
  const later = newLine(items);
  later.takeStatus(waiting(100, 60, { edition: 3 }));
  assert.deepEqual([later.get().ahead, later.get().joinedBehind], [60, 60]);
});

test("an entry of another edition became no number of this one", () => {
  const items = storage();
  const hall = (entry, edition) => ({ state: "hall", room: "onsale", entry, edition });
  newLine(items).takeStatus(hall(5, 1));
  const anew = newLine(items);
  anew.takeStatus(waiting(7, 3, { edition: 2 }));
  assert.equal(anew.get().entry, null);
  const line = newLine(items);
  line.takeStatus(hall(5, 2));
  line.takeStatus(waiting(8, 3, { edition: 2 }));
  assert.equal(line.get().entry, 5, "it became 8");
});

test("a browser without storage shows the line all the same", () => {
  const line = createLine(
    "onsale",
    createMemory("onsale", () => {
      throw new Error("denied");
    }),
  );
  line.takeStatus(waiting(100, 12));
  line.takeStatus(waiting(100, 15));
  assert.equal(line.get().ahead, 12);
});

test("storage that holds something else does no harm", () => {
  for (const text of ["null", "7", "[]", "{", '{"number":100,"ahead":"x","joinedBehind":-1}']) {
    const items = storage();
    items.setItem("baton:onsale", text);
    const line = newLine(items);
    line.takeStatus(waiting(100, 12));
    assert.equal(line.get().ahead, 12, text);
  }
});

test("a number that changed without being asked for is said so", () => {
  const line = newLine();
  line.takeStatus(waiting(100, 12));
  assert.equal(line.get().renumbered, false);
  line.takeStatus({ state: "none", room: "onsale" });
  line.takeStatus(waiting(200, 50));
  assert.equal(line.get().renumbered, true);
  line.forget();
  line.takeStatus(waiting(300, 60));
  assert.equal(line.get().renumbered, false);
});

test("garbage and the status of another room are not shown", () => {
  const line = newLine();
  line.takeStatus(waiting(100, 12));
  for (const status of [null, 7, "x", [], {}, { state: "dancing" }, { ...waiting(1, 1), room: "other" }]) {
    assert.equal(line.takeStatus(status), false, JSON.stringify(status));
  }
  line.takeStatus({ ...waiting(100, -5), message: { a: 1 }, reason: "<b>", mode: "odd", eta_min_s: 9, eta_max_s: 3 });
  const { ahead, message, reason, mode, eta } = line.get();
  assert.deepEqual({ ahead, message, reason, mode, eta }, { ahead: 12, message: "", reason: "", mode: "open", eta: null });
});

test("frames before a number are only news of the mode", () => {
  const line = newLine();
  line.takeFrame(frame(1, 3, "paused"));
  assert.equal(line.get().ahead, null);
  assert.equal(line.get().mode, "paused");
});

test("the wait is a range in units that are worth it", () => {
  const en = { about: "about {time}", under: "under {time}" };
  const table = [
    [[200, 290], "about 3–5 min"],
    [[0.2, 4], "under 10 sec"],
    [[12, 38], "about 10–40 sec"],
    [[60, 91], "about 1–2 min"],
    [[5, 100], "under 2 min"],
    [[4000, 9000], "about 66–150 min"],
    [[9000, 20000], "about 2–6 hr"],
    [[0, 0.001], "under 10 sec"],
    [[180, 180], "about 3 min"],
  ];
  for (const [range, text] of table) assert.equal(waitText(range, "en", en), text);
  assert.equal(waitText([200, 290], "ja", { about: "約 {time}" }), "約 3～5 分");
});

test("c58_pauses_double: they are jittered over their whole range, and stay bounded", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((attempt) => backoffMs(attempt, 0, () => 1)),
    [4_000, 8_000, 16_000, 30_000, 30_000],
  );
  assert.ok(backoffMs(0, 0, () => 0) > 0 && backoffMs(0, 0, () => 0) < 1_000);
});

test("the operator's message is that of the page's language, else the one for everybody", () => {
  const messages = { ja: "正午に", de: { b: 1 } };
  for (const [language, message] of [
    ["ja", "正午に"],
    ["en", "back at noon"],
    ["", "back at noon"],
    ["de", ""],
  ]) {
    const line = createLine(
      "onsale",
      createMemory("onsale", () => storage()),
      language,
    );
    line.takeStatus({ ...waiting(100, 12), message: "back at noon", messages });
    assert.equal(line.get().message, message, language);
  }
});
