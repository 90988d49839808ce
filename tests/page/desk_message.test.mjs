/* A long message at the desk on a phone: what is said of it stays short, and every control stays on the screen. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 300_000 };
const VIEWPORT = { width: 390, height: 844 };
const MESSAGE = "Please keep this page open and have your card ready. ".repeat(9).trim();
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

for (const by of ["the button", "the knob"]) {
  test(`a message of ${MESSAGE.length} characters, sent by ${by}, pushes nothing off a phone`, BOUND, async (t) => {
    const { page, signIn, figure, set, yes, told } = await openDesk(browser, t, { options: { viewport: VIEWPORT } });
    await signIn();
    await figure("waiting", "2");
    if (by === "the knob") await set("message", MESSAGE);
    else {
      await page.locator('[data-do="message"]').click();
      await page.locator("#fields textarea").fill(MESSAGE);
    }
    await yes();
    await told("Please keep this page open");
    await page.evaluate(() => scrollTo(0, 0));
    const { said, header, buttons } = await page.evaluate(() => ({
      said: document.getElementById("news").textContent,
      header: document.querySelector("header").getBoundingClientRect().height,
      buttons: [...document.querySelectorAll(".acts button")].map((button) => button.getBoundingClientRect().bottom),
    }));
    assert.ok(said.length < 100, said);
    assert.ok(header < 120, `the header is ${header} px high`);
    assert.ok(buttons.length >= 4 && Math.max(...buttons) <= VIEWPORT.height, `${buttons}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
  });
}

test("a message is written in other languages too, and said in one place", BOUND, async (t) => {
  const { page, signIn, figure, yes, told } = await openDesk(browser, t, { options: { viewport: VIEWPORT } });
  await signIn();
  await figure("waiting", "2");
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.locator('[data-do="message"]').click();
  await page.locator("#fields textarea").fill("Doors at ten");
  await page.locator("#fields select").selectOption("ja");
  await page.locator('#fields textarea[name="ja"]').fill("十時に開きます");
  assert.equal(await page.locator('#fields select option[value="ja"]').count(), 0, "a language is chosen once");
  if (process.env.DESK_SHOTS) await page.screenshot({ path: `${process.env.DESK_SHOTS}/message.png` });
  await yes();
  await told("Doors at ten (ja)");
  assert.deepEqual((await sent).postDataJSON(), { message: { any: "Doors at ten", ja: "十時に開きます" } });
  await page.locator('[data-do="message"]').click();
  assert.equal(await page.locator('#fields textarea[name="ja"]').inputValue(), "十時に開きます");
});
