/* Invitations and codes at the desk: what is said and sent, and in Chromium before a real room, from a sheet to the visitor who came by its link. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { inRoot } from "../../scripts/common.mjs";
import { codesOf, leadsTo, linkTo, sheetLine } from "../../web/desk/sheet_says.js";
import { LANGUAGES } from "../../web/desk/words.js";
import { createWriter } from "../../web/desk/written.js";
import { launch } from "./browser.mjs";
import { openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 300_000 };
const texts = JSON.parse(readFileSync(inRoot("web/desk/sheets_words.json"), "utf8"));
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("codes are read with their lines, and links lead to the room", () => {
  assert.deepEqual(codesOf("SUMMER-2027,3\n\n  abc-def-1 \n"), [
    { code: "SUMMER-2027", uses: 3, line: 1 },
    { code: "abc-def-1", uses: 1, line: 3 },
  ]);
  assert.equal(leadsTo({ paths: ["/buy/*"] }, "https://a.example"), "https://a.example/buy/");
  assert.equal(leadsTo({ hosts: ["*.b.example"], paths: ["/x", "/y/*"] }, "https://a.example"), "https://b.example/x");
  assert.equal(linkTo("https://a.example/buy/?seat=4#row", "tok"), "https://a.example/buy/?seat=4&baton_entry=tok");
});

test("a sheet is one line, and both languages have the same texts", () => {
  const write = createWriter("en", LANGUAGES.en);
  const line = (more) =>
    sheetLine(
      { sheet: 3, invitations: { count: 500 }, uses: 500, used: 12, lane: null, from_at_ms: 0, ends_at_ms: 2e12, ...more },
      1e12,
      texts.en,
      write,
    );
  assert.match(line({}), /^Sheet 3: 500 invitations, 12 used · until May 18, 2033/);
  assert.match(
    line({ invitations: undefined, codes: { count: 20 }, uses: 60, lane: "vip", from_at_ms: 1.5e12 }),
    /^Sheet 3: 20 codes for 60 places, 12 used · lane vip · from .* · until/,
  );
  assert.match(line({ ends_at_ms: 9e11 }), /over since/);
  const flat = (of, path = "") =>
    Object.entries(of).flatMap(([key, text]) =>
      typeof text === "object" ? flat(text, `${path}${key}.`) : [[path + key, [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()]],
    );
  assert.deepEqual(flat(texts.ja), flat(texts.en));
});

test("a sheet is made and its links saved; one of them takes a number; codes are refused by line; a sheet is withdrawn", BOUND, async (t) => {
  const { page, signIn, told, yes, unfolded, url } = await openDesk(browser, t, { waiting: 0, room: { entry: "optional" } });
  await signIn();
  await unfolded("sheets");
  const drawer = page.locator("details.sheets");
  await drawer.getByText("The room has no sheets yet.").waitFor();
  await drawer.getByLabel("How many", { exact: true }).fill("3");
  const [file] = await Promise.all([page.waitForEvent("download"), drawer.getByRole("button", { name: "Make a sheet" }).click()]);
  await told("Sheet 1 of onsale: 3 invitations.");
  const lines = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\n");
  assert.deepEqual([lines[0], lines.length], ["sheet,number,link", 4]);
  const [sheet, number, link] = lines[1].split(",");
  assert.deepEqual([sheet, number], ["1", "1"]);
  assert.equal(new URL(link).origin, new URL(url).origin);
  const came = await fetch(link, {
    headers: { accept: "text/html", "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" },
    redirect: "manual",
  });
  assert.ok([200, 303].includes(came.status), `${came.status}`);
  await drawer.getByText(/^Sheet 1: 3 invitations, 0 used/).waitFor();
  await drawer.locator("select[name=kind]").selectOption("codes");
  await drawer.getByLabel(/^The codes/).fill("SUMMER-2027,3\n\n?");
  await drawer.getByRole("button", { name: "Make a sheet" }).click();
  await drawer
    .getByRole("status")
    .getByText(/line 3/)
    .waitFor();
  await drawer.getByLabel(/^The codes/).fill("SUMMER-2027,3");
  await drawer.getByRole("button", { name: "Make a sheet" }).click();
  await told("Sheet 2 of onsale: 1 codes.");
  await drawer.getByText(/^Sheet 2: 1 codes for 3 places, 0 used/).waitFor();
  await drawer.locator("li", { hasText: "Sheet 2" }).getByRole("button", { name: "Withdraw" }).click();
  await yes();
  await told("Sheet 2 of onsale is withdrawn.");
  await drawer.getByText(/^Sheet 2/).waitFor({ state: "detached" });
});

test("a room that looks at none says so, and offers no form", BOUND, async (t) => {
  const { page, signIn, unfolded } = await openDesk(browser, t, { waiting: 0 });
  await signIn();
  await unfolded("sheets");
  await page.locator("details.sheets").getByText("This room accepts no invitation").waitFor();
  assert.equal(await page.locator("details.sheets form").isVisible(), false);
});
