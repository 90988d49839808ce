// Where objects live is part of their names: whoever changes it begins anew, on purpose, and comes back to what was before by
// changing it back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startPlatform } from "./platform.mjs";

test("another location, generation or jurisdiction is another room; the one before is there again afterwards", { timeout: 120_000 }, async (t) => {
  const room = { paths: ["/buy/*"], permits: 0 };
  const it = await startPlatform(t, { rooms: { onsale: { ...room, location: "apac" } } });
  const numberAt = async (home) => {
    await it.baton.restart({ signal: "SIGTERM", vars: { ROOMS: { onsale: { ...room, ...home } } } });
    const visitor = it.visitor();
    await visitor.arrive();
    await visitor.status();
    await visitor.join();
    return visitor.number;
  };
  assert.equal(await numberAt({ location: "apac" }), 1);
  assert.equal(await numberAt({ location: "apac" }), 2, "the same");
  assert.equal(await numberAt({ location: "weur" }), 1);
  assert.equal(await numberAt({ location: "apac", generation: 2 }), 1);
  assert.equal(await numberAt({ location: "apac", jurisdiction: "eu" }), 1);
  assert.equal(await numberAt({ location: "apac" }), 3, "the first is as it was");
});

test("a pass of a room that has moved opens nothing, and ends nothing", { timeout: 120_000 }, async (t) => {
  const room = { paths: ["/buy/*"], permits: 1, pass_ttl_s: 3_600, lease_idle_s: 3_600, lease_max_s: 3_600, strict: "all" };
  const homes = [{ location: "apac" }, { location: "weur" }, { location: "weur", jurisdiction: "eu" }, { location: "weur", jurisdiction: "eu", generation: 2 }];
  const it = await startPlatform(t, { rooms: { onsale: { ...room, ...homes[0] } } });
  const isShop = async (visitor) => (await visitor.arrive()).state === "shop";
  const passes = [];
  for (const home of homes) {
    const at = JSON.stringify(home);
    if (passes.length > 0) await it.baton.restart({ signal: "SIGTERM", vars: { ROOMS: { onsale: { ...room, ...home } } } });
    const inside = it.visitor();
    for (let times = 0; times < 2; times++) assert.ok(await isShop(inside), at);
    // The pass of each home has the first fence of its room.
    for (const cookies of passes) {
      const old = () => {
        const visitor = it.visitor();
        visitor.jar.take(cookies.split("; "));
        return visitor;
      };
      assert.ok(!await isShop(old()), `${at}: nobody else is inside`);
      await old().leave();
    }
    assert.ok(await isShop(inside), `${at}: nobody has left in the name of whoever is inside`);
    assert.match(inside.jar.header(), /pass/);
    passes.push(inside.jar.header());
  }
});

test("an empty location is refused, and the cure is named", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { room: { location: "" } });
  assert.equal((await it.visitor().status()).error, "bad_config");
  assert.match(it.logs(), /ROOMS\.onsale\.location/);
});
