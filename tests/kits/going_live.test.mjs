// docs/going-live.md, step by step, with a shop on Express: the kit reports, the room observes, a mistake in the shop's settings is seen
// at the desk, mended, seen to be mended; then the kit enforces, and the room opens. Nobody is refused on the way.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { eventually, startWorld } from "../runtime/support/world.mjs";
import { Buyer } from "./support/buyer.mjs";
import { HOST, freePort } from "./support/programs.mjs";
import { SHOPS } from "./support/shops.mjs";
import { OPERATOR, report } from "./support/story.mjs";

const shop = SHOPS.Express;

test("the order of going live locks nobody out, and each step can be seen", { skip: shop.lacking(), timeout: 120_000 }, async (t) => {
  const [secret, port] = [randomBytes(24).toString("hex"), await freePort()];
  const room = { permits: 1, mode: "observe" };
  const world = await startWorld(t, { origin: `http://127.0.0.1:${port}`, vars: { ORIGIN_SECRET: secret, BATON_ADMIN_TOKEN: OPERATOR }, room });
  const visit = async () => (await new Buyer(world.baton.port).ask("/buy/")).status;
  const verdicts = async () => (await report(world)).proofs;

  const wrong = await shop.start(t, { secret: "not the one that Baton has", mode: "report", port });
  assert.equal(await visit(), 200, "a wrong secret refuses nobody while the kit reports");
  await eventually(async () => (await verdicts()).mac > 0, { what: "the mistake at the desk" });
  assert.match(wrong.logs(), /would refuse GET "\/buy\/" \(mac\): .*ORIGIN_SECRET/);
  await wrong.stop();

  const right = await shop.start(t, { secret, mode: "report", port });
  assert.equal(await visit(), 200);
  await eventually(async () => (await verdicts()).ok > 0, { timeoutMs: 20_000, what: "the report turned green" });
  assert.doesNotMatch(right.logs(), /would refuse/);
  await right.stop();

  await shop.start(t, { secret, mode: "enforce", port });
  assert.deepEqual([await visit(), await visit()], [200, 200], "observing, everybody passes");
  assert.equal((await new Buyer(port).ask("/buy/")).status, 403, "past Baton nobody does");
  const opened = await world.raw("/__baton/admin/rooms/onsale", {
    method: "PATCH",
    body: '{"mode": "open"}',
    headers: { host: HOST, authorization: `Bearer ${OPERATOR}`, "content-length": 16 },
  });
  assert.equal(opened.status, 200, opened.body);
  await eventually(async () => (await report(world)).mode === "open", { what: "the room open" });
});
