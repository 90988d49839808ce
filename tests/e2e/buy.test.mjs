// The whole way of three people who want tickets and one permit, in a real browser: the page, the line, the call, the
// shop, the thank-you page. With and without JavaScript, in both languages, on a small phone.

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { PHONE, launch, newPage } from "../page/browser.mjs";
import { SOON_MS, scene, tellHowToReplay } from "../runtime/harness.mjs";

const WAY_MS = 180_000;
const LANGUAGES = {
  en: { locale: "en-GB", waiting: "You are in line", book: "Book now", thanks: "Thank you. See you there!" },
  ja: { locale: "ja-JP", waiting: "順番にご案内しています", book: "予約する", thanks: "ありがとうございます。会場でお待ちしています。" },
};

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Screenshots for people; where they are is printed. */
const shots = process.env.BATON_SHOTS ? mkdtempSync(path.join(os.tmpdir(), "baton-shots-")) : null;
if (shots) console.log(`screenshots: ${shots}`);
const shoot = (page, name) => shots && page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });

for (const [language, words] of Object.entries(LANGUAGES)) {
  for (const javaScript of [true, false]) {
    const title = `three buy with one permit, ${language}, ${javaScript ? "the page leads them" : "without JavaScript"}`;
    test(title, { timeout: WAY_MS }, async () => {
      // Without JavaScript the page looks every few seconds: the linger must be longer than that, as by default.
      const it = await scene({ permits: 1, linger_s: 30 });
      const contexts = [];
      try {
        const enter = async () => {
          const visit = await newPage(browser, { locale: words.locale, viewport: PHONE, javaScriptEnabled: javaScript });
          contexts.push(visit.context);
          await visit.page.goto(`${it.rt.url}/buy/`);
          return visit;
        };
        const name = `${language}-${javaScript ? "js" : "plain"}`;
        await buyAll({ it, enter, words, name });
        it.checkLaws();
      } catch (error) {
        tellHowToReplay(title, it.rt.logs());
        throw error;
      } finally {
        await Promise.all(contexts.map((context) => context.close()));
        await it.stop();
      }
    });
  }
}

async function buyAll({ it, enter, words, name }) {
  const first = await enter();
  await inShop(first, words);
  const [second, third] = [await inLine(await enter(), words, "2"), await inLine(await enter(), words, "3")];
  await shoot(third.page, `${name}-waiting`);
  await book(first, words);
  await inShop(second, words);
  await shoot(second.page, `${name}-shop`);
  assert.equal(await third.page.locator("body").getAttribute("data-state"), "waiting", "the third still waits");
  await book(second, words);
  await inShop(third, words);
  await book(third, words);
  await shoot(third.page, `${name}-thanks`);
  const { order, bookings, inside, inside_max: insideMax } = it.shop.stats();
  assert.deepEqual({ order, bookings, inside, insideMax }, { order: [1, 2, 3], bookings: 3, inside: 0, insideMax: 1 });
  for (const { complaints } of [first, second, third]) assert.deepEqual(complaints, [], "the console is quiet");
}

/** Waits until the page shows the shop's form, however it came there. */
async function inShop({ page }, words) {
  await page.getByRole("button", { name: words.book }).waitFor({ timeout: 2 * SOON_MS });
  await fits(page);
}

/** Sees the number and the words of waiting. */
async function inLine(visit, words, number) {
  const { page } = visit;
  await page.getByRole("heading", { name: words.waiting }).waitFor({ timeout: 2 * SOON_MS });
  const shown = page.locator("[data-baton=number]");
  await shown.filter({ hasText: number }).waitFor({ timeout: SOON_MS });
  assert.equal(await shown.innerText(), number);
  await fits(page);
  return visit;
}

async function book({ page }, words) {
  await page.getByRole("button", { name: words.book }).click();
  await page.getByText(words.thanks).waitFor({ timeout: SOON_MS });
  await fits(page);
}

/** Nothing is wider than the phone. */
async function fits(page) {
  const width = await page.locator("html").boundingBox();
  assert.ok(width.width <= PHONE.width, `${width.width} px wide`);
}
