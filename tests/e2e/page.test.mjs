// The page before the real worker: its language, its words from the configuration, a place that outlives tabs and
// restarts, and how long it takes from the call to the shop's first byte.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, newPage } from "../page/browser.mjs";
import { SOON_MS, scene, tellHowToReplay } from "../runtime/harness.mjs";

const WAY_MS = 180_000;
/** From the thank-you page of one to the shop's first byte for the next; a tenth of it is usual. */
const BATON_MS_MAX = 5_000;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function play(title, settings, story) {
  const it = await scene({ permits: 1, linger_s: 30, ...settings });
  const contexts = [];
  try {
    const enter = async (options) => {
      const visit = await newPage(browser, { expectNetworkErrors: true, ...options });
      contexts.push(visit.context);
      await visit.page.goto(`${it.rt.url}/buy/`);
      return visit;
    };
    await story(it, enter);
    it.checkLaws();
  } catch (error) {
    tellHowToReplay(title, it.rt.logs());
    throw error;
  } finally {
    await Promise.all(contexts.map((context) => context.close()));
    await it.stop();
  }
}

const shop = (page) => page.getByRole("button", { name: "Book now" }).waitFor({ timeout: SOON_MS });
const number = (page, text) => page.locator("[data-baton=number]").filter({ hasText: text }).waitFor({ timeout: SOON_MS });
const began = (page) => page.evaluate(() => performance.timeOrigin + performance.getEntriesByType("navigation")[0].responseStart);

const TURN = "a baton goes from browser to browser";
test(TURN, { timeout: WAY_MS }, () =>
  play(TURN, {}, async (it, enter) => {
    const first = await enter();
    await shop(first.page);
    const second = await enter();
    await number(second.page, "2");
    // In a turn of its own, so that what is measured is the pushed call and not the first status.
    await second.page.locator("[data-baton=heard]").filter({ hasText: "Connected" }).waitFor();
    await first.page.getByRole("button", { name: "Book now" }).click();
    await first.page.getByText("Thank you").first().waitFor({ timeout: SOON_MS });
    await shop(second.page);
    const ms = (await began(second.page)) - (await began(first.page));
    console.log(`from the first byte of “Thank you” to the shop's first byte for the next: ${ms.toFixed(0)} ms`);
    assert.ok(ms < BATON_MS_MAX, `${ms} ms`);
  }),
);

const KEPT = "the place outlives a closed tab and a second one; the language is remembered; the operator's words are there";
test(KEPT, { timeout: WAY_MS }, () =>
  play(KEPT, { page_title: "Spring <Tour>", page_message: "Four each & no more", page_help_url: "/help" }, async (it, enter) => {
    await shop((await enter()).page);
    const { context, page, complaints } = await enter({ locale: "sv-SE" });
    await number(page, "2");
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    assert.equal(await page.title(), "0 ahead – Spring <Tour> – Waiting room");
    await page.getByText("Four each & no more").waitFor();
    assert.equal(await page.getByRole("link", { name: "Help" }).getAttribute("href"), "/help");
    await page.locator("footer summary").click();
    await page.getByRole("button", { name: "العربية" }).click();
    await page.getByRole("heading", { name: "أنت في الطابور" }).waitFor();
    assert.equal(await page.locator("html").getAttribute("dir"), "rtl");
    await page.close();
    const again = await context.newPage(),
      beside = await context.newPage();
    for (const tab of [again, beside]) {
      await tab.goto(`${it.rt.url}/buy/?again`);
      await number(tab, "2");
      assert.equal(await tab.locator("html").getAttribute("lang"), "ar");
    }
    assert.deepEqual(complaints, []);
  }),
);
