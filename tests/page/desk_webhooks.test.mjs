/* Webhooks at the desk, in Chromium: what is said of them, before a real outbox and a receiver that takes or does not; and each screen of
 * the gallery clean for axe, on phone and desktop. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { startGallery } from "../../scripts/gallery.mjs";
import { SCREENS } from "../../scripts/gallery/desk_screens.mjs";
import { byNeed, causeOf, sentenceOf, stateOf } from "../../web/desk/webhook_says.js";
import { createWriter } from "../../web/desk/written.js";
import { SECRET, startReceiver } from "../runtime/support/receiver.mjs";
import { eventually } from "../runtime/harness.mjs";
import { DESKTOP, launch, newPage } from "./browser.mjs";
import { TOKEN, openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 120_000 };
const PHONE = { width: 390, height: 844 };
const HOOK = { name: "crm", url: "https://hooks.example.net/baton", rooms: ["onsale"], kinds: ["room.mode_changed", "room.settings_changed"] };
const words = JSON.parse(await readFile(new URL("../../web/desk/webhook_words.json", import.meta.url), "utf8"));
const desk = JSON.parse(await readFile(new URL("../../web/desk/words.en.json", import.meta.url), "utf8"));
const sha256 = (token) => createHash("sha256").update(token).digest("hex");
let browser;
let gallery;
before(async () => {
  gallery = await startGallery();
  browser = await launch();
});
after(async () => {
  await browser.close();
  await gallery.close();
});

const axe = async (page) =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target).join(" ")]);

test("one sentence says how it goes, the worst first, and what cures it", () => {
  const nowMs = new Date(2026, 10, 23, 10, 30).getTime();
  const write = createWriter("en-GB", desk);
  const hook = (name, more) => ({ name, pending: 0, failing_since_ms: null, taken_at_ms: null, failed: null, dead: [], ...more });
  const sinceMs = new Date(2026, 10, 23, 10, 2).getTime();
  const down = hook("crm", { pending: 14, failing_since_ms: sinceMs, taken_at_ms: sinceMs - 1, failed: { at_ms: nowMs, why: "answered 503" } });
  const taken = hook("log", { taken_at_ms: nowMs - 12_400 });
  const says = (...hooks) => sentenceOf(hooks, nowMs, write, words.en);
  assert.deepEqual(says(), { level: "off", says: "No webhook is set.", advice: words.en.advice.none });
  assert.deepEqual(says(taken, hook("new")), { level: "well", says: "All well: last delivered 12 s ago.", advice: "Nothing to do." });
  assert.equal(says(hook("new")).says, "All well: nothing waits.");
  assert.equal(says({ ...taken, pending: 3 }).says, "All well: last delivered 12 s ago. On the way: 3.");
  assert.equal(says(hook("new", { pending: 3 })).says, "On the way: 3.");
  assert.deepEqual(says(taken, down), {
    level: "look",
    says: "crm has taken nothing since 10:02: 14 wait.",
    advice: "It answers 503: it fails. Mend the receiver.",
  });
  assert.equal(says({ ...down, failed: null }).advice, words.en.advice.retry, "why is not known after a restart");
  assert.equal(says({ ...down, taken_at_ms: nowMs }).says, "crm does not take everything: 14 wait, the oldest since 10:02.");
  const lies = hook("chat", { dead: [{}, {}] });
  assert.equal(says(lies).says, "Undelivered to chat: 2.");
  assert.equal(says(taken, lies, down).says, "2 of 3 webhooks need a look: 14 wait, undelivered: 2.");
  const longer = { ...down, name: "mute", failing_since_ms: sinceMs - 60_000, taken_at_ms: null };
  assert.deepEqual(
    byNeed([taken, lies, down, longer]).map(({ name }) => name),
    ["mute", "crm", "chat", "log"],
  );
  assert.equal(stateOf(hook("new", { dead: [{}], pending: 1 })), "lies");
});

test("every failure that the outbox words has words of its own, in both languages, with a cure", () => {
  const causes = {
    "answered 401": "refused",
    "answered 403": "refused",
    "answered 404": "gone",
    "answered 410": "gone",
    "answered 301": "redirect",
    "answered 429": "busy",
    "answered 422": "rejects",
    "answered 500": "fails",
    "answered 503": "fails",
    "TimeoutError: The operation was aborted due to timeout": "late",
    "its host is one of this site: Baton would call itself": "self",
    "is not set, and the webhook crm-2 is not sent": "secret",
    "more than 500 messages waited": "full",
    "it was more than a day old when it was read": "old",
    "its body is gone": "body",
    "Error: internal error": "unreachable",
  };
  for (const [why, cause] of Object.entries(causes)) {
    for (const { errors } of Object.values(words)) {
      const told = causeOf(why, "crm-2", { errors });
      const [says, cure] = errors[cause].map((text) =>
        text.replace("{status}", why.slice(9)).replace("{why}", why).replace("{secret}", "WEBHOOK_SECRET_CRM_2"),
      );
      assert.deepEqual(told, { says, cure }, why);
    }
  }
});

test("both languages have the same texts with the same holes, and every kind has a name", async () => {
  const shape = (value) =>
    typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shape(part)]))
      : [...new Set(value.match(/\{\w+\}/g))].sort().join();
  assert.deepEqual(shape(words.ja), shape(words.en));
  const source = await readFile(new URL("../../src/outbox/webhook.rs", import.meta.url), "utf8");
  const kinds = [...source.matchAll(/^ {4}\w+ = "([\w.]+)",/gm)].map(([, kind]) => kind);
  assert.ok(kinds.length >= 12);
  assert.deepEqual(Object.keys(words.en.kind_names).sort(), kinds.sort());
});

/** The desk before an outbox whose receiver answers as `answer()` says, on the page of webhooks. */
async function openWebhooks(t, { status = () => 204, operators = [], token = TOKEN, webhooks = [HOOK], vars = {}, options = {} } = {}) {
  const receiver = await startReceiver(t, (message, response) => response.writeHead(status(message)).end());
  const world = await openDesk(browser, t, {
    waiting: 0,
    options,
    vars: { WEBHOOKS: webhooks, WEBHOOK_SECRET: SECRET, WEBHOOK_STAND_IN: receiver.url, OPERATORS: operators, ...vars },
  });
  await world.signIn(token);
  await world.page.locator("article").waitFor();
  const { page } = world;
  const go = async () => {
    await page.locator("#menu summary").click();
    await page.locator("#house-link").click();
    await page.locator("#house a[href='#webhooks']").click();
    await page.locator("#webhooks .say").waitFor();
  };
  const says = (text) => page.locator("#webhooks .say h2", { hasText: text }).waitFor();
  const card = page.locator(".hook-list li.card", { hasText: "crm" });
  return { ...world, receiver, go, says, card };
}

