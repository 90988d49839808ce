// Where objects live is part of their names: whoever changes it begins anew, on purpose, and comes back to what was before by
// changing it back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../runtime/support/world.mjs";
import { coded } from "../support/logs.mjs";
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
  const homes = [
    { location: "apac" },
    { location: "weur" },
    { location: "weur", jurisdiction: "eu" },
    { location: "weur", jurisdiction: "eu", generation: 2 },
  ];
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
      assert.ok(!(await isShop(old())), `${at}: nobody else is inside`);
      await old().leave();
    }
    assert.ok(await isShop(inside), `${at}: nobody has left in the name of whoever is inside`);
    assert.match(inside.jar.header(), /pass/);
    passes.push(inside.jar.header());
  }
});

test("a room that has moved goes on with the lobbies that it had", { timeout: 120_000 }, async (t) => {
  const room = { paths: ["/buy/*"], permits: 0, crowd: 100_000, location: "apac" };
  const it = await startPlatform(t, { rooms: { onsale: room } });
  const visitor = it.visitor();
  await visitor.arrive();
  await visitor.status();
  await visitor.join();
  assert.equal(visitor.number, 1);
  await it.baton.restart({ signal: "SIGTERM", vars: { ROOMS: { onsale: { ...room, location: "weur" } } } });
  // The room's alarm brings it into memory, and it pokes its lobby, which says Hello: by way of its porter, or past it.
  const calls = () => it.counts().then((counts) => Object.keys(counts.calls));
  const isAnswer = (call) => /^(PORTER|ROOM) /.test(call);
  await eventually(async () => (await calls()).some(isAnswer), { timeoutMs: 60_000, what: "a lobby that answers its room" });
  const at = new Set((await calls()).map((call) => call.split(" ")[1]));
  assert.deepEqual([...at], ["onsale@apac.1"]);
});

test("an object whose room is gone rings ever later, and its room is there when it is wanted again", { timeout: 120_000 }, async (t) => {
  const room = { paths: ["/buy/*"], permits: 0, location: "apac" };
  const other = { paths: ["/other/*"], permits: 0, location: "apac" };
  const it = await startPlatform(t, { rooms: { onsale: room, other } });
  const visitor = it.visitor();
  await visitor.arrive();
  await visitor.status();
  await visitor.join();
  const failed = () => coded(it.logs(), "alarm_failed").filter(({ part }) => part === "room");
  const fails = (times) => eventually(() => failed().length >= times && Date.now(), { timeoutMs: 60_000, what: `failure ${times}` });
  await it.baton.restart({ signal: "SIGTERM", vars: { ROOMS: { other } } });
  const first = await fails(1);
  assert.match(failed()[0].why, /there is no room/);
  assert.ok((await fails(3)) - first > 2_500, "after one second, after two");
  const third = Date.now();
  // The pause is stored: memory is gone long before an hour is over.
  await it.baton.restart({ signal: "SIGTERM" });
  assert.ok((await fails(4)) - third > 3_500, "after four");
  await it.baton.restart({ signal: "SIGTERM", vars: { ROOMS: { onsale: room, other } } });
  const late = it.visitor();
  await late.arrive();
  await late.status();
  await late.join();
  assert.equal(late.number, 2, "nobody lost a place");
});

test("an empty location is refused, and the cure is named", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { room: { location: "" } });
  assert.equal((await it.visitor().status()).error, "bad_config");
  assert.match(it.logs(), /ROOMS\.onsale\.location/);
});
