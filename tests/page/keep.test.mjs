/* keep.js in a shop's page: keeps the time inside, tells its end, and never joins a line. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, afterEach, before, beforeEach, describe, test as anyTest } from "node:test";
import { launch, newPage } from "./browser.mjs";
import { Stub } from "./stub.mjs";

const HOUR_MS = 3_600_000;
/** What is awaited here may never come when keep.js is wrong. */
const test = (name, body) => anyTest(name, { timeout: 300_000 }, body);

describe("keep.js", () => {
  let browser, stub, context, page;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());
  beforeEach(async () => {
    stub = await new Stub().open();
    stub.status = { state: "admitted", number: 7, ends_at_ms: Date.now() + HOUR_MS };
    ({ context, page } = await newPage(browser));
    await context.addCookies([{ name: "baton-visitor", value: "v", url: stub.origin }]);
    await page.addInitScript(() => {
      window.told = [];
      for (const name of ["ending", "over"]) document.addEventListener(`baton:${name}`, ({ detail }) => told.push([name, detail]));
    });
  });
  afterEach(async () => {
    await context.close();
    await stub.close();
  });

  /** Without headers the clock is the test's; Playwright's clock hides the timings that headers are about. */
  async function shop(tag = 'data-room="onsale"', headers) {
    if (!headers) await page.clock.install();
    stub.shopPage = `<!doctype html><title>Shop</title><script src="/__baton/static/keep.js" ${tag} defer></script>`;
    stub.shopHeaders = headers;
    await page.goto(`${stub.origin}/shop`);
  }
  const told = () => page.evaluate(() => window.told);

  test("holds a socket while we are in, asks it not to join, pings", async () => {
    const opened = once(stub, "opened");
    await shop();
    await opened;
    await page.clock.runFor(25_500);
    await stub.called("ping");
    assert.deepEqual(stub.calls, ["shop", "GET status", "socket resume", "ping"]);
  });

  for (const state of ["none", "waiting", "over"]) {
    test(`never connects when the status is ${state}`, async () => {
      stub.status = { state, number: 7, reason: "expired" };
      await shop();
      await stub.called("GET status");
      await page.clock.runFor(600_000);
      assert.deepEqual(stub.calls, ["shop", "GET status"]);
      assert.deepEqual(await told(), [], "what was over before is no news");
    });
  }

  test("looks before every socket: a drop does not lead into the line", async () => {
    const opened = once(stub, "opened");
    await shop();
    await opened;
    stub.status = { state: "over", number: 7, reason: "released" };
    for (const socket of stub.sockets) socket.terminate();
    await once(stub, "closed");
    while (stub.count("GET status") < 2) await page.clock.runFor(1_000);
    await page.waitForFunction(() => window.told.length);
    await page.clock.runFor(600_000);
    assert.deepEqual(await told(), [["over", { reason: "released" }]]);
    assert.equal(stub.count("socket resume"), 1);
  });

  describe('data-over="reload"', () => {
    const STRICT = { "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'", "Server-Timing": 'baton;desc="onsale"' };
    /** The shop's page in a strict policy, with a visitor inside. */
    async function held() {
      const opened = once(stub, "opened");
      await shop('data-over="reload"', STRICT);
      await opened;
    }

    test("loads the page again when the visit ends, once, under a strict policy", async () => {
      await held();
      const again = page.waitForEvent("load");
      stub.set({ state: "over", number: 7, reason: "expired" });
      await again;
      await stub.called("GET status", 2);
      await page.waitForLoadState("networkidle");
      assert.deepEqual(stub.calls, ["shop", "GET status", "socket resume", "shop", "GET status"]);
      assert.deepEqual(await told(), []);
    });

    for (const [what, reason, prevents] of [
      ["the shop gave the permit back", "released", false],
      ["the shop's page prevents it", "expired", true],
    ]) {
      test(`does not when ${what}`, async () => {
        await held();
        if (prevents) await page.evaluate(() => document.addEventListener("baton:over", (event) => event.preventDefault()));
        stub.set({ state: "over", number: 7, reason });
        await page.waitForFunction(() => window.told.length);
        await page.waitForLoadState("networkidle");
        assert.deepEqual([await told(), stub.count("shop")], [[["over", { reason }]], 1]);
      });
    }
  });

  test("tells the end a minute before, once, and only if it did not slide meanwhile", async () => {
    const opened = once(stub, "opened");
    stub.status.ends_at_ms = Date.now() + 300_000;
    await shop();
    await opened;
    await page.clock.pauseAt(Date.now() + 2_000);
    // It slid while nobody told us: looking again shows that.
    const end = (stub.status.ends_at_ms = Date.now() + 600_000);
    await page.clock.runFor(240_000);
    await stub.called("GET status", 2);
    assert.deepEqual(await told(), []);
    stub.set({ state: "admitted", number: 7, ends_at_ms: Date.now() + 30_000 });
    await page.waitForFunction(() => window.told.length);
    const [[name, { endsAtMs }]] = await told();
    assert.equal(name, "ending");
    assert.ok(endsAtMs < end);
    stub.set(stub.status);
    stub.set({ state: "over", number: 7, reason: "expired" });
    await page.waitForFunction(() => window.told.length > 1);
    assert.deepEqual(
      (await told()).map(([name]) => name),
      ["ending", "over"],
    );
  });

  test("polls where sockets do not get through", async () => {
    stub.socketsRefused = true;
    await shop();
    while (stub.count("GET status") < 6) await page.clock.runFor(5_000);
    assert.ok(stub.count("socket resume") <= 3);
  });

  test("the room may come from Server-Timing; without one nothing happens", async () => {
    const opened = once(stub, "opened");
    await shop("", { "Server-Timing": 'baton;desc="onsale"' });
    await opened;
    const calls = stub.calls.length;
    await shop("", {});
    await page.waitForLoadState("networkidle");
    assert.deepEqual(stub.calls.slice(calls), ["shop"]);
  });
});
