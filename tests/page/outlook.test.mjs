/* The outlook at the desk in Chromium: the forecast is made by the WebAssembly that ships, of figures that are given here. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { outlookOf as outlook } from "../../scripts/gallery/desk_outlook.mjs";
import { createKept } from "../../web/desk/kept.js";
import { startWorld } from "../runtime/support/world.mjs";
import { DESKTOP, PHONE, launch, newPage } from "./browser.mjs";

const TOKEN = "an operator's token that nobody guesses";
const BOUND = { timeout: 300_000 };
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** A desk whose room is empty; `told` is what it tells for a forecast, otherwise what the room does; `forecast` is made of it, otherwise a real one. `later`: what makes it is not built yet. */
async function desk(t, { told, forecast, later = false, options = {} } = {}) {
  const world = await startWorld(t, { room: { permits: 200 }, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  const { context, page, complaints } = await newPage(browser, { viewport: DESKTOP, expectNetworkErrors: true, ...options });
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  const asked = [];
  page.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  if (told) await page.route("**/outlook", (route) => route.fulfill({ json: told() }));
  const answers = `addEventListener("message", ({ data: { id } }) => { if (id) postMessage({ id, forecast: ${JSON.stringify(forecast)} }); });`;
  if (forecast) await page.route("**/forecaster*", (route) => route.fulfill({ contentType: "text/javascript", body: answers }));
  const isEmpty = async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/(data-(?:forecaster|advice|reporter|report)=)"[^"]*"/g, '$1""') });
  };
  if (later) await page.route("**/__baton/admin/", isEmpty);
  await page.goto(`${new URL(world.url).origin}/__baton/admin/`);
  await page.getByLabel("Operator's token").fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("article").waitFor();
  const part = (name) => page.locator(`.outlook [data-part="${name}"]`);
  const open = () => page.locator(".outlook summary").click();
  const says = (text) => part("says").filter({ hasText: text }).waitFor();
  return { page, part, open, says, asked };
}

test("nothing of a forecast is loaded before somebody opens it; then it says when the line ends, and changes nothing", BOUND, async (t) => {
  const { page, part, open, says, asked } = await desk(t, { told: outlook });
  await page.locator(".chart svg.plot").first().waitFor();
  assert.ok(!asked.some((call) => /forecaster|wasm|outlook/.test(call)), asked.join("\n"));
  await open();
  await says(/^At this pace the line ends at \d{1,2}:\d\d.*, between \d{1,2}:\d\d.* and \d{1,2}:\d\d/);
  await part("chart").locator("svg.plot").waitFor();
  assert.equal(await part("more").locator("li").count(), 3);
  assert.match(
    await part("more").textContent(),
    /120 to 200 people were inside at once in the last hour\. So it says what 120 to 220 permits would do/,
  );
  const slider = part("slider");
  assert.deepEqual([await slider.getAttribute("min"), await slider.getAttribute("max"), await slider.inputValue()], ["120", "220", "200"]);
  await slider.focus();
  const answered = (text) => part("answer").filter({ hasText: text }).waitFor();
  for (let presses = 0; presses < 40; presses++) await page.keyboard.press("ArrowLeft");
  await answered(/^With 160 permits the line ends at /);
  const less = await part("answer").textContent();
  await page.keyboard.press("End");
  await answered(/^With 220 permits the line ends at /);
  assert.notEqual(less.replace("160", "220"), await part("answer").textContent());
  assert.deepEqual(
    asked.filter((call) => /^(PATCH|PUT|DELETE)/.test(call)),
    [],
    "a forecast changes nothing",
  );
});

test("a line that does not end is said of the time that was looked ahead", BOUND, async (t) => {
  const never = { p10: null, p50: null, p90: null };
  const forecast = {
    silence: null,
    permits: 200,
    line_ends: never,
    newcomer: never,
    waiting: [],
    horizon_ms: 5_430_000,
    measured: { from: 0, to: 0, least: 0, most: 0, slows_above: null },
    stay_ms: 0,
  };
  const { open, says } = await desk(t, { told: outlook, forecast });
  await open();
  await says(/^At this pace the line does not end in the next 1 h 30 min\.$/);
});

test("a room of which too little is known says so, in its own words", BOUND, async (t) => {
  const { part, open, says } = await desk(t);
  await open();
  await says("Nobody waits.");
  assert.equal(await part("knob").isVisible(), false);
});

test("right after a first start the desk says that forecast and report are still being built", BOUND, async (t) => {
  const { page, open, says, asked } = await desk(t, { told: outlook, later: true });
  await open();
  await says("The forecast is not there yet: npm start is still building it.");
  await page.locator("details.report summary").click();
  await page.getByRole("button", { name: "Report" }).click();
  await page.locator(".report p", { hasText: "The report is not there yet: npm start is still building what makes it." }).waitFor();
  assert.ok(!asked.some((call) => /forecaster|reporter|wasm|journal/.test(call)), asked.join("\n"));
});

test("figures of another form, and a forecast that cannot be had, are said and not shown as numbers", BOUND, async (t) => {
  let form = 2;
  const { page, open, says } = await desk(t, { told: () => ({ ...outlook(), format: form }) });
  await open();
  await says("are of different versions");
  await open();
  form = "?";
  await open();
  await says("The forecast could not be made");
  assert.equal(await page.locator(".outlook svg").count(), 0);
});

test("what was said of now some time ago is held against what is", () => {
  const kept = createKept();
  const points = (p10, p90) =>
    [0, 300_000, 600_000, 900_000].map((afterMs) => ({ after_ms: afterMs, waiting: { p10: p10 + afterMs, p50: 0, p90: p90 + afterMs } }));
  kept.keep(points(-599_600, -599_480), 0);
  kept.keep(points(-599_700, -599_650), 60_000);
  kept.keep(points(0, 0).slice(0, 2), 70_000);
  assert.equal(kept.judge(599_999, 470), null);
  assert.deepEqual(kept.judge(600_000, 470), { agoMs: 600_000, from: 400, to: 520, waiting: 470, isRight: true });
  assert.deepEqual(kept.judge(660_000, 470), { agoMs: 600_000, from: 300, to: 350, waiting: 470, isRight: false });
  assert.equal(kept.judge(720_000, 470).agoMs, 660_000, "a minute late is still of now");
  assert.equal(kept.judge(720_001, 470), null, "the desk was shut for longer: nothing that was said is of now");
  for (let at = 0; at < 200; at++) kept.keep(points(0, 0), 1_000_000 + at);
  assert.equal(kept.judge(1_600_050, 1), null, "an hour of them, and no more");
});

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [PHONE, DESKTOP]) {
    test(`clean for axe and no wider than the screen: ${colorScheme}, ${viewport.width} px`, BOUND, async (t) => {
      const { page, open, part, says } = await desk(t, { told: outlook, options: { colorScheme, viewport, bypassCSP: true } });
      await open();
      await says("At this pace");
      await part("slider").fill("215");
      await part("answer").filter({ hasText: "With 215 permits" }).waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target).join(" ")]),
        [],
      );
      const { scrollWidth, clientWidth } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        clientWidth: document.documentElement.clientWidth,
      }));
      assert.ok(scrollWidth <= clientWidth, `${scrollWidth} > ${clientWidth}`);
      if (process.env.DESK_SHOTS)
        await page.screenshot({ path: `${process.env.DESK_SHOTS}/outlook-${colorScheme}-${viewport.width}.png`, fullPage: true });
    });
  }
}
