/* A page that the browser prerenders begins when it is shown. Nothing before that is a visitor's. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test as anyTest } from "node:test";
import { launch, newPage } from "./browser.mjs";
import { Stub } from "./stub.mjs";

const test = (name, body) => anyTest(name, { timeout: 60_000 }, body);

/** Chromium prerenders only with a window, so the document says that it is being prerendered until `shown()`. */
function prerendering() {
  let isHidden = true;
  Object.defineProperty(Document.prototype, "prerendering", { get: () => isHidden, configurable: true });
  for (const [name, hidden, seen] of [
    ["hidden", true, false],
    ["visibilityState", "hidden", "visible"],
  ]) {
    Object.defineProperty(Document.prototype, name, { get: () => (isHidden ? hidden : seen), configurable: true });
  }
  window.shown = () => {
    isHidden = false;
    for (const name of ["prerenderingchange", "visibilitychange"]) document.dispatchEvent(new Event(name));
  };
}

describe("a page that is prerendered", () => {
  let browser, stub, context, page, complaints;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());
  beforeEach(async () => {
    stub = await new Stub().open();
    ({ context, page, complaints } = await newPage(browser, { expectNetworkErrors: true }));
    await page.addInitScript(prerendering);
    await page.clock.install();
  });
  afterEach(async () => {
    await context.close();
    await stub.close();
    assert.deepEqual(complaints, []);
  });
  const shown = () => page.evaluate(() => window.shown());

  test("asks for nothing and loads nothing again, and is in line when it is shown", async () => {
    await page.goto(`${stub.origin}/buy`);
    await page.clock.runFor(180_000);
    assert.deepEqual(stub.calls, ["page"]);
    await shown();
    await page.locator('body[data-ahead="56"]').waitFor();
    assert.deepEqual(stub.calls, ["page", "socket"]);
  });

  test("where its script is lost, it loads itself again once it is shown, and not before", async () => {
    stub.lostAssets = /main\./;
    await page.goto(`${stub.origin}/buy`);
    await page.clock.runFor(180_000);
    assert.deepEqual(stub.calls, ["page"]);
    await shown();
    await page.clock.runFor(20_500);
    await stub.called("page", 2);
  });

  test("keep.js in a shop's page keeps no lease before the page is shown", async () => {
    stub.status = { state: "admitted", number: 7, ends_at_ms: Date.now() + 3_600_000 };
    await context.addCookies([{ name: "baton-visitor", value: "v", url: stub.origin }]);
    stub.shopPage = '<!doctype html><title>Shop</title><script src="/__baton/static/keep.js" data-room="onsale" defer></script>';
    await page.goto(`${stub.origin}/shop`);
    await page.clock.runFor(180_000);
    assert.deepEqual(stub.calls, ["shop"]);
    await shown();
    await stub.called("socket resume");
  });
});
