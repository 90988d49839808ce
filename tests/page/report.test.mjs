/* The report in Chromium: made at the desk by the WebAssembly that ships, from a room's journal; and how the pages look to whoever reads
 * them, on a phone, in the dark, on paper. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { pageOf } from "../../web/report/page.js";
import { startWorld } from "../runtime/support/world.mjs";
import { DESKTOP, PHONE, launch, newPage } from "./browser.mjs";

const TOKEN = "an operator's token that nobody guesses";
const BOUND = { timeout: 60_000 };
const sale = JSON.parse(readFileSync(new URL("../report/sale.json", import.meta.url), "utf8"));
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** A desk whose room has one inside and two in line. */
async function desk(t) {
  const world = await startWorld(t, { room: { permits: 1, linger_s: 60 }, vars: { BATON_ADMIN_TOKEN: TOKEN } });
  for (const name of ["holder", "one", "two"]) {
    const visitor = world.visitor({ name });
    await visitor.arrive();
    if (name === "holder") await visitor.arrive();
    else await visitor.openSocket();
  }
  const { context, page, complaints } = await newPage(browser, { viewport: DESKTOP, expectNetworkErrors: true, acceptDownloads: true });
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${new URL(world.url).origin}/__baton/admin/`);
  await page.getByLabel("Operator's token").fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("article").waitFor();
  await page.locator("article h2", { hasText: "2 waiting" }).waitFor();
  await page.locator("details.report summary").click();
  return { page, asked, world };
}

const textOf = async (download) => readFileSync(await download.path(), "utf8");

test("one click saves the report, made in the browser; its journal is offered beside it", BOUND, async (t) => {
  const { page, asked } = await desk(t);
  assert.ok(!asked.some((path) => /reporter|report\.\w+\.wasm|journal/.test(path)), asked.join("\n"));
  const [report] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Report" }).click()]);
  assert.match(report.suggestedFilename(), /^onsale-\d{4}-\d\d-\d\d-report\.html$/);
  const html = await textOf(report);
  assert.match(html, /3 people came, 1 got in\./);
  assert.match(html, /The audit found nothing wrong/);
  await page.locator(".report p", { hasText: /nothing wrong in \d+ rows/ }).waitFor();
  const [journal] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "its journal" }).click()]);
  const rows = (await textOf(journal))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(rows[0].baton_journal, 1);
  assert.ok(html.includes(rows.at(-1).hash), "the fingerprint is the last row's");
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations, []);
});

test("a room's sales stand side by side, at the desk and in the report", BOUND, async (t) => {
  const { page, world } = await desk(t);
  const address = new URL("/__baton/admin/rooms/onsale", world.url);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const etag = (await fetch(address, { headers })).headers.get("etag");
  const body = JSON.stringify({ room: "onsale" });
  const answer = await fetch(`${address}/reset`, { method: "POST", headers: { ...headers, "if-match": etag }, body });
  assert.equal(answer.status, 200, await answer.text());
  const visitor = world.visitor({ name: "later" });
  await visitor.arrive();
  await visitor.arrive();
  const [report] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Report" }).click()]);
  const html = await textOf(report);
  assert.match(html, /1 people came, 1 got in\./);
  const table = page.getByRole("region", { name: "Beside other sales" });
  await table.waitFor();
  assert.equal(await table.locator("thead th").count(), 3);
  assert.deepEqual(await table.locator("tbody tr", { hasText: "Came" }).first().locator("td").allTextContents(), ["1", "3"]);
  assert.ok(html.includes("Beside other sales"));
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations, []);
});

test("what goes wrong is said, and the button can be pressed again", BOUND, async (t) => {
  const { page } = await desk(t);
  await page.context().route("**/journal?after=*", (route) => route.fulfill({ status: 503, json: { error: { message: "the room is away" } } }));
  await page.getByRole("button", { name: "Report" }).click();
  await page.locator(".report p", { hasText: "There is no report: the room is away" }).waitFor();
  await page.context().unroute("**/journal?after=*");
  await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Report" }).click()]);
});

for (const isPublic of [false, true]) {
  for (const [name, viewport, colorScheme] of [
    ["a phone", PHONE, "light"],
    ["a phone at night", PHONE, "dark"],
    ["a desk", DESKTOP, "light"],
    ["a desk at night", DESKTOP, "dark"],
  ]) {
    test(`the ${isPublic ? "public page" : "report"} on ${name}: nothing to complain of, nothing beside the screen`, BOUND, async (t) => {
      const { context, page, complaints } = await newPage(browser, { viewport, colorScheme });
      t.after(() => context.close());
      for (const lang of ["en", "ja"]) {
        await page.setContent(pageOf({ ...sale, is_public: isPublic }, { lang, timeZone: "Asia/Tokyo" }));
        const { violations } = await new AxeBuilder({ page }).analyze();
        assert.deepEqual(
          violations.map(({ id, nodes }) => [id, nodes[0].html]),
          [],
        );
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${lang} is too wide`);
        const labels = await page.locator(".chart text").evaluateAll(
          (all) =>
            all
              .filter((one) => getComputedStyle(one).display !== "none")
              .map((one) => one.getBoundingClientRect())
              .filter(({ left, right }) => left < -1 || right > innerWidth + 1).length,
        );
        assert.equal(labels, 0, `${lang}: labels beside the screen`);
      }
      assert.deepEqual(complaints, []);
    });
  }
}

test("on paper it is dark on white, and what only a screen can do is left out", BOUND, async (t) => {
  const { context, page } = await newPage(browser, { viewport: DESKTOP, colorScheme: "dark" });
  t.after(() => context.close());
  await page.setContent(pageOf(sale, { timeZone: "UTC" }));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const [ground, ink] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
  assert.deepEqual([ground, ink], ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
  assert.ok(await page.locator(".tables").isHidden());
});
