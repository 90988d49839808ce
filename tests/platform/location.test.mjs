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

test("an empty location is refused, and the cure is named", { timeout: 60_000 }, async (t) => {
  const it = await startPlatform(t, { room: { location: "" } });
  assert.equal((await it.visitor().status()).error, "bad_config");
  assert.match(it.logs(), /ROOMS\.onsale\.location/);
});
