/* Leaving by the page's form: a page at an address of Baton's own says so and stays, and a new number leads back into the line. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test as anyTest } from "node:test";
import { launch, newPage } from "./browser.mjs";
import { Stub } from "./stub.mjs";

/** What is awaited here may never come when a page loads itself again. */
const test = (name, body) => anyTest(name, { timeout: 300_000 }, body);
const AGAIN = { state: "waiting", number: 1235, ahead: 57, waiting: 91 };

describe("after leaving", () => {
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

  async function leaves({ clock = false, path = "/buy/seats?row=4", ...options } = {}) {
    ({ context, page, complaints } = await newPage(browser, { expectNetworkErrors: true, ...options }));
    if (clock) await page.clock.install();
    await page.goto(stub.origin + path);
    await page.getByText("56", { exact: true }).waitFor();
    await page.locator("details summary").first().click();
    await page.getByRole("button", { name: "Give up my place" }).click();
    await left();
  }
  /** Notes where the page goes from here on, as soon as it sets out. */
  const watched = () => page.evaluate(() => navigation.addEventListener("navigate", ({ destination }) => (sessionStorage.went = destination.url)));
  const went = () => page.evaluate(() => sessionStorage.went);
  const left = () => page.getByRole("heading", { name: "You have left the line" }).waitFor();
  const heading = (name) => page.getByRole("heading", { name, exact: true }).waitFor();
  const address = () => page.url().slice(stub.origin.length);
  const PAGE = "/__baton/onsale/left?to=%2Fbuy%2Fseats%3Frow%3D4";

  test("a new number leads into the line at the page that was left, and the call leads in", async () => {
    await leaves();
    assert.equal(address(), PAGE);
    stub.joined = AGAIN;
    await page.getByRole("button", { name: "Take a new number" }).click();
    await page.getByText("1235", { exact: true }).waitFor();
    assert.equal(address(), "/buy/seats?row=4");
    stub.inside = true;
    stub.set({ state: "called", number: 1235 });
    await heading("Inside");
    assert.deepEqual([stub.count("POST leave"), stub.count("POST join"), stub.count("inside")], [1, 1, 1], "nothing was sent twice");
  });

  test("a page that answered a form leads to the page that sent it, and its own forms know that page", async () => {
    ({ context, page, complaints } = await newPage(browser, { expectNetworkErrors: true }));
    stub.shopPage = `<form method="post" action="/buy/order"><button>Order</button></form>`;
    await page.goto(`${stub.origin}/shop`);
    stub.template = { back: "/buy/seats?row=4", to: "?to=%2Fbuy%2Fseats%3Frow%3D4" };
    await page.getByRole("button", { name: "Order" }).click();
    await page.getByText("56", { exact: true }).waitFor();
    assert.equal(address(), "/buy/order");
    await page.locator("details summary").first().click();
    await page.getByRole("button", { name: "Give up my place" }).click();
    await left();
    assert.equal(address(), PAGE);
    stub.joined = AGAIN;
    await page.getByRole("button", { name: "Take a new number" }).click();
    await page.getByText("1235", { exact: true }).waitFor();
    assert.equal(address(), "/buy/seats?row=4");
  });

  test("the turn leads from a page that answered a form to its sender, or claims first where its sender is not gated", async () => {
    for (const [more, calls, to] of [
      [{}, 0, "/buy/seats?row=4"],
      [{ start: "/shop?first" }, 1, "/shop?first"],
    ]) {
      ({ context, page, complaints } = await newPage(browser, { expectNetworkErrors: true }));
      Object.assign(stub, { status: { state: "none" }, inside: false, calls: [], template: {} });
      stub.shopPage = `<title>Shop</title><h1>Shop</h1><form method="post" action="/buy/order"><button>Order</button></form>`;
      await page.goto(`${stub.origin}/shop`);
      stub.template = { back: "/buy/seats?row=4", ...more };
      await page.getByRole("button", { name: "Order" }).click();
      await page.getByText("56", { exact: true }).waitFor();
      stub.inside = true;
      stub.set({ state: "called", number: 1234 });
      await page.waitForURL(stub.origin + to);
      assert.deepEqual([stub.count("POST claim"), stub.count("page by POST")], [calls, 1]);
      assert.equal(stub.count("inside by POST"), 0, "the form is not sent again");
      if (calls === 0) await context.close();
    }
  });

  test("the page stays: it asks nothing, and nothing loads it again", async () => {
    await leaves({ clock: true });
    const calls = stub.calls.length;
    await watched();
    stub.set({ state: "called", number: 1234 });
    await page.clock.runFor(120_000);
    for (const name of ["online", "pageshow"]) await page.evaluate((name) => dispatchEvent(new Event(name)), name);
    await page.evaluate(() => document.querySelectorAll("a[data-go]").forEach((link) => link.click()));
    await page.clock.runFor(120_000);
    assert.deepEqual([await went(), stub.calls.slice(calls)], [undefined, []]);
  });

  test("nor does it where the page's script is lost on the way", async () => {
    stub.lostAssets = /main\./;
    ({ context, page, complaints } = await newPage(browser, { expectNetworkErrors: true }));
    await page.clock.install();
    await page.goto(stub.origin + PAGE);
    await watched();
    await page.clock.runFor(120_000);
    assert.equal(await went(), undefined);
    await left();
  });

  test("another language is chosen there, and the page stays", async () => {
    await leaves();
    await page.getByText("English").click();
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.locator("html[lang=de]").waitFor();
    assert.equal(address(), PAGE);
    assert.equal(await page.locator("body").getAttribute("data-reason"), "left");
  });

  test("without scripts: the page has no refresh, and its button leads into the line", async () => {
    stub.noScript = true;
    stub.status = { state: "waiting", number: 1234, ahead: 56, waiting: 90 };
    await leaves({ javaScriptEnabled: false });
    assert.equal(await page.locator("meta[http-equiv=refresh]").count(), 0);
    stub.joined = AGAIN;
    await page.getByRole("button", { name: "Take a new number" }).click();
    await page.getByText("1235", { exact: true }).waitFor();
    assert.equal(address(), "/buy/seats?row=4");
    assert.equal(await page.locator("meta[http-equiv=refresh]").count(), 1);
  });
});
