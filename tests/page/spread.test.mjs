// Ten thousand pages of a lobby that lose their sockets in one moment: how they come back. And how they come at first.

import assert from "node:assert/strict";
import test from "node:test";
import { diceOf } from "../../scripts/dice.mjs";
import { backoffMs, firstMs } from "../../web/connection.js";
import { decode } from "../../web/frame.js";
import { createLine, createMemory } from "../../web/line.js";
import { encodeFrame } from "../support/frames.mjs";

/** What an object is good for, requests a second (docs/scale.md), less what it needs for everything else. */
const RETURNS_PER_S_MAX = 500;
const PAGES = 10_000;
const LOBBIES = 2;
/** As a lobby tells it: its tickets at 400 a second. */
const spreadOf = (tickets) => Math.floor(tickets / 400);
const SPREAD_S = spreadOf(PAGES);

function page(ahead, status = {}) {
  const line = createLine(
    "onsale",
    createMemory("onsale", () => ({ getItem: () => null, setItem() {} })),
  );
  line.takeStatus(
    { state: "waiting", room: "onsale", version: 1, mode: "open", number: ahead + 1, edition: 1, ahead, spread_s: SPREAD_S, ...status },
    0,
  );
  return line;
}

/** Loses the sockets of all pages. Returns how many come back in each second. */
function comeBack(pages, random) {
  const perSecond = new Map();
  for (const each of pages) {
    const second = Math.floor(backoffMs(0, each.spreadMs(), random) / 1_000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  return perSecond;
}

test("twenty thousand pages, which came one after the other, come back to two lobbies at a pace that they can take", () => {
  const random = diceOf(20_251_122);
  for (let lobby = 0; lobby < LOBBIES; lobby++) {
    const pages = Array.from({ length: PAGES }, (_, at) => page(at * LOBBIES + lobby, { spread_s: spreadOf(at) }));
    const asTheyCame = Math.max(...comeBack(pages, random).values());
    assert.ok(asTheyCame > RETURNS_PER_S_MAX, `by what each was told first, ${asTheyCame} come in one second`);
    const frame = decode(encodeFrame({ version: 2, spread: SPREAD_S, line: Array.from({ length: PAGES * LOBBIES }, (_, rank) => rank + 1) }).buffer);
    for (const each of pages) each.takeFrame(frame, 0);
    const perSecond = comeBack(pages, random);
    const most = Math.max(...perSecond.values());
    assert.ok(most < RETURNS_PER_S_MAX, `${most} in one second`);
    assert.ok(Math.max(...perSecond.keys()) < SPREAD_S);
  }
});

test("the head of the line, and whoever is called, come back first", () => {
  assert.equal(page(99).spreadMs(), 0);
  assert.equal(page(100).spreadMs(), SPREAD_S * 1_000);
  assert.equal(page(5_000, { state: "called" }).spreadMs(), 0);
  assert.equal(page(5_000, { state: "admitted" }).spreadMs(), 0);
});

test("a page that fails again falls back to its pauses, and a small room spreads nothing", () => {
  assert.equal(
    backoffMs(1, 25_000, () => 1),
    8_000,
  );
  assert.equal(
    backoffMs(0, 0, () => 1),
    4_000,
  );
  assert.equal(page(5_000, { spread_s: undefined }).spreadMs(), 0);
});

test("a page without a number comes in the last of the seconds that it is told, and at once where it is told none", () => {
  assert.deepEqual(
    [0, 0.5, 0.999].map((die) => Math.round(firstMs({ state: "none", spread_s: 8 }, () => die))),
    [8_000, 7_500, 7_001],
  );
  assert.ok(firstMs({ state: "none", spread_s: 1 }, () => 0.999) > 0);
  for (const status of [{ state: "none" }, { state: "none", spread_s: 0 }, { state: "none", spread_s: "x" }, { state: "waiting", spread_s: 8 }, null])
    assert.equal(firstMs(status), 0);
});
