/* Every state of the page, in every language, scheme and width: seen as a visitor sees it, and judged by axe. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { DESKTOP, PHONE, launch, newPage } from "./browser.mjs";
import { Stub } from "./stub.mjs";

const WAITING = { state: "waiting", number: 1234, ahead: 56, waiting: 90, eta_min_s: 200, eta_max_s: 290 };
const NONE = { state: "none" };
const over = (reason) => ({ status: { state: "over", number: 1234, reason } });
/** What the front serves; `does` is what must be on the screen, `not` what must not. */
const STATES = {
  arriving: { status: NONE, en: "Just a moment", ja: "少々お待ちください" },
  waiting: { status: WAITING, en: "You are in line", ja: "順番が来たら自動で進みます。", shows: ["1,234", "56"] },
  "waiting, nothing measured": { status: { state: "waiting", number: 7, ahead: 3 }, en: "You are in line", ja: "あなたの待ち番号", not: ["Estimated wait", "待ち時間の目安"] },
  "waiting, next": { status: { ...WAITING, ahead: 0 }, en: "You are next.", ja: "次があなたの順番です。" },
  "waiting, a million": { status: { ...WAITING, number: 12_345_678, ahead: 1_234_567 }, en: "People ahead", ja: "前にお待ちの方", shows: ["12,345,678"] },
  paused: { status: { ...WAITING, mode: "paused", message: "<b>Doors</b> at 18:00" }, en: "paused", ja: "一時停止", shows: ["<b>Doors</b> at 18:00"], not: ["Estimated wait", "待ち時間の目安"] },
  missed: { status: { ...WAITING, missed: true }, en: "We called you while you were away", ja: "一度お呼びしました" },
  "not submitted": { status: WAITING, template: { notice: "not_submitted" }, en: "was not submitted", ja: "受け付けられていません" },
  called: { status: { state: "called", number: 1234 }, en: "It is your turn", ja: "順番が来ました", shows: ["1,234"] },
  "called, nameless": { status: { state: "called" }, en: "It is your turn", ja: "順番が来ました", not: ["Your number", "あなたの待ち番号"] },
  admitted: { status: { state: "admitted", number: 1234 }, en: "Come on in", ja: "どうぞお進みください" },
  unreachable: { status: NONE, template: { state: "unreachable", status: "" }, down: true, en: "cannot be reached", ja: "接続できません" },
  left: { ...over("left"), en: "You have left the line", ja: "列を離れました" },
  "missed twice": { ...over("missed"), en: "We called you twice", ja: "2回お呼びしました" },
  away: { ...over("away"), en: "away for too long", ja: "長い間" },
  released: { ...over("released"), en: "Your visit is complete", ja: "ご利用が完了しました" },
  expired: { ...over("expired"), en: "Your time inside is over", ja: "ご利用時間が終了しました" },
  reset: { ...over("reset"), en: "The line was started again", ja: "順番待ちをやり直します" },
  "sold out": { ...over("sold_out"), en: "Sold out", ja: "完売しました", shows: [], not: ["Take a new number", "新しい待ち番号を取る"] },
  "over, no reason": { ...over(""), en: "Your number has ended", ja: "この待ち番号は無効になりました" },
};

/** A wide screen has nothing that a phone has not; these have all of its parts. */
const ON_DESKTOP = ["waiting", "paused", "called", "left"];

