// Shops on real frameworks, with Baton's kits, behind a running Baton: a whole purchase with the kit enforcing, and what
// enforcing and reporting do with a request that goes past Baton.
// Each shop is one of support/shops.mjs; what is not installed is skipped and said, but with BATON_ALL_ORIGINS=1.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../runtime/support/world.mjs";
import { Buyer } from "./support/buyer.mjs";
import { SHOPS } from "./support/shops.mjs";
import { purchase, startBoth } from "./support/story.mjs";

for (const [name, shop] of Object.entries(SHOPS)) {
  test(`${name}: a purchase through Baton, and nothing past it`, { skip: shop.lacking(), timeout: 120_000 }, async (t) => {
    const { world, behind } = await startBoth(t, shop, "enforce");
    await purchase(world);
    const stranger = new Buyer(behind.port);
    const refused = await stranger.ask("/buy/");
    assert.deepEqual([refused.status, refused.headers["baton-checked"]], [403, "no;missing"]);
    assert.match(refused.headers["cache-control"], /\bno-store\b/);
    await eventually(() => /refused GET \S*\/buy\/\S* \(missing\)/.test(behind.logs()), { what: `the log line in ${behind.logs()}` });
    assert.doesNotMatch(behind.logs(), /\((?!missing)\w+\): /, "nothing that came through Baton was refused");
  });

  test(`${name}: reporting lets everybody in and says what it would refuse`, { skip: shop.lacking(), timeout: 120_000 }, async (t) => {
    const { world, behind } = await startBoth(t, shop, "report");
    const inside = await new Buyer(world.baton.port).ask("/buy/");
    assert.deepEqual([inside.status, inside.json?.visit?.ticket], [200, 1]);
    const past = await new Buyer(behind.port).ask("/buy/past", { headers: { "x-forwarded-host": "evil.example", "baton-fence": "9" } });
    assert.deepEqual([past.status, past.headers["baton-checked"], past.json.visit], [200, "no;missing", null]);
    assert.doesNotMatch(past.json.absolute, /evil/, "a forwarded host without a proof is nobody's word");
    await eventually(() => /would refuse GET \S*\/buy\/past\S* \(missing\)/.test(behind.logs()), { what: `the log line in ${behind.logs()}` });
    assert.doesNotMatch(behind.logs(), /would refuse GET \S*\/buy\/\S? /, "what came through Baton is not reported");
  });
}
