// The shop says how many seats are left, and people are told up to which number one can be expected.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { coded } from "../support/logs.mjs";
import { eventually } from "./harness.mjs";
import { startOrigin, startWorld } from "./support/world.mjs";

const SECRET = "shared with the shop, and with nobody else";
const TOKEN = "operator-operator-operator-operator";
const ROOM = { permits: 10, tick_ms: 50, walk_in: false, claim_within_s: 600, lease_idle_s: 600, stock_line: true };

/** As a shop makes it, from docs/protocol.md alone. */
function stockHeader(left, { atMs = Date.now(), room = "onsale", secret = SECRET } = {}) {
  const mac = createHmac("sha256", secret).update(`baton-stock-v1\n${atMs}\n${room}\n${left}`).digest("hex");
  return `v1;left=${left};t=${atMs};mac=${mac}`;
}

/**
 * A shop in which every visit takes two seats and is over at once; `says` makes the header. It has more than the quickest
 * machine sells in the eight seconds that it takes to measure a visit.
 */
async function startSale(t, { room = {}, left = 20_000, says = stockHeader } = {}) {
  const shop = { left };
  const origin = await startOrigin(t, (request, response) => {
    if (request.url.includes("done")) {
      shop.left -= 2;
      response.setHeader("baton-release", "1");
    }
    response.setHeader("baton-stock", says(shop.left));
    response.end("ok");
  });
  const vars = { BATON_ADMIN_TOKEN: TOKEN, ORIGIN_SECRET: SECRET };
  const world = await startWorld(t, { room: { ...ROOM, ...room }, origin: origin.url, vars });
  return { world, shop };
}

async function report(world) {
  const { body } = await world.raw("/__baton/admin/rooms", { headers: { authorization: `Bearer ${TOKEN}` } });
  return JSON.parse(body).rooms[0].report;
}

async function visit(world) {
  const visitor = world.visitor();
  await visitor.status();
  await visitor.join();
  await eventually(async () => (await visitor.status()).json.state === "called", { what: "a call" });
  const first = await visitor.arrive();
  const last = await visitor.arrive("/buy/done");
  return [first, last];
}

test("visits are measured, and who waits is told by status, page and frame", { timeout: 120_000 }, async (t) => {
  const { world, shop } = await startSale(t);
  const waiter = async () => {
    const visitor = world.visitor();
    await visitor.status();
    await visitor.join();
    return visitor;
  };
  const early = await waiter();
  assert.equal((await early.status()).json.seats_to, undefined, "nothing is known");
  while ((await report(world)).seats_to == null) {
    const answers = (await Promise.all(Array.from({ length: 9 }, () => visit(world)))).flat();
    for (const { headers } of answers) assert.equal(headers["baton-stock"], undefined, "it is for Baton alone");
  }
  // All permits are taken by people who only look, so that there is a line.
  const lookers = await Promise.all(Array.from({ length: 10 }, waiter));
  for (const looker of lookers) await looker.arrive();
  const last = await waiter();
  const { json: status } = await last.status();
  assert.equal(status.state, "waiting");
  const { seats_to } = await report(world);
  assert.equal(status.seats_to, seats_to);
  assert.ok(status.seats_to >= status.number, `${shop.left} seats left at two a visit: ${JSON.stringify(status)}`);
  // At two seats a visit what is left is for half as many.
  assert.ok(seats_to <= status.number + shop.left / 2, `up to ${seats_to}`);
  const { body } = await last.arrive();
  assert.match(body, /data-seats="to"/);
  assert.ok(body.includes(`Numbers up to about ${seats_to} can expect a seat.`), "the page says so without a script");
  await last.openSocket();
  await waiter();
  await eventually(async () => last.tab.history.some(({ kind, seats_to: told }) => kind === "frame" && told === seats_to), { what: "a frame" });
});

const NOT_BELIEVED = {
  "without a proof": (left) => String(left),
  "with another's": (left) => stockHeader(left, { secret: "another" }),
  "of another room": (left) => stockHeader(left, { room: "presale" }),
  "of an hour ago": (left) => stockHeader(left, { atMs: Date.now() - 3_600_000 }),
};

for (const [what, says] of Object.entries(NOT_BELIEVED)) {
  test(`a stock ${what} is not believed, and said in the log`, { timeout: 60_000 }, async (t) => {
    const { world } = await startSale(t, { says });
    const [first] = await visit(world);
    assert.equal(first.headers["baton-stock"], undefined);
    await eventually(async () => coded(world.logs(), "stock_refused").length > 0, { what: "the log" });
    assert.equal((await report(world)).stock, null);
  });
}

test("unless the operator wants it nothing is told", { timeout: 60_000 }, async (t) => {
  const { world } = await startSale(t, { room: { stock_line: false } });
  await visit(world);
  await visit(world);
  assert.equal((await report(world)).stock, null);
});