/** The text on the screen, what overflows, and which numbers are shown empty. */
function look() {
  const visible = (element) => element.checkVisibility();
  const all = (selector) => [...document.querySelectorAll(selector)].filter(visible);
  return {
    text: document.body.innerText,
    headings: all("h1").length,
    empty: all("[data-text]:not([data-text=host], [data-text=message]), dd, h1, .note, .button").filter((element) => !element.innerText.trim()).map((element) => element.outerHTML),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    braces: /\{\{|\[\[|undefined|NaN|null/.test(document.body.innerText),
  };
}

/** axe in the page itself: the page has no frames, and a window for every analysis would take most of the time. */
async function judge(page) {
  return await new AxeBuilder({ page }).setLegacyMode(true).analyze();
}

function check(seen, state, lang) {
  assert.ok(seen.text.includes(state[lang]), `${state[lang]} in ${seen.text}`);
  for (const text of state.shows ?? []) assert.ok(seen.text.includes(text), `${text} in ${seen.text}`);
  for (const text of state.not ?? []) assert.ok(!seen.text.includes(text), `no ${text} in ${seen.text}`);
  assert.equal(seen.headings, 1);
  assert.deepEqual(seen.empty, []);
  assert.equal(seen.overflow, 0, "horizontal scroll");
  assert.equal(seen.braces, false, seen.text);
}

describe("states", () => {
  let browser, stub;
  before(async () => {
    browser = await launch();
    stub = await new Stub().open();
  });
  after(async () => {
    await browser.close();
    await stub.close();
  });

  async function serve(name) {
    const { status, template = {}, down = false } = STATES[name];
    Object.assign(stub, { status, joined: status, template, down });
  }

  for (const [lang, locale] of [["en", "en-GB"], ["ja", "ja-JP"]]) {
    for (const colorScheme of ["light", "dark"]) {
      for (const [width, viewport] of [["phone", PHONE], ["desktop", DESKTOP]]) {
        test(`${lang}, ${colorScheme}, ${width}`, async (t) => {
          const { context, page, complaints } = await newPage(browser, { locale, colorScheme, viewport, expectNetworkErrors: true });
          // Offline, so that a called page stays where it can be looked at.
          await page.addInitScript(() => Object.defineProperty(navigator, "onLine", { get: () => false }));
          for (const name of viewport === PHONE ? Object.keys(STATES) : ON_DESKTOP) {
            await t.test(name, async () => {
              await serve(name);
              await page.goto(`${stub.origin}/buy`);
              await page.locator("html[data-live]").waitFor();
              check(await page.evaluate(look), STATES[name], lang);
              const { violations } = await judge(page);
              assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
              if (viewport === PHONE) {
                await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
                assert.equal((await page.evaluate(look)).overflow, 0, "horizontal scroll with text at 200 %");
              }
            });
          }
          assert.deepEqual(complaints, []);
          await context.close();
        });
      }
    }
  }

  for (const [lang, locale] of [["en", "en-GB"], ["ja", "ja-JP"]]) {
    test(`when JavaScript is unavailable, ${lang}`, async (t) => {
      const { context, page, complaints } = await newPage(browser, { locale, javaScriptEnabled: false });
      for (const [name, state] of Object.entries(STATES)) {
        await t.test(name, async () => {
          await serve(name);
          await page.goto(`${stub.origin}/buy`);
          const plain = { ...state, shows: state.shows?.map((text) => text.replace(/(?<=\d),(?=\d)/g, "")) };
          check(await page.evaluate(look), plain, lang);
          assert.equal(await page.locator("meta[http-equiv=refresh]").getAttribute("content"), "20");
          assert.equal(await page.locator("progress").isVisible(), false);
        });
      }
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }

  test("when JavaScript is unavailable, the forms work", async () => {
    const { context, page } = await newPage(browser, { javaScriptEnabled: false });
    await serve("left");
    stub.joined = { ...WAITING, number: 2000 };
    await page.goto(`${stub.origin}/buy?x=1`);
    await page.getByRole("button", { name: "Take a new number" }).click();
    await page.getByText("2000").waitFor();
    assert.equal(page.url(), `${stub.origin}/buy?x=1`);
    assert.equal(await page.getByRole("button", { name: "Give up my place" }).isVisible(), false);
    await page.getByText("Leave the line").click();
    await page.getByRole("button", { name: "Give up my place" }).click();
    await page.getByText("You have left the line").waitFor();
    await context.close();
  });

  test("with forced colours and with more contrast nothing gets lost", async () => {
    for (const wish of [{ forcedColors: "active" }, { contrast: "more" }, { reducedMotion: "reduce" }]) {
      const { context, page } = await newPage(browser, wish);
      await serve("waiting");
      await page.goto(`${stub.origin}/buy`);
      await page.locator("html[data-live]").waitFor();
      check(await page.evaluate(look), STATES.waiting, "en");
      assert.deepEqual((await judge(page)).violations.map(({ id }) => id), []);
      await serve("arriving");
      await page.goto(`${stub.origin}/buy`);
      const animation = await page.locator("main > .dots i").first().evaluate((dot) => getComputedStyle(dot).animationName);
      assert.equal(animation, wish.reducedMotion ? "none" : "breathe");
      await context.close();
    }
  });

  test("numbers move without a word of markup from the server", async () => {
    const { context, page, complaints } = await newPage(browser);
    await serve("waiting");
    await page.goto(`${stub.origin}/buy`);
    await page.locator("html[data-live]").waitFor();
    stub.set({ ...WAITING, message: "<img src=x onerror=alert(1)>" });
    await page.getByText("<img src=x onerror=alert(1)>").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
