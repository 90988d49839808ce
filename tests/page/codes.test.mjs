// A code in a real browser, on the real runtime: the form on the page that turns people away, with JavaScript and without.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startWorld } from "../runtime/support/world.mjs";
import { launch, newPage } from "./browser.mjs";

const ADMIN = "the operator's token of this test, long enough";
const BOUND = { timeout: 120_000 };
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "with scripts" : "without scripts";

  test(`a code that is typed on the page leads into the line, and a used or wrong one is told so, ${how}`, BOUND, async (t) => {
    const world = await startWorld(t, { vars: { BATON_ADMIN_TOKEN: ADMIN }, room: { entry: "required", permits: 0, linger_s: 60 } });
    const body = JSON.stringify({ codes: [{ code: "SUMMER-2027" }] });
    const made = await fetch(new URL("/__baton/admin/rooms/onsale/sheets", world.baton.url), {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN}` },
      body,
    });
    assert.equal(made.status, 201);
    const comes = async (locale) => {
      const { page, context, complaints } = await newPage(browser, { expectNetworkErrors: true, javaScriptEnabled, locale });
      t.after(() => context.close());
      await page.goto(world.url);
      return { page, complaints };
    };
    const anna = await comes("en-GB");
    await anna.page.getByRole("heading", { name: "Please come by way of the shop" }).waitFor();
    await anna.page.getByLabel("Do you have a code?").fill("no such code");
    await anna.page.getByRole("button", { name: "Join with the code" }).click();
    await anna.page.getByRole("heading", { name: "This invitation or code is not known" }).waitFor({ timeout: 30_000 });
    await anna.page.getByLabel("Do you have a code?").fill("summer 2027");
    await anna.page.keyboard.press("Enter");
    await anna.page.locator("body[data-state=waiting]").waitFor({ timeout: 30_000 });
    assert.equal(await anna.page.locator("form.code").count(), 0, "who waits loads no form");
    assert.equal(anna.page.url(), world.url);
    const bob = await comes("ja-JP");
    await bob.page.getByLabel("コードをお持ちですか？").fill("SUMMER-2027");
    await bob.page.getByRole("button", { name: "コードで並ぶ" }).click();
    await bob.page.getByRole("heading", { name: "この招待またはコードは使用済みです" }).waitFor({ timeout: 30_000 });
    for (const { complaints } of [anna, bob]) assert.deepEqual(complaints, []);
  });

  test(
    `a code moves its owner to the end of its lane where anybody may come, and a wrong one is told so and loses no place, ${how}`,
    BOUND,
    async (t) => {
      const lanes = [
        { name: "members", title: "Members" },
        { name: "everybody", title: "Everybody" },
      ];
      const world = await startWorld(t, {
        vars: { BATON_ADMIN_TOKEN: ADMIN },
        room: { entry: "optional", permits: 0, walk_in: false, linger_s: 60, lanes },
      });
      const body = JSON.stringify({ lane: "members", codes: [{ code: "SUMMER-2027" }] });
      const made = await fetch(new URL("/__baton/admin/rooms/onsale/sheets", world.baton.url), {
        method: "POST",
        headers: { authorization: `Bearer ${ADMIN}` },
        body,
      });
      assert.equal(made.status, 201);
      const { page, context, complaints } = await newPage(browser, { expectNetworkErrors: true, javaScriptEnabled });
      t.after(() => context.close());
      const placed = (lane) => page.locator(`body[data-state=waiting][data-number="1"][data-lane="${lane}"]`).waitFor({ timeout: 30_000 });
      await page.goto(world.url);
      await placed("Everybody");
      assert.equal(await page.getByText("This invitation or code is not known").isVisible(), false);
      await page.getByLabel("Do you have a code?").fill("no such code");
      await page.getByRole("button", { name: "Join with the code" }).click();
      await page.getByText("This invitation or code is not known").waitFor({ timeout: 30_000 });
      await placed("Everybody");
      await page.getByLabel("Do you have a code?").fill("summer 2027");
      await page.keyboard.press("Enter");
      await placed("Members");
      assert.equal(await page.locator("form.code").count(), 0, "who has shown a good one is asked no more");
      assert.equal(page.url(), world.url);
      assert.deepEqual(complaints, []);
    },
  );

  test(`the link of an invitation moves who waits already: the page by itself, without scripts by a button, ${how}`, BOUND, async (t) => {
    const lanes = [
      { name: "members", title: "Members" },
      { name: "everybody", title: "Everybody" },
    ];
    const world = await startWorld(t, {
      vars: { BATON_ADMIN_TOKEN: ADMIN },
      room: { entry: "optional", permits: 0, walk_in: false, linger_s: 60, lanes },
    });
    const operate = async (what, body) => {
      const asked = await fetch(new URL(`/__baton/admin/rooms/onsale/${what}`, world.baton.url), {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${ADMIN}` },
        body,
      });
      return await asked.json();
    };
    const { sheet } = await operate("sheets", JSON.stringify({ lane: "members", invitations: 1 }));
    const {
      invitations: [token],
    } = await operate(`sheets/${sheet}/invitations`);
    const { page, context, complaints } = await newPage(browser, { expectNetworkErrors: true, javaScriptEnabled });
    t.after(() => context.close());
    const placed = (lane) => page.locator(`body[data-state=waiting][data-number="1"][data-lane="${lane}"]`).waitFor({ timeout: 30_000 });
    await page.goto(world.url);
    await placed("Everybody");
    await page.goto(`${world.url}?baton_entry=${token}`);
    if (!javaScriptEnabled) {
      await placed("Everybody");
      await page.getByRole("button", { name: "Move to that line" }).click();
    }
    await placed("Members");
    assert.equal(await page.getByRole("button", { name: "Move to that line" }).count(), 0);
    assert.equal(page.url(), world.url);
    assert.deepEqual(complaints, []);
  });
}
