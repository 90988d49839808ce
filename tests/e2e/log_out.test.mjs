// A visitor who waits signs out of the shop in a real browser: the session goes, the place stays. The shop clears cookies by `Clear-Site-Data`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, newPage } from "../page/browser.mjs";
import { startOrigin, startWorld } from "../runtime/support/world.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const SESSION = ["session=1; Path=/; HttpOnly", "cart=2; Path=/account", "remembered=3; Path=/account/; Max-Age=9999"];

for (const through of [false, true]) {
  test(through ? "CLEAR_SITE_DATA = through: the header goes through, and takes the place along" : "the session goes, the place stays", {
    timeout: 120_000,
  }, async (t) => {
    const origin = await startOrigin(t, ({ url }, response) => {
      const headers = url === "/account/out" ? { "clear-site-data": '"*"' } : url === "/account/in" ? { "set-cookie": SESSION } : {};
      response.writeHead(200, { "content-type": "text/html", ...headers }).end("<!doctype html><title>shop</title>");
    });
    const world = await startWorld(t, { room: { permits: 1 }, origin: origin.url, vars: through ? { CLEAR_SITE_DATA: "through" } : {} });
    const holder = world.visitor();
    await holder.arrive();
    await holder.arrive();
    const { context, page } = await newPage(browser, {});
    t.after(() => context.close());
    const at = (path) => new URL(path, world.url.replace("127.0.0.1", "localhost")).href;
    const names = async () => (await context.cookies()).map(({ name }) => name).sort();
    await page.goto(at("/account/in"));
    await page.goto(at("/buy/"));
    await page.locator("[data-baton=number]").first().filter({ hasText: "2" }).waitFor();
    assert.deepEqual(await names(), ["baton-onsale-ticket", "baton-visitor", "cart", "remembered", "session"]);
    await page.goto(at("/account/out"));
    assert.deepEqual(await names(), through ? [] : ["baton-onsale-ticket", "baton-visitor"]);
  });
}