test("from the house to the webhooks and back; a webhook is tried, and what came of it is said", BOUND, async (t) => {
  let isDown = false;
  const { page, go, says, card, receiver, told, yes } = await openWebhooks(t, { status: () => (isDown ? 401 : 204) });
  await go();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Webhooks", "the heading has the focus");
  await says("All well: nothing waits.");
  assert.deepEqual(await card.locator("dd").allTextContents(), [
    "https://hooks.example.net/baton",
    "onsale",
    "mode changed, settings changed",
    words.en.last_unknown,
  ]);
  await card.getByRole("button", { name: "Try it" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("#consequence li", { hasText: "webhook.test" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.hook), "test", "the focus comes back");
  assert.equal(receiver.messages.length, 0, "no is no");
  await page.keyboard.press("Enter");
  await yes();
  await told("crm took a message just now.");
  await says(/All well: last delivered \S+ s ago/);
  assert.deepEqual(
    receiver.messages.map(({ json }) => json.type),
    ["webhook.test"],
  );
  isDown = true;
  await card.getByRole("button", { name: "Try it" }).click();
  await yes();
  await told("crm did not take a message just now.");
  await says("crm has taken nothing since");
  await page.locator("#webhooks .advice", { hasText: "Compare its secret" }).waitFor();
  await page.locator("#back").click();
  await page.locator("#house h2").waitFor();
  assert.ok(await page.locator("#webhooks").isHidden());
});

/** Undelivered letters without waiting for a day: the real page, and an API that tells of them and remembers what was asked. */
async function openLying(t, { count = 43, messages = 1, status = 200, options = {} } = {}) {
  const { context, page, complaints } = await newPage(browser, { viewport: DESKTOP, expectNetworkErrors: true, ...options });
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  const asked = [];
  let left = SCREENS["webhooks-failing"].webhooks().map((hook) => ({ ...hook, dead: hook.dead.slice(0, count) }));
  await page.route("**/webhooks", (route) =>
    route.fulfill({ status, json: status === 200 ? left : { error: { code: "room_unavailable", message: "The outbox does not answer." } } }),
  );
  await page.route("**/webhooks/**", (route) => {
    const url = new URL(route.request().url());
    asked.push(route.request().method() + url.pathname.replace(/.*\/webhooks/, "") + url.search);
    const id = url.searchParams.get("id");
    if (messages > 0) left = left.map((hook) => ({ ...hook, dead: hook.dead.filter((one) => id !== null && one.id !== id) }));
    return route.fulfill({ json: { messages } });
  });
  await page.goto(`${gallery.url}/desk/webhooks-failing/?lang=en#webhooks`);
  await page.locator(status === 200 ? "#webhooks .say" : "#webhooks .note").waitFor();
  const unfold = () => page.locator("[data-list=crm] summary").click();
  const told = (text) => page.locator("#news", { hasText: text }).waitFor();
  const yes = () => page.locator("#yes").click();
  return { page, asked, unfold, told, yes, rows: page.locator(".lying li") };
}

test("what lies undelivered is a list with what, where, since when and why; one is sent again, or all", BOUND, async (t) => {
  const { page, asked, unfold, told, yes, rows } = await openLying(t);
  assert.equal(await rows.count(), 0, "a list is made when it is unfolded");
  await unfold();
  await rows.nth(19).waitFor();
  assert.equal(await rows.count(), 20);
  const newest = SCREENS["webhooks-failing"].webhooks()[1].dead.at(-1);
  assert.match(await rows.first().locator("p").first().textContent(), /^room opened onsale, since /);
  assert.equal(await rows.first().locator("p").nth(1).textContent(), "It did not answer within 15 s.");
  assert.match(await rows.nth(4).locator("p").first().textContent(), /^house changed the house, since /);
  assert.equal(await rows.first().locator("code").textContent(), newest.id);
  await page.getByRole("button", { name: "Show 20 more" }).click();
  await rows.nth(39).waitFor();
  assert.equal(
    await page.evaluate(() => [...document.querySelectorAll(".lying button")].indexOf(document.activeElement)),
    20,
    "the first of the new ones has the focus",
  );
  // It is asked again and again; what is unfolded stays so.
  for (let looks = 0; looks < 2; looks++) await page.waitForResponse("**/webhooks");
  assert.equal(await rows.count(), 40);
  await rows.first().getByRole("button").click();
  await page.locator("#question", { hasText: "Send this one to crm again?" }).waitFor();
  await page.keyboard.press("Escape");
  assert.deepEqual(asked, []);
  await rows.first().getByRole("button").click();
  await yes();
  await told("On the way to crm again: 1. Each is tried once.");
  assert.deepEqual(asked, [`POST/crm/again?id=${newest.id}`]);
  await page.locator("[data-list=crm] summary", { hasText: "42" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.localName), "summary", "what was pressed is gone, and the list has the focus");
  await page.getByRole("button", { name: "Send all again (42)" }).click();
  await yes();
  await page.locator("[data-list=crm]").waitFor({ state: "detached" });
  assert.equal(asked[1], "POST/crm/again");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.hook), "test");
});

