// A full line in a real browser, on the real runtime: the page says so and when it looks again, in the visitor's language, and is in by itself once
// there is a place. With JavaScript and without.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startWorld } from "../runtime/support/world.mjs";
import { launch, newPage } from "./browser.mjs";

const TOKEN = "an operator's token that nobody guesses";
const BOUND = { timeout: 180_000 };
const WITHIN = { timeout: 90_000 };
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

for (const javaScriptEnabled of [true, false]) {
  test(`a full line says so and looks again by itself, ${javaScriptEnabled ? "with" : "without"} scripts`, BOUND, async (t) => {
    const world = await startWorld(t, { room: { permits: 0, linger_s: 60, line_max: 1 }, vars: { BATON_ADMIN_TOKEN: TOKEN } });
    const first = world.visitor();
    await first.arrive();
    assert.equal((await first.join()).status, 201);
    const { page, context, complaints } = await newPage(browser, { expectNetworkErrors: true, javaScriptEnabled, locale: "ja-JP" });
    t.after(() => context.close());
    await page.goto(world.url);
    await page.locator("body[data-state=full]").waitFor(WITHIN);
    await page.getByRole("heading", { name: "列がいっぱいです" }).waitFor(WITHIN);
    assert.match(await page.locator("main").innerText(), /30秒ごとに/);
    assert.equal((await first.status()).json.ahead, 0, "who waits loses nothing");
    assert.equal((await first.leave()).status, 204);
    // It looks again within 30 s, and has the place that is free.
    await page.locator("body[data-state=waiting]").waitFor(WITHIN);
    assert.equal(page.url(), world.url);
    assert.deepEqual(complaints, []);
  });
}
