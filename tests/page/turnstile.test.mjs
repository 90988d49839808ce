// Turnstile's question in a real browser, on the real runtime: the widget is a stand-in that the browser is given for
// Cloudflare's script, and answers what siteverify's stand-in knows.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startSiteverify } from "../runtime/support/siteverify.mjs";
import { startOrigin, startWorld } from "../runtime/support/world.mjs";
import { launch, newPage } from "./browser.mjs";
import { CACHE_FIRST, install } from "./keeping_worker.mjs";

const SECRET = "1x0000000000000000000000000000000AA";
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** A widget that gives these answers one after the other, as if somebody solved the question at once. */
const widget = (answers) => `globalThis.turnstile = {
  answers: ${JSON.stringify(answers)},
  render(place, options) {

    this.options = options;
    this.reset();
    return "widget-0";
  },
  reset() { setTimeout(() => this.options.callback(this.answers.shift()), 0); },
};`;

async function begin(t, answersOf, origin) {
  const stand = await startSiteverify(t, { secret: SECRET, hostname: "127.0.0.1" });
  const vars = { TURNSTILE_SITE_KEY: "1x00000000000000000000AA", TURNSTILE_SECRET: SECRET, TURNSTILE_VERIFY_URL: stand.url };
  const world = await startWorld(t, { vars, origin, room: { turnstile: true, permits: 0 } });
  const visit = await newPage(browser, { expectNetworkErrors: true });
  t.after(() => visit.context.close());
  await visit.page.route("https://challenges.cloudflare.com/**", (route) =>
    route.fulfill({ contentType: "text/javascript", body: widget(answersOf(stand)) }),
  );
  return { ...visit, stand, world };
}

test("the page asks, sends the answer, and the visitor stands in line", async (t) => {
  const { page, complaints, world, stand } = await begin(t, ({ solve }) => [solve()]);
  const asked = page.waitForRequest("https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit");
  await page.goto(world.url);
  await asked;
  await page.locator("body[data-state=waiting]").waitFor();
  assert.equal(await page.locator("#baton-turnstile").count(), 0, "asked once");
  assert.equal(stand.asked.length, 1);
  assert.deepEqual(complaints, [], "no violation of the page's policy");
});

test("an answer that is refused is asked for again", async (t) => {
  const { page, complaints, world } = await begin(t, ({ solve }) => ["0.made-up", solve()]);
  await page.goto(world.url);
  await page.locator("body[data-state=waiting]").waitFor({ timeout: 20_000 });
  assert.deepEqual(complaints, []);
});

test("where a service worker keeps the page that asks, the answer leads on all the same", async (t) => {
  const origin = await startOrigin(t, ({ url }, response) => {
    response.setHeader("Content-Type", url === "/sw.js" ? "text/javascript" : "text/html");
    response.end(url === "/sw.js" ? CACHE_FIRST : "<!doctype html><title>Shop</title>");
  });
  const { page, world, stand } = await begin(t, ({ solve }) => [solve(), solve()], origin.url);
  await page.goto(world.baton.url);
  await page.evaluate(install);
  await page.goto(world.url);
  await page.locator("body[data-state=waiting]").waitFor();
  assert.equal(stand.asked.length, 1);
});
