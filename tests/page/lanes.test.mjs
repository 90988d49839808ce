// Lanes in a real browser, on the real runtime: the place in a lane, why there is no estimate behind a strict one, and a better link.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { claimsOf, entry, shopKeys } from "../support/entry.mjs";
import { startWorld } from "../runtime/support/world.mjs";
import { launch, newPage } from "./browser.mjs";

const keys = shopKeys();
const BOUND = { timeout: 120_000 };
const LANES = [
  { name: "members", title: "Members & friends" },
  { name: "everybody", title: "Everybody" },
];
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function begin(t, { lanes = LANES, ...options } = {}) {
  const vars = { ENTRY_KEYS: JSON.stringify([keys.shared]) };
  const world = await startWorld(t, { vars, room: { entry: "optional", permits: 0, walk_in: false, linger_s: 60, tick_ms: 50, lanes } });
  const { page, context, complaints } = await newPage(browser, { expectNetworkErrors: true, ...options });
  t.after(() => context.close());
  const linkOf = (sub, lane) => `${world.url}?baton_entry=${entry(claimsOf(sub, `127.0.0.1:${world.baton.port}`, lane && { lane }))}`;
  const joins = async (sub, lane) => {
    const visitor = world.visitor();
    await visitor.request(linkOf(sub, lane), { headers: { accept: "text/html" } });
    await visitor.arrive();
    return visitor.join();
  };
  return { ...world, page, complaints, linkOf, joins };
}

const BEHIND = "Another line is called first. Nobody can say how long that takes, so there is no estimate.";
/** The page in line with this number in this lane. */
const placed = (page, number, lane) =>
  page.locator(`body[data-state=waiting][data-number="${number}"][data-lane="${lane}"]`).waitFor({ timeout: 30_000 });

for (const javaScriptEnabled of [true, false]) {
  test(
    `the ticket names the lane and the number within it, and who is behind is told why there is no estimate, ${javaScriptEnabled ? "with" : "without"} scripts`,
    BOUND,
    async (t) => {
      const { page, url, joins, complaints } = await begin(t, { javaScriptEnabled });
      await joins("ann", "members");
      await page.goto(url);
      await placed(page, 1, "Everybody");
      assert.match(await page.locator(".ticket .number").innerText(), /1\s+Everybody/);
      await page.getByText(BEHIND).waitFor();
      assert.equal(await page.getByText("You are next.").isVisible(), false);
      assert.equal(await page.locator(".eta").isVisible(), false);
      assert.deepEqual(complaints, []);
    },
  );
}

test("a better link moves the place as the page joins, and the reason goes", BOUND, async (t) => {
  const { page, linkOf, joins, complaints } = await begin(t);
  await joins("ann", "members");
  await page.goto(linkOf("bob", "everybody"));
  await placed(page, 1, "Everybody");
  await page.getByText(BEHIND).waitFor();
  await page.goto(linkOf("bob", "members"));
  await placed(page, 2, "Members & friends");
  assert.equal(await page.getByText(BEHIND).isVisible(), false);
  assert.equal(await page.locator("[data-baton=ahead]").innerText(), "1");
  assert.deepEqual(complaints, []);
});

test("without scripts a better link moves nothing, and a button moves the place", BOUND, async (t) => {
  const { page, linkOf, joins, complaints } = await begin(t, { javaScriptEnabled: false });
  await joins("ann", "members");
  await page.goto(linkOf("bob", "everybody"));
  await placed(page, 1, "Everybody");
  const move = page.getByRole("button", { name: "Move to that line" });
  assert.equal(await move.count(), 0);
  await page.goto(linkOf("bob", "members"));
  await placed(page, 1, "Everybody");
  await move.click();
  await placed(page, 2, "Members & friends");
  assert.equal(await move.count(), 0);
  assert.deepEqual(complaints, []);
});

test("who waits in the hall of a lane finds that lane's draw by the link on the page, and the entry in it", BOUND, async (t) => {
  const opensAt = new Date(Date.now() + 3_600_000).toISOString();
  const halls = LANES.map((lane) => ({ ...lane, opens_at: opensAt, hall_s: 7_200 }));
  const { page, linkOf, complaints } = await begin(t, { lanes: halls, bypassCSP: true });
  await page.goto(linkOf("bob", "members"));
  await page.locator('body[data-state=hall][data-lane="Members & friends"][data-entry="1"]').waitFor({ timeout: 30_000 });
  const link = page.locator("[data-baton=draw]");
  await page.goto(new URL(await link.getAttribute("href"), page.url()).href);
  await page.locator("[data-draw=lanes] [aria-current=page]").filter({ hasText: "Members & friends" }).waitFor();
  await page.locator("[data-draw=own]").filter({ hasText: "1" }).waitFor();
  assert.match(await page.locator("[data-draw=commitment]").innerText(), /^[0-9a-f]{64}$/);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    assert.deepEqual(
      violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      [],
      colorScheme,
    );
  }
  assert.deepEqual(complaints, []);
});
