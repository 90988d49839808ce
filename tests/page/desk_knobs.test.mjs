/* What an operator turns at the desk, in Chromium, on the built worker: permits, pause, ramps, with the keyboard alone and by one tap. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 300_000 };
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const desk = (t, options) => openDesk(browser, t, options);

test("permits are changed after a question, with the keyboard alone, undone, and cleared", BOUND, async (t) => {
  const { page, unfolded, signIn, set, yes, figure, knob, told, line } = await desk(t);
  await signIn();
  await unfolded("settings");
  await figure("permits", "1");
  await set("permits", "2");
  await page.getByText("permits of onsale: 1 → 2?").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await knob("permits").locator("input").first().inputValue(), "2");
  await figure("permits", "1");
  await knob("permits").locator("input").first().focus();
  await page.keyboard.press("Enter");
  await page.locator("#confirm[open] #yes:enabled").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await told("permits of onsale was set to 2");
  await figure("permits", "2");
  await line[0].waitForState("called");
  await knob("permits").getByText("live, by operator").waitFor();
  await page.locator(".undo-now button", { hasText: "Undo: permits back to 1" }).click();
  await told("onsale: permits back to 1");
  await figure("permits", "1");
  await knob("permits").getByText("from the file").waitFor();
  await set("permits", "3");
  await yes();
  await figure("permits", "3");
  await knob("permits").getByRole("button", { name: "Back to the file's" }).click();
  await yes();
  await figure("permits", "1");
});

test("with the keyboard alone one pauses, reads what follows, and lets the line move again", BOUND, async (t) => {
  const { page, signIn, told, figure } = await desk(t);
  await signIn();
  await figure("waiting", "2");
  await page.keyboard.press("p");
  await page.getByText("Pause onsale?").waitFor();
  await page.locator("#consequence li", { hasText: "Nobody is called any more. 1 inside stay and finish." }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#confirm:not([open])").waitFor({ state: "attached" });
  await page.locator(".say.well").waitFor();
  await page.keyboard.press("p");
  await page.locator("#confirm[open] #yes:enabled").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await told("mode of onsale was set to paused");
  await page.locator(".say.look h2", { hasText: "Paused: nobody is called, 2 keep their places; 1 inside." }).waitFor();
  // By the button this time, as it is reached with Tab.
  await page.getByRole("button", { name: "Let it move" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("#confirm[open] #yes:enabled").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await told("mode of onsale was set to open");
  await page.keyboard.press("u");
  await told("onsale: mode back to paused");
});

test("a key counts as soon as a question is closed, also while what had the focus in it still has", BOUND, async (t) => {
  const { page, signIn, figure } = await desk(t);
  await signIn();
  await figure("waiting", "2");
  await page.keyboard.press("p");
  await page.locator("#confirm[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#confirm:not([open])").waitFor({ state: "attached" });
  await page.locator("#no").dispatchEvent("keydown", { key: "p" });
  await page.locator("#confirm[open]").waitFor();
});

test("fewer permits by one tap: what follows, done, and the line owes nobody", BOUND, async (t) => {
  const { page, signIn, yes, figure, told } = await desk(t, { room: { permits: 3 }, waiting: 0 });
  await signIn();
  await figure("permits", "3");
  await page.getByRole("button", { name: "Fewer" }).click();
  assert.equal(await page.locator("#fields").getByLabel("Permits", { exact: true }).inputValue(), "2");
  await page.locator("#consequence li", { hasText: "3 → 2 permits." }).waitFor();
  await page.locator("#consequence li", { hasText: "not known yet" }).waitFor();
  await yes();
  await told("permits of onsale was set to 2");
  await figure("permits", "2");
});

test("permits rise on a ramp, which is shown, and an undo ends it", BOUND, async (t) => {
  const { page, unfolded, signIn, set, yes, figure, knob, line } = await desk(t);
  await signIn();
  await unfolded("settings");
  await figure("permits", "1");
  await knob("permits").getByLabel("Over (seconds)").fill("3");
  await set("permits", "4");
  await page.getByText("permits of onsale: 1 → 4 over 3 s?").waitFor();
  await yes();
  await knob("permits").getByText("by operator, on the way from 1 to 4").waitFor();
  await line[0].waitForState("called");
  await figure("permits", "4");
  await page.locator(".undo-now button", { hasText: "Undo: permits back to 1" }).click();
  await figure("permits", "1");
});
