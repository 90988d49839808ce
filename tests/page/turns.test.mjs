/* A turn is not missed, and a place not lost: hidden tabs, sleep, lost scripts, two tabs, restarts, wrong clocks. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, afterEach, before, beforeEach, describe, test as anyTest } from "node:test";
import { lineAround } from "../support/frames.mjs";
import { launch, newPage } from "./browser.mjs";
import { Stub } from "./stub.mjs";

const test = (name, body) => anyTest(name, { timeout: 60_000 }, body);
const waiting = (ahead, more) => ({ state: "waiting", number: 1234, ahead, waiting: 90, ...more });

describe("turns", () => {
  let browser, stub, context, page, complaints;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());
  beforeEach(async () => {
    stub = await new Stub().open();
  });
  afterEach(async () => {
    await context.close();
    await stub.close();
    assert.deepEqual(complaints, []);
  });

  async function visit({ clock = false, init, path = "/buy", ...options } = {}) {
    ({ context, page, complaints } = await newPage(browser, { expectNetworkErrors: true, ...options }));
    if (init) await page.addInitScript(init);
    if (clock) await page.clock.install();
    await page.goto(`${stub.origin}${path}`);
  }
  const ahead = (value) => page.locator(`body[data-ahead="${value}"]`).waitFor({ timeout: 10_000 });
  const inside = () => page.getByRole("heading", { name: "Inside", exact: true }).waitFor();

  /** A hidden tab in which timers sleep, and notifications that are only noted down, over reloads too. */
  const HIDDEN = () => {
    Object.defineProperty(Document.prototype, "hidden", { get: () => true, configurable: true });
    Object.defineProperty(Document.prototype, "visibilityState", { get: () => "hidden", configurable: true });
    window.Notification = class {
      static permission = sessionStorage.granted ? "granted" : "default";
      static async requestPermission() {
        sessionStorage.granted = "yes";
        return (this.permission = "granted");
      }
      constructor(title, { body }) {
        sessionStorage.noted = `${sessionStorage.noted ?? ""}${title}: ${body}\n`;
      }
    };
  };

  test("called in a hidden tab: a notification that was asked for, and in at once though timers sleep", async () => {
    await visit({ init: HIDDEN, clock: true, viewport: { width: 1280, height: 800 } });
    await ahead(56);
    await page.getByRole("button", { name: "Notify me when it is my turn" }).click();
    await page.getByText("You will see a notification").waitFor();
    stub.inside = true;
    await page.clock.pauseAt(Date.now() + 5_000);
    stub.set({ state: "called", number: 1234 });
    await inside();
    assert.equal(await page.evaluate(() => sessionStorage.noted), "It is your turn: Your number 1234 was called. Come back to this tab.\n");
  });

  test("nothing is asked of the browser on load, and without permission nothing is shown", async () => {
    await visit({ init: HIDDEN, viewport: { width: 1280, height: 800 } });
    await page.getByRole("button", { name: "Notify me when it is my turn" }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.granted), undefined);
    stub.inside = true;
    stub.set({ state: "called", number: 1234 });
    await inside();
    assert.equal(await page.evaluate(() => sessionStorage.noted), undefined);
  });

  test("a phone may keep its screen on, and takes hold again when it comes back", async () => {
    const init = () => {
      window.held = 0;
      Object.defineProperty(navigator, "wakeLock", { value: { request: async () => void window.held++ }, configurable: true });
    };
    await visit({ init, hasTouch: true, isMobile: true });
    await page.getByRole("button", { name: "Keep the screen on" }).click();
    await page.getByText("The screen stays on").waitFor();
    assert.equal(await page.evaluate(() => window.held), 1);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.waitForFunction(() => window.held === 2);
  });

  test("a phone that does not allow it says so", async () => {
    const init = () =>
      Object.defineProperty(navigator, "wakeLock", { value: { request: () => Promise.reject(new Error("no")) }, configurable: true });
    await visit({ init, hasTouch: true, isMobile: true });
    await page.getByRole("button", { name: "Keep the screen on" }).click();
    await page.getByText("Your device does not allow it").waitFor();
  });

  test("where the page's script is lost on the way, the page goes on like one without scripts", async () => {
    stub.lostAssets = /main\./;
    stub.noScript = true;
    stub.refreshS = 1;
    await visit({ clock: true });
    await stub.called("page");
    await page.clock.runFor(10_500);
    await stub.called("page", 2);
    await page.getByText("1234", { exact: true }).waitFor();
    stub.inside = true;
    await page.clock.runFor(10_500);
    await inside();
  });

  test("what looks like another site in the path is loaded again from this one", async () => {
    stub.lostAssets = /main\./;
    stub.noScript = true;
    await visit({ clock: true, path: "//elsewhere.invalid/buy#seats" });
    await page.clock.runFor(20_500);
    await stub.called("page", 2);
    await page.waitForURL(`${stub.origin}//elsewhere.invalid/buy`);
  });

  test("a page that is alive does not load itself again", async () => {
    await visit({ clock: true });
    await ahead(56);
    await page.clock.runFor(120_000);
    assert.equal(stub.count("page"), 1);
  });

  test("asleep for ten minutes: back at once, the place kept, and nothing joins", async () => {
    await visit({ clock: true });
    await ahead(56);
    const closed = once(stub, "closed");
    for (const socket of stub.sockets) socket.terminate();
    await closed;
    stub.status = waiting(12);
    await page.clock.fastForward("10:00");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await ahead(12);
    await stub.called("socket resume");
    assert.equal(await page.locator("[data-baton=number]").textContent(), "1234");
    assert.equal(stub.count("POST join"), 0);
  });

  test("called while asleep: in as soon as it wakes", async () => {
    await visit({ clock: true });
    await ahead(56);
    for (const socket of stub.sockets) socket.terminate();
    await once(stub, "closed");
    stub.status = { state: "called", number: 1234 };
    stub.inside = true;
    // The leap itself wakes the page: nothing is asked of a page that may be on its way in already.
    await page.evaluate(() => setTimeout(() => document.dispatchEvent(new Event("visibilitychange")), 599_000));
    await page.clock.fastForward("10:00");
    await inside();
  });

  test("the server restarts: all come back, but not in the same second", async () => {
    const pauses = [];
    await visit({ clock: true });
    await ahead(56);
    for (let round = 0; round < 6; round++) {
      const calls = stub.count("socket resume");
      stub.status = waiting(55 - round);
      const began = await page.evaluate(() => Date.now());
      const closed = once(stub, "closed");
      for (const socket of stub.sockets) socket.close(1012);
      await closed;
      while (stub.count("socket resume") === calls) await page.clock.runFor(100);
      pauses.push(await page.evaluate((since) => Date.now() - since, began));
      // The page must have heard it, too: a page whose clock leaps before that takes the socket for one that never opened.
      await ahead(55 - round);
      // A socket that lived counts as new.
      await page.clock.runFor(11_000);
    }
    assert.ok(Math.max(...pauses) - Math.min(...pauses) > 200, `${pauses}`);
    assert.ok(Math.max(...pauses) < 9_000, `${pauses}`);
    assert.equal(await page.locator("[data-baton=number]").textContent(), "1234");
  });

  test("two tabs have one place, and both go in", async () => {
    await visit();
    await ahead(56);
    const second = await context.newPage();
    await second.goto(`${stub.origin}/buy`);
    await second.locator('body[data-ahead="56"]').waitFor();
    assert.equal(await second.locator("[data-baton=number]").textContent(), "1234");
    stub.inside = true;
    stub.set({ state: "called", number: 1234 });
    await inside();
    await second.getByRole("heading", { name: "Inside", exact: true }).waitFor();
    assert.equal(stub.count("POST join"), 0);
  });

  test("back to an entry that a router made: what is there is loaded", async () => {
    stub.shopPage = "<!doctype html><title>Shop</title><h1>Shop</h1>";
    await visit({ path: "/shop" });
    await page.evaluate(() => {
      history.pushState(null, "", "/buy");
      location.reload();
    });
    await ahead(56);
    await page.goBack();
    await page.getByRole("heading", { name: "Shop" }).waitFor();
  });

  test("closed and opened again: the same number, and not farther back", async () => {
    await visit();
    await ahead(56);
    stub.set(waiting(30));
    await ahead(30);
    await page.close();
    page = await context.newPage();
    await page.goto(`${stub.origin}/buy`);
    await ahead(30);
    assert.equal(await page.locator("[data-baton=number]").textContent(), "1234");
  });

  test("the opening and the time to come are counted down by the server's clock", async () => {
    // The device is three hours fast. Its clock leaps second by second, and the server's with it: the page may ask
    // again in between.
    const serverMs = Date.now() - 3 * 3_600_000;
    let leaptMs = 0;
    stub.now = () => Date.now() - 3 * 3_600_000 + leaptMs;
    const leap = async (seconds) => {
      for (let second = 0; second < seconds; second++) {
        leaptMs += 1_000;
        await page.clock.runFor(1_000);
      }
    };
    /** What is left by the server's clock, to 5 s: `Date` is of whole seconds, and its answer was on its way for a while. */
    const counts = async (shown, untilMs) => {
      const [, min = 0, sec] = (await shown.textContent()).match(/(?:(\d+) min,? )?(\d+) sec/);
      const shownS = 60 * min + Number(sec),
        leftS = (untilMs - stub.now()) / 1_000;
      assert.ok(Math.abs(shownS - leftS) <= 5, `${shownS} s are shown, ${leftS} are left`);
    };
    stub.status = stub.joined = { state: "hall", opens_at_ms: serverMs + 95_000 };
    await visit({ clock: true });
    const opens = page.locator("[data-baton=opens]").filter({ hasText: /Opens in .*sec/ });
    const claim = page.locator("[data-baton=claim]").filter({ hasText: /kept for .*sec/ });
    await opens.waitFor();
    await counts(opens, serverMs + 95_000);
    await leap(30);
    await counts(opens, serverMs + 95_000);
    await page.evaluate(() => Object.defineProperty(navigator, "onLine", { get: () => false }));
    stub.set({ state: "called", number: 1234, claim_by_at_ms: serverMs + 60_000 });
    await claim.waitFor();
    await counts(claim, serverMs + 60_000);
    await leap(40);
    assert.equal(await page.locator("[data-baton=claim]").textContent(), "", "no promise that is over");
  });

  test("the countdown goes on as it was when somebody sets the device's clock while the page is open", async () => {
    const opensAtMs = Date.now() + 95_000;
    stub.status = stub.joined = { state: "hall", opens_at_ms: opensAtMs };
    await visit({ clock: true });
    const opens = page.locator("[data-baton=opens]").filter({ hasText: /Opens in .*sec/ });
    await opens.waitFor();
    // No answer says what time it is.
    stub.down = true;
    for (const byMs of [2 * 3_600_000, -2 * 3_600_000]) {
      await page.clock.setSystemTime(Date.now() + byMs);
      await page.clock.runFor(1_100);
      const [, min = 0, sec] = (await opens.textContent()).match(/(?:(\d+) min,? )?(\d+) sec/);
      const leftS = (opensAtMs - Date.now()) / 1_000;
      assert.ok(Math.abs(60 * min + Number(sec) - leftS) <= 6, `${min} min ${sec} s are shown, ${leftS} s are left`);
    }
    // The browser asks again where a connection breaks.
    assert.ok(stub.count("GET status") >= 2, "and the server was asked what time it is");
  });

  test("who was drawn can check the draw by the entry, also after a reload; who came later is not asked to", async () => {
    stub.status = stub.joined = { state: "hall", draw: "shuffle", entry: 15 };
    await visit();
    const link = page.locator("[data-baton=draw]");
    await link.waitFor();
    assert.equal(new URL(await link.getAttribute("href"), stub.origin).href, `${stub.origin}/__baton/onsale/draw#15`);
    stub.set({ state: "waiting", number: 7, ahead: 6 });
    await ahead(6);
    assert.match(await link.getAttribute("href"), /draw#15$/);
    await page.reload();
    await ahead(6);
    await link.waitFor();
    assert.match(await link.getAttribute("href"), /draw#15$/);
    stub.set({ state: "waiting", number: 99, ahead: 50 });
    await ahead(50);
    assert.equal(await link.isVisible(), false, "this number was not drawn");
  });

  test("a longer wait says why, and the reason goes", async () => {
    await visit({ clock: true });
    await ahead(56);
    const why = page.locator("[data-baton=why]");
    stub.frame({ version: 2, low: 2_000_000, high: 3_000_000, line: lineAround(1234, 39) });
    await page.getByText("about 1–2 min").waitFor();
    assert.equal(await why.textContent(), "");
    stub.frame({ version: 3, low: 8_000_000, high: 9_000_000, line: lineAround(1234, 38) });
    await page.getByText("about 5–6 min").waitFor();
    assert.equal(await why.textContent(), "The line is moving more slowly than before.");
    // The time alone: no ping is due, whose pong could come too late for a clock that leaps.
    await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + 61_000);
    stub.frame({ version: 4, low: 8_000_000, high: 9_000_000, line: lineAround(1234, 37) });
    await ahead(37);
    assert.equal(await why.textContent(), "");
  });

  test("a lost connection says since when, and a line that does not answer says so", async () => {
    await visit({ clock: true });
    await ahead(56);
    await page.clock.setFixedTime(new Date(2026, 10, 21, 14, 5));
    stub.down = true;
    for (const socket of stub.sockets) socket.terminate();
    await once(stub, "closed");
    await page.clock.runFor(7_000);
    await page
      .getByText(/No connection since (14:05|2:05 PM). Your place is kept/)
      .first()
      .waitFor();
    assert.equal(await page.locator("[data-baton=heard]").isVisible(), false);
  });

  test("truly back by the browser's own cache, if it keeps the page, or by a new load: the place is there", async () => {
    await visit();
    await ahead(56);
    await page.evaluate(() => addEventListener("pageshow", ({ persisted }) => (window.persisted = persisted)));
    stub.shopPage = "<!doctype html><title>Elsewhere</title>";
    await page.goto(`${stub.origin}/shop/elsewhere`);
    stub.set(waiting(20));
    await page.goBack();
    await ahead(20);
    assert.equal(await page.locator("[data-baton=number]").textContent(), "1234");
  });
});
