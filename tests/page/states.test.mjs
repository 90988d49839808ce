/* Every state of the gallery in English as a visitor sees it, in every scheme and width, and as axe judges it. The other languages:
 * languages.test.mjs. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DESKTOP, launch, newPage } from "./browser.mjs";
import { STATES } from "../../scripts/gallery/states.mjs";
import { Stub } from "./stub.mjs";
import { check, judge, look, startWalks } from "./walk.mjs";

describe("states", () => {
  let walks;
  before(async () => {
    walks = await startWalks();
  });
  after(() => walks.close());

  for (const colorScheme of ["light", "dark"]) {
    test(`en, ${colorScheme}, phone`, (t) => walks.walk(t, "en", { colorScheme }));
    test(`en, ${colorScheme}, desktop`, (t) => walks.walk(t, "en", { colorScheme, viewport: DESKTOP }));
  }
  test("when JavaScript is unavailable, en", (t) => walks.walkWithoutScript(t, "en"));

  for (const javaScriptEnabled of [true, false]) {
    test(`without the style sheet every state still says one thing, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const styled = await newPage(walks.browser, { javaScriptEnabled });
      const bare = await newPage(walks.browser, { javaScriptEnabled, expectNetworkErrors: true });
      await bare.page.route("**/*.css", (route) => route.fulfill({ status: 404 }));
      const heads = (page) => page.locator(".head :is(h1, p):visible, .note:visible, .ticket .next:visible").allInnerTexts();
      for (const name of Object.keys(STATES)) {
        for (const { page } of [styled, bare]) await (javaScriptEnabled ? walks.open : walks.goto)(page, "en", name);
        assert.equal(await bare.page.locator("h1:visible").count(), 1, name);
        assert.equal(await bare.page.locator("h1:visible").innerText(), await styled.page.locator("h1:visible").innerText(), name);
        // The style sheet alone hides the sentence in whose place the operator's word for a pause stands.
        const all = await heads(styled.page);
        const untrue = (await heads(bare.page)).filter((text) => !all.includes(text) && name !== "paused-own");
        assert.deepEqual(untrue, [], name);
      }
      await Promise.all([styled, bare].map(({ context }) => context.close()));
    });
  }

  for (const wish of [{ forcedColors: "active" }, { contrast: "more" }, { reducedMotion: "reduce" }]) {
    test(`${Object.keys(wish)[0]}: nothing gets lost`, async () => {
      const { context, page } = await newPage(walks.browser, wish);
      for (const name of ["waiting", "called", "paused", "left"]) {
        await walks.open(page, "en", name);
        check(await page.evaluate(look), name, "en");
        assert.deepEqual(await judge(page), [], name);
      }
      await walks.open(page, "en", "arriving");
      const animation = await page
        .locator("main > .dots i")
        .first()
        .evaluate((dot) => getComputedStyle(dot).animationName);
      assert.equal(animation, wish.reducedMotion ? "none" : "breathe");
      await context.close();
    });
  }

  test("everything can be reached and pressed by keyboard, and shows where it is", async () => {
    const { context, page } = await newPage(walks.browser, { viewport: DESKTOP });
    await walks.open(page, "en", "branded");
    const reached = [];
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press("Tab");
      const focused = await page.evaluate(() => {
        const element = document.activeElement;
        return element === document.body ? null : { text: element.innerText.trim(), outline: getComputedStyle(element).outlineStyle };
      });
      if (!focused) break;
      assert.equal(focused.outline, "solid", focused.text);
      reached.push(focused.text);
      if (focused.text === "Leave the line") await page.keyboard.press("Enter");
    }
    for (const text of ["Leave the line", "Give up my place", "Help", "English"]) assert.ok(reached.includes(text), `${text} in ${reached}`);
    await context.close();
  });
});

describe("words", () => {
  let browser, stub;
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());

  async function served(status, options, page = {}) {
    stub = await new Stub().open();
    Object.assign(stub, { status, page });
    const visit = await newPage(browser, options);
    await visit.page.goto(`${stub.origin}/buy?x=1`);
    return visit;
  }
  const WAITING = { state: "waiting", number: 1234, ahead: 56 };

  test("when JavaScript is unavailable, the forms work", async () => {
    const { context, page } = await served({ state: "over", number: 1234, reason: "left" }, { javaScriptEnabled: false });
    stub.joined = { ...WAITING, number: 2000 };
    await page.getByRole("button", { name: "Take a new number" }).click();
    await page.getByText("2000").waitFor();
    assert.equal(page.url(), `${stub.origin}/buy?x=1`);
    assert.equal(await page.getByRole("button", { name: "Give up my place" }).isVisible(), false);
    await page.getByText("Leave the line").click();
    await page.getByRole("button", { name: "Give up my place" }).click();
    await page.getByText("You have left the line").waitFor();
    await context.close();
    await stub.close();
  });

  for (const javaScriptEnabled of [true, false]) {
    test(`the language is switched on the page and remembered, ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const { context, page, complaints } = await served(WAITING, { javaScriptEnabled });
      await page.locator("footer summary").click();
      await page.getByRole("button", { name: "日本語" }).click();
      await page.getByRole("heading", { name: "順番にご案内しています" }).waitFor();
      assert.equal(page.url(), `${stub.origin}/buy?x=1`);
      await page.goto(`${stub.origin}/buy?x=2`);
      await page.getByRole("heading", { name: "順番にご案内しています" }).waitFor();
      assert.equal(stub.count("POST language ja"), 1);
      assert.deepEqual(complaints, []);
      await context.close();
      await stub.close();
    });
  }

  test("the operator's text for a pause comes with the pause, is spoken, gives way to a message, and goes with the pause", async () => {
    const texts = { text_waiting: "Doors open at six.", text_paused: "We go on at three." };
    const { context, page, complaints } = await served(WAITING, {}, texts);
    const sentence = (text) => page.locator(".head p", { hasText: text });
    const shows = (text, other) => Promise.all([sentence(text).waitFor(), sentence(other).waitFor({ state: "hidden" })]);
    const [waiting, paused] = Object.values(texts);
    await page.locator("html[data-live]").waitFor();
    await stub.called("socket resume");
    await shows(waiting, paused);
    stub.set({ ...WAITING, mode: "paused" });
    await page.locator("#alert", { hasText: paused }).waitFor();
    await shows(paused, waiting);
    stub.set({ ...WAITING, mode: "paused", message: "The shop is being mended." });
    await shows(waiting, paused);
    stub.set({ ...WAITING, mode: "paused" });
    await shows(paused, waiting);
    stub.set(WAITING);
    await shows(waiting, paused);
    assert.deepEqual(complaints, []);
    await context.close();
    await stub.close();
  });

  test("numbers move without a word of markup from the server", async () => {
    const { context, page, complaints } = await served(WAITING);
    await page.locator("html[data-live]").waitFor();
    await stub.called("socket resume");
    stub.set({ ...WAITING, message: "<img src=x onerror=alert(1)>" });
    await page.locator("[data-baton=message]", { hasText: "<img src=x onerror=alert(1)>" }).waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(complaints, []);
    await context.close();
    await stub.close();
  });
});