test("nothing that could be sent is said, and an outbox that does not answer", BOUND, async (t) => {
  const { page, told, yes } = await openLying(t, { messages: 0 });
  await page.getByRole("button", { name: "Send all again (43)" }).click();
  await yes();
  await told("Nothing was left to send to crm, or 500 wait already.");
  const silent = await openLying(t, { status: 503 });
  await silent.page.locator("#webhooks .note", { hasText: "The outbox does not answer." }).waitFor();
});

test("who may only look has no buttons, and who is bound to a room is offered no webhooks", BOUND, async (t) => {
  const [view, bound] = [`view-${"x".repeat(40)}`, `bound-${"x".repeat(40)}`];
  const operators = [
    { name: "noor", role: "view", sha256: sha256(view) },
    { name: "zoe", role: "own", rooms: ["onsale"], sha256: sha256(bound) },
  ];
  const { page, go, says, card, signIn } = await openWebhooks(t, { operators, token: view });
  await go();
  await says("All well");
  assert.equal(await card.locator("button").count(), 0);
  await page.locator("#menu summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(bound);
  await page.locator("#webhooks .note", { hasText: "You may not see webhooks" }).waitFor();
  assert.equal(await card.count(), 0, "nothing of before stands there");
  await page.locator("#back").click();
  await page.locator("#house h2").waitFor();
  assert.equal(await page.locator("#house a[href='#webhooks'], #house a[href='#operators']").count(), 0);
});

const CASES = [
  ["light", PHONE, "en"],
  ["dark", PHONE, "ja"],
  ["dark", DESKTOP, "en"],
  ["light", DESKTOP, "ja"],
];
for (const name of Object.keys(SCREENS).filter((screen) => SCREENS[screen].view === "webhooks")) {
  test(`${name}: clean for axe, no wider than the screen, and a thumb hits each button`, BOUND, async (t) => {
    for (const [colorScheme, viewport, language] of CASES) {
      const { context, page, complaints } = await newPage(browser, { colorScheme, viewport, reducedMotion: "reduce", bypassCSP: true });
      t.after(() => context.close());
      await page.goto(`${gallery.url}/desk/${name}/?lang=${language}#webhooks`);
      await page.locator("#webhooks .say h2").waitFor();
      for (const list of await page.locator("[data-list] summary").all()) await list.click();
      if (name === "webhooks-failing") await page.locator(".lying li").nth(19).waitFor();
      const what = `${colorScheme} ${viewport.width} ${language}`;
      assert.deepEqual(await axe(page), [], what);
      const { wide, low } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        low: [...document.querySelectorAll("#webhooks button, #webhooks summary")]
          .filter((one) => one.getBoundingClientRect().height < 44)
          .map((one) => one.textContent),
      }));
      assert.deepEqual({ wide, low }, { wide: 0, low: [] }, what);
      const { bottom } = await page.locator("#webhooks .say").evaluate((one) => one.getBoundingClientRect().toJSON());
      assert.ok(bottom <= viewport.height, "the sentence is seen without scrolling");
      assert.deepEqual(complaints, []);
    }
  });
}

test("a change in a room reaches a real receiver, and the page says so by itself", BOUND, async (t) => {
  const { go, says, elsewhere, receiver } = await openWebhooks(t);
  await go();
  await says("All well: nothing waits.");
  await elsewhere({ permits: 5 });
  await eventually(() => receiver.of("room.settings_changed").length === 1, { timeoutMs: 30_000, everyMs: 50, what: "the message" });
  await says(/All well: last delivered/);
});
