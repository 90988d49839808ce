/* The desk in Chromium: the ways to sign in that are configured, and who did what when. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { startIssuer } from "../runtime/support/issuer.mjs";
import { PHONE, launch } from "./browser.mjs";
import { openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 90_000 };
const VIEW = `view-${"x".repeat(40)}`;
const sha256 = (token) => createHash("sha256").update(token).digest("hex");
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const shot = async (page, name) => {
  if (process.env.BATON_SHOTS) await page.screenshot({ path: `${process.env.BATON_SHOTS}/${name}.png`, fullPage: true });
};

test("the door offers the provider, says why nobody came in, and leads to the rooms once somebody did", BOUND, async (t) => {
  const issuer = await startIssuer(t);
  // The provider's own page: one link back.
  issuer.breaks({
    "/authorize": (response, request) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<a href="${new URL(issuer.allow(`${issuer.url}${request.url}`), `http://${new URL(new URL(request.url, issuer.url).searchParams.get("redirect_uri")).host}`)}">Allow</a>`,
      );
    },
  });
  const vars = { OIDC: issuer.oidc, OPERATORS: [{ name: "mika", role: "view", email: "mika@example.com" }] };
  const { page, told } = await openDesk(browser, t, { vars });
  const provider = page.getByRole("link", { name: "Sign in with your organisation" });
  await provider.waitFor();
  assert.ok(await page.getByLabel("Operator's token").isVisible());
  assert.ok(await provider.evaluate((link) => link === document.activeElement), "the first way has the focus");
  await shot(page, "door");
  issuer.say({ email: "zoe@example.com" });
  await provider.click();
  await page.getByRole("link", { name: "Allow" }).click();
  await told("No operator has your address");
  await shot(page, "door-unknown");
  issuer.say({});
  await provider.click();
  await page.getByRole("link", { name: "Allow" }).click();
  await page.locator("article").waitFor();
  assert.equal(new URL(page.url()).hash, "", "what was said is gone from the address");
  assert.match(await page.locator("#who").textContent(), /^mika/);
  await page.locator("#menu summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await told("Signed out");
  await page.reload();
  await provider.waitFor();
  assert.deepEqual(
    (await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id),
    [],
  );
});

test("who did what when is a list, the newest first, and a file; an operator of a room sees the own alone", BOUND, async (t) => {
  const vars = { OPERATORS: [{ name: "noor", role: "view", rooms: ["onsale"], sha256: sha256(VIEW) }] };
  const { page, signIn, elsewhere } = await openDesk(browser, t, {
    vars,
    options: process.env.BATON_SHOTS ? { ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: "dark" } : {},
  });
  await signIn(VIEW);
  await page.locator("article").waitFor();
  await elsewhere({ permits: 3 });
  await elsewhere({ message: "Back at noon" });
  await page.locator("#menu summary").click();
  await page.getByRole("link", { name: "Who did what" }).click();
  const rows = page.locator("#history .done li");
  await rows.nth(1).waitFor();
  const texts = await rows.evaluateAll((all) => all.map((row) => [...row.children].slice(1).map((part) => part.textContent)));
  assert.deepEqual(texts, [
    ["operator", "onsale: changed", 'message "Back at noon"'],
    ["operator", "onsale: changed", "permits 3"],
  ]);
  await shot(page, "history");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Save as CSV" }).click()]);
  const text = readFileSync(await download.path(), "utf8");
  assert.match(text, /^at,by,room,does,what,row\r\n[^,]+,operator,onsale,change,/);
  assert.deepEqual(
    (await new AxeBuilder({ page }).analyze()).violations.map(({ id }) => id),
    [],
  );
});
