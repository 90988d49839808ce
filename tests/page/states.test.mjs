/* Every state of the gallery as a visitor sees it, in every language, scheme and width, and as axe judges it. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { locales } from "../../scripts/assets.mjs";
import { startGallery } from "../../scripts/gallery.mjs";
import { STATES } from "../../scripts/gallery/states.mjs";
import { DESKTOP, PHONE, launch, newPage } from "./browser.mjs";
import { Stub } from "./stub.mjs";

const LOCALES = Object.fromEntries((await locales()).map((texts) => [texts.lang, texts]));
/** Languages in which every state is judged by axe, in both schemes; the others on one phone. */
const JUDGED = ["en", "ja", "ar"];
/** A wide screen has nothing that a phone has not; these have all of its parts. */
const ON_DESKTOP = ["waiting", "paused", "called", "left", "branded", "hall"];

/** The text on the screen, what overflows, and which places are shown empty. */
function look() {
  const visible = (element) => element.checkVisibility();
  const all = (selector) => [...document.querySelectorAll(selector)].filter(visible);
  return {
    text: document.body.innerText,
    headings: all("h1").length,
    empty: all("[data-baton]:not(progress, [data-baton=host]), dd, h1, .note, .button").filter((element) => !element.innerText.trim()).map((element) => element.outerHTML),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    small: all("a, button, summary").filter((element) => element.getBoundingClientRect().height < 24).map((element) => element.outerHTML),
    braces: /\{|\[\[|\b(undefined|NaN|null)\b/.test(document.body.innerText),
  };
}

/** axe in the page itself: the page has no frames, and a window for every analysis would take most of the time. */
async function judge(page) {
  return (await new AxeBuilder({ page }).setLegacyMode(true).analyze()).violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

const squeeze = (text) => text.replace(/\s+/g, " ");
/** What is written around placeholders. */
const fragments = (text) => text.split(/\{+\w+\}+/).map((part) => squeeze(part).trim()).filter((part) => part.length > 1);

function check(seen, name, lang, alive = true) {
  const { says, hides = [], shows = [], text = [], live = [], plain = says } = STATES[name];
  const words = LOCALES[lang], there = squeeze(seen.text);
  for (const key of alive ? says : plain) assert.ok(there.includes(squeeze(words[key])), `${key} in ${there}`);
  for (const key of hides) assert.ok(!there.split("\n").includes(words[key]) && !there.includes(`${words[key]} `), `no ${key} in ${there}`);
  for (const part of text) assert.ok(there.includes(part), `${part} in ${there}`);
  for (const number of shows) {
    const shown = alive ? squeeze(new Intl.NumberFormat(lang).format(number)) : String(number);
    assert.ok(there.includes(shown), `${shown} in ${there}`);
  }
  if (alive) for (const key of live) for (const part of fragments(words.js[key])) assert.ok(there.includes(part), `${part} in ${there}`);
  assert.equal(seen.headings, 1);
  assert.deepEqual(seen.empty, []);
  assert.equal(seen.overflow, 0, "horizontal scroll");
  assert.equal(seen.braces, false, seen.text);
  assert.deepEqual(seen.small, [], "too small to touch");
}

describe("states", () => {
  let browser, gallery;
  before(async () => {
    browser = await launch();
    gallery = await startGallery();
  });
  after(async () => {
    await browser.close();
    await gallery.close();
  });

  async function open(page, lang, name) {
    await page.goto(`${gallery.url}/${lang}/${name}`);
    await page.locator("html[data-live]").waitFor();
    const { link } = STATES[name];
    if (link) await page.locator({ cookies: "[data-state=cookies]", busy: "[data-link=busy]", lost: "[data-state=unreachable], [data-link=lost]" }[link]).waitFor();
  }

  async function walk(t, lang, { colorScheme = "light", viewport = PHONE, names = Object.keys(STATES), axe = true } = {}) {
    const { context, page, complaints } = await newPage(browser, { colorScheme, viewport, expectNetworkErrors: true });
    for (const name of names) {
      await t.test(name, async () => {
        await open(page, lang, name);
        const html = page.locator("html");
        assert.deepEqual([await html.getAttribute("lang"), await html.getAttribute("dir")], [lang, LOCALES[lang].dir]);
        check(await page.evaluate(look), name, lang);
        if (axe) assert.deepEqual(await judge(page), []);
        if (viewport !== PHONE) return;
        await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
        assert.equal((await page.evaluate(look)).overflow, 0, "horizontal scroll with text at 200 %");
      });
    }
    assert.deepEqual(complaints, []);
    await context.close();
  }

  for (const lang of JUDGED) {
    for (const colorScheme of ["light", "dark"]) {
      test(`${lang}, ${colorScheme}, phone`, (t) => walk(t, lang, { colorScheme }));
      test(`${lang}, ${colorScheme}, desktop`, (t) => walk(t, lang, { colorScheme, viewport: DESKTOP, names: ON_DESKTOP }));
    }
  }
  for (const lang of Object.keys(LOCALES).filter((lang) => !JUDGED.includes(lang))) {
    test(`${lang}, phone`, (t) => walk(t, lang, { axe: false }));
  }

  for (const lang of JUDGED) {
    test(`when JavaScript is unavailable, ${lang}`, async (t) => {
      const { context, page, complaints } = await newPage(browser, { javaScriptEnabled: false });
      for (const name of Object.keys(STATES)) {
        await t.test(name, async () => {
          await page.goto(`${gallery.url}/${lang}/${name}`);
          check(await page.evaluate(look), name, lang, false);
          assert.equal(await page.locator("meta[http-equiv=refresh]").getAttribute("content"), "20");
          assert.equal(await page.locator("progress").isVisible(), false);
        });
      }
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }

  for (const wish of [{ forcedColors: "active" }, { contrast: "more" }, { reducedMotion: "reduce" }]) {
    test(`${Object.keys(wish)[0]}: nothing gets lost`, async () => {
      const { context, page } = await newPage(browser, wish);
      for (const name of ["waiting", "called", "paused", "left"]) {
        await open(page, "en", name);
        check(await page.evaluate(look), name, "en");
        assert.deepEqual(await judge(page), [], name);
      }
      await open(page, "en", "arriving");
      const animation = await page.locator("main > .dots i").first().evaluate((dot) => getComputedStyle(dot).animationName);
      assert.equal(animation, wish.reducedMotion ? "none" : "breathe");
      await context.close();
    });
  }

  test("everything can be reached and pressed by keyboard, and shows where it is", async () => {
    const { context, page } = await newPage(browser, { viewport: DESKTOP });
    await open(page, "en", "branded");
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

  async function served(status, options) {
    stub = await new Stub().open();
    Object.assign(stub, { status });
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

  test("numbers move without a word of markup from the server", async () => {
    const { context, page, complaints } = await served(WAITING);
    await page.locator("html[data-live]").waitFor();
    await stub.called("socket resume");
    stub.set({ ...WAITING, message: "<img src=x onerror=alert(1)>" });
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(complaints, []);
    await context.close();
    await stub.close();
  });
});
