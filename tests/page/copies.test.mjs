/* The page where a service worker of the site keeps every page it sees, the waiting page too. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test as anyTest } from "node:test";
import { launch, newPage } from "./browser.mjs";
import { CACHE_FIRST, IN_MEMORY, install } from "./keeping_worker.mjs";
import { Stub } from "./stub.mjs";

const test = (name, body) => anyTest(name, { timeout: 300_000 }, body);

describe("a page that a service worker keeps", () => {
  let browser, stub, context, page, complaints;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());
  beforeEach(async () => {
    stub = await new Stub().open();
    stub.serviceWorker = CACHE_FIRST;
    stub.shopPage = "<!doctype html><title>Shop</title><h1>Shop</h1>";
    ({ context, page, complaints } = await newPage(browser, { expectNetworkErrors: true }));
  });
  afterEach(async () => {
    await context.close();
    await stub.close();
    assert.deepEqual(complaints, []);
  });

  /** The site's home page, whose service worker is at work, and then the line. Resolves to what was called for that. */
  async function kept() {
    await page.goto(`${stub.origin}/shop`);
    await page.evaluate(install);
    await page.goto(`${stub.origin}/shop`);
    await page.goto(`${stub.origin}/buy`);
    await page.locator('body[data-ahead="56"]').waitFor();
    await stub.connected();
    const { calls } = stub;
    stub.calls = [];
    return calls;
  }
  const inside = () => page.getByRole("heading", { name: "Inside", exact: true }).waitFor();

  test("gives way to the shop at the turn, at the first load, and the site's other pages stay", async () => {
    await kept();
    stub.inside = true;
    stub.set({ state: "called", number: 1234 });
    await inside();
    assert.deepEqual(stub.calls, ["inside"]);
    const left = await page.evaluate(async () => (await (await caches.open("pages")).keys()).map(({ url }) => new URL(url).pathname));
    assert.deepEqual(left.sort(), ["/buy", "/shop"]);
  });

  test("is shown again in its tab, and asks before it takes a number or shows one", async () => {
    await kept();
    await page.addInitScript(() => {
      window.shown = [];
      document.addEventListener("baton:state", ({ detail }) => window.shown.push(`${detail.state} ${detail.number}`));
    });
    await page.goto(`${stub.origin}/shop`);
    stub.set({ state: "over", reason: "released", number: 1234 });
    stub.calls = [];
    await page.goto(`${stub.origin}/buy`);
    await page.locator('body[data-state="over"]').waitFor();
    assert.deepEqual(stub.calls, ["GET status"]);
    assert.deepEqual(await page.evaluate(() => window.shown), ["arriving null", "over 1234"]);
  });

  test("is shown in another tab a day later, and is in line again", async () => {
    stub.now = () => Date.now() - 86_400_000;
    await kept();
    stub.now = Date.now;
    await page.close();
    stub.status = { state: "none" };
    stub.joined = { state: "waiting", number: 5000, ahead: 7 };
    stub.calls = [];
    page = await context.newPage();
    await page.goto(`${stub.origin}/buy`);
    await page.locator('body[data-ahead="7"]').waitFor();
    await stub.called("socket resume");
    assert.deepEqual(stub.calls, ["GET status", "POST join", "socket resume"]);
  });

  test("on a device whose clock is wrong asks once more, and is not loaded again for it", async () => {
    stub.now = () => Date.now() - 86_400_000;
    const calls = await kept();
    assert.deepEqual(calls, ["shop", "shop", "page", "GET status", "POST join", "socket resume"]);
  });

  test("where nothing can be taken out, the page goes in ever more slowly, and the button stays", async () => {
    stub.serviceWorker = IN_MEMORY;
    await kept();
    stub.inside = true;
    stub.set({ state: "called", number: 1234 });
    await page.locator('body[data-state="called"]').waitFor();
    await page.getByRole("link", { name: "Go in now" }).waitFor();
    assert.equal(stub.count("inside"), 0);
  });
});
