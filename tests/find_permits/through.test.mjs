// Pointed at a site behind a real Baton, the crowd does not come: the line would be measured, not the shop.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { startShop } from "../../demo/shop.mjs";
import { readSteps } from "../../scripts/find_permits/steps.mjs";
import { Visitor } from "../../scripts/find_permits/visitor.mjs";
import { startRuntime } from "../../scripts/runtime.mjs";

const { steps: STEPS } = readSteps("c.toml", '[[steps]]\nname = "front"\nget = "/"\n[[steps]]\nname = "gated"\nget = "/buy/"\n');

for (const [what, permits] of [
  ["walks in", 5],
  ["waits", 0],
]) {
  test(`a visitor who ${what} learns that a line is there`, { timeout: 120_000 }, async () => {
    const originSecret = randomBytes(32).toString("hex");
    const shop = await startShop({ originSecret, room: "onsale", lockMs: 0 });
    const vars = {
      ROOMS: { onsale: { paths: ["/buy/*"], permits } },
      ORIGIN: shop.url,
      BATON_SECRET: randomBytes(48).toString("base64"),
      ORIGIN_SECRET: originSecret,
    };
    const baton = await startRuntime({ vars });
    try {
      const base = new URL(baton.url);
      shop.trustHost(base.host);
      const visitor = new Visitor({ base, origins: [base.origin], mayAsk: () => null, timeoutMs: 10_000 });
      const [front, gated] = [await visitor.ask(STEPS[0]), await visitor.ask(STEPS[1])];
      visitor.close();
      assert.deepEqual([front.isOk, gated.isOk, gated.mustStop], [true, false, true]);
      assert.match(gated.why, /is behind Baton's own line/);
    } finally {
      await baton.stop();
      await shop.stop();
    }
  });
}
