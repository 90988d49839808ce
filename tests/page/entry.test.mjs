// Entry tokens in a real browser, on the real runtime: by link into the line, why there is no number, and the button for a place
// that is on another device. With JavaScript and without.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { claimsOf, entry, shopKeys } from "../support/entry.mjs";
import { eventually, startWorld } from "../runtime/support/world.mjs";
import { launch, newPage } from "./browser.mjs";

const keys = shopKeys();
const BOUND = { timeout: 120_000 };
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function begin(t, room = {}, options = {}) {
  const vars = { ENTRY_KEYS: JSON.stringify([keys.shared]) };
  const world = await startWorld(t, { vars, room: { entry: "required", permits: 0, linger_s: 60, ...room } });
  const { page, context, complaints } = await newPage(browser, { expectNetworkErrors: true, ...options });
  t.after(() => context.close());
  const linkOf = (sub, more = {}) => `${world.url}?baton_entry=${entry(claimsOf(sub, `127.0.0.1:${world.baton.port}`, more))}`;
  /** Somebody inside on another device. */
  const inside = async (sub) => {
    const visitor = world.visitor();
    await visitor.request(linkOf(sub), { headers: { accept: "text/html" } });
    return eventually(
      async () => {
        const seen = await visitor.arrive();
        return seen.state === "shop" && seen.status === 200 && visitor;
      },
      { what: "the way in" },
    );
  };
  return { ...world, page, complaints, linkOf, inside };
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";

  test(`a link leads into the line and out of the address, ${how}`, BOUND, async (t) => {
    const { page, url, linkOf, complaints } = await begin(t, {}, { javaScriptEnabled });
    await page.goto(linkOf("anna"));
    await page.locator("body[data-state=waiting]").waitFor({ timeout: 30_000 });
    assert.equal(page.url(), url, "the token stands nowhere");
    assert.deepEqual(complaints, []);
  });

  test(`who has no token that counts is told why, and a link mends it, ${how}`, BOUND, async (t) => {
    const { page, url, linkOf, complaints } = await begin(t, {}, { javaScriptEnabled, locale: "de-DE" });
    const answer = await page.goto(url);
    assert.deepEqual([answer.status(), answer.headers()["content-language"]], [403, "de"]);
    await page.getByRole("heading", { name: "Bitte kommen Sie über den Shop" }).waitFor();
    await page.goto(linkOf("anna", { exp: 1_000 }));
    await page.getByRole("heading", { name: "Ihr Link gilt nicht mehr" }).waitFor();
    const soon = Math.floor(Date.now() / 1000) + 3_600;
    await page.goto(linkOf("anna", { nbf: soon, exp: soon + 600 }));
    await page.getByRole("heading", { name: "Sie sind früh dran" }).waitFor();
    assert.match(await page.locator(".opens").innerText(), javaScriptEnabled ? /59\s*Min\.|58\s*Min\./ : /59 Min\./);
    await page.goto(linkOf("anna"));
    await page.locator("body[data-state=waiting]").waitFor({ timeout: 30_000 });
    assert.deepEqual(complaints, []);
  });

  test(`a place that is inside on another device comes by the button, ${how}`, BOUND, async (t) => {
    const { page, linkOf, inside, complaints } = await begin(t, { permits: 1 }, { javaScriptEnabled });
    const phone = await inside("anna");
    const { number } = phone;
    await page.goto(linkOf("anna"));
    const button = page.getByRole("button", { name: "Continue here" });
    await button.waitFor({ timeout: 60_000 });
    assert.equal((await phone.arrive()).state, "shop", "nothing has moved by itself");
    await button.click();
    await page.locator("body:not([data-state])").waitFor({ timeout: 30_000 });
    assert.ok((await page.content()).includes(String(number)), "the shop, with the same number");
    assert.deepEqual(complaints, []);
  });
}
