/* The desk in each situation of the gallery, in Chromium and without a worker: clean for axe, no wider than the screen, and with one thumb
 * at 10:02 the sentence and what to do are there without scrolling. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import { startGallery } from "../../scripts/gallery.mjs";
import { SITUATIONS } from "../../scripts/gallery/desk_states.mjs";
import { DESKTOP, PHONE, launch, newPage } from "./browser.mjs";

/** Wide: four looks by axe take ten seconds, and on a busy machine over a minute. */
const BOUND = { timeout: 300_000 };
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

/** The desk of a situation; complaints of its console fail the test. */
async function open(t, name, { language = "en", ...options } = {}) {
  const { context, page, complaints } = await newPage(browser, { expectNetworkErrors: true, reducedMotion: "reduce", ...options });
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  const { silent, changes, rehearsal, view = "" } = SITUATIONS[name];
  await page.goto(`${gallery.url}/desk/${name}/?lang=${language}#${view}`);
  await page.locator(".say h2:visible").first().waitFor();
  if (silent) await page.locator("article.stale").waitFor();
  if (changes) await page.locator(".undo-now:not([hidden])").waitFor();
  if (rehearsal) await page.locator(".say.off h2", { hasText: "12" }).waitFor();
  return page;
}

const CASES = [
  ["light", PHONE, "en"],
  ["dark", PHONE, "ja"],
  ["dark", DESKTOP, "en"],
  ["light", DESKTOP, "ja"],
];
for (const name of Object.keys(SITUATIONS)) {
  test(`${name}: clean for axe and no wider than the screen`, BOUND, async (t) => {
    for (const [colorScheme, viewport, language] of CASES) {
      const page = await open(t, name, { colorScheme, viewport, language, bypassCSP: true });
      const what = `${colorScheme} ${viewport.width} ${language}`;
      const { press } = SITUATIONS[name];
      if (press) await page.locator(`[data-do="${press}"]`).click();
      for (const details of await page.locator("article:visible .deeper details:visible").all()) if (!press) await details.locator("summary").click();
      // What is shut for a moment is pale, and axe does not judge what cannot be used.
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target).join(" ")]),
        [],
        what,
      );
      const { scrollWidth, clientWidth } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        clientWidth: document.documentElement.clientWidth,
      }));
      assert.ok(scrollWidth <= clientWidth, `${what}: ${scrollWidth} > ${clientWidth}`);
    }
  });
}

test("on a phone the sentence, the advice and every action are seen without scrolling, and a thumb hits them", BOUND, async (t) => {
  for (const name of Object.keys(SITUATIONS)) {
    for (const language of ["en", "ja"]) {
      const page = await open(t, name, { viewport: PHONE, language });
      const places = await page.evaluate(() =>
        [...document.querySelectorAll(".say h2, .say .advice, .acts button, .undo-now button")]
          .filter((one) => one.checkVisibility())
          .map((one) => {
            const { top, bottom, height } = one.getBoundingClientRect();
            return { what: one.textContent, top, bottom, height, isButton: one.localName === "button" };
          }),
      );
      assert.ok(places.length >= 2, name);
      for (const { what, top, bottom, height, isButton } of places) {
        assert.ok(top >= 0 && bottom <= PHONE.height, `${name} ${language}: "${what}" lies at ${top} to ${bottom} of ${PHONE.height}`);
        assert.ok(!isButton || height >= 44, `${name}: "${what}" is ${height} px high`);
      }
    }
  }
});

test("rooms of the house: a summary is shown without what it lacks, a new one rests, and a room that is opened is asked itself", BOUND, async (t) => {
  const page = await open(t, "house-rooms", { viewport: PHONE });
  const card = (room) => page.locator(".card", { hasText: room });
  assert.match(await card("spring").textContent(), /All well.*80 inside, 640 waiting/);
  assert.doesNotMatch(await card("spring").textContent(), /as of/, "it has just said so");
  assert.match(await card("club").textContent(), /3 inside.*as of /);
  assert.match(await card("autumn").textContent(), /Resting.*Nothing was heard of it yet/);
  assert.match(await page.locator("#overview .say h2").textContent(), /^All well in 3 of 4 rooms: 283 inside.*Nothing was heard yet of the others/);
  await card("spring").click();
  await page.locator('article[aria-label="spring"]:visible .say h2', { hasText: "80 inside" }).waitFor();
  await page.locator('article[aria-label="spring"] .acts button:enabled').first().waitFor();
  await page.locator('article[aria-label="spring"] .settings summary').click();
  assert.equal(await page.locator('article[aria-label="spring"] .knob[data-key="permits"] input').first().inputValue(), "80");
  // The gallery knows nothing more of a room that was never heard of: it is gone.
  await page.getByRole("link", { name: "All rooms" }).click();
  await card("autumn").click();
  await page.locator('article[aria-label="autumn"]:visible .say.off').waitFor();
  assert.equal(await page.locator('article[aria-label="autumn"] .acts button').count(), 0);
});

test("a chart is walked over with keys and by pointing: each moment is told, and the next look at the room takes nothing away", BOUND, async (t) => {
  const page = await open(t, "all-well");
  const chart = page.getByRole("slider", { name: "Does the shop keep up?" });
  const reading = page.locator('[data-part="shop"] .reading');
  const CAPTION = /^People inside, permits/;
  const told = () => chart.getAttribute("aria-valuetext");
  const newest = await told();
  assert.match(newest, /: [\d,]+ of [\d,]+ inside, [\d,–]+ come in a minute$/);
  assert.match(await reading.textContent(), CAPTION);
  await chart.focus();
  await page.keyboard.press("ArrowLeft");
  const before = await told();
  assert.notEqual(before, newest);
  assert.equal(await reading.textContent(), before);
  await page.waitForResponse((response) => response.url().endsWith("/rooms"));
  assert.equal(await chart.evaluate((one) => one === document.activeElement), true, "it keeps the focus");
  for (const [key, at] of [
    ["Home", 0],
    ["PageUp", 10],
    ["ArrowRight", 11],
    ["ArrowDown", 10],
    ["PageDown", 0],
  ]) {
    await page.keyboard.press(key);
    assert.equal(Number(await chart.getAttribute("aria-valuenow")), at, key);
  }
  await page.keyboard.press("Escape");
  assert.match(await reading.textContent(), CAPTION);
  await chart.locator(".hover").nth(20).hover();
  assert.equal(await reading.textContent(), await told());
  await page.mouse.move(0, 0);
  await page.keyboard.press("End");
  assert.equal(await chart.getAttribute("aria-valuenow"), await chart.getAttribute("aria-valuemax"));
  assert.deepEqual(await page.locator('[data-part="shop"] .legend li').allTextContents(), [" inside", " permits", " come in a minute"]);
});

test("of a silent room every answer says of when it is", BOUND, async (t) => {
  const page = await open(t, "unreachable");
  for (const key of ["waits", "shop"]) assert.match(await page.locator(`[data-part="${key}-answer"]`).textContent(), /^As of [\d:]+(?: [AP]M)?: /);
  assert.match(await page.locator(".permits-of .hint").first().textContent(), /^As of [\d:]+(?: [AP]M)?: /);
});

test("a tap that comes twice answers no question", BOUND, async (t) => {
  const page = await open(t, "all-well", { viewport: PHONE });
  await page.evaluate(() => {
    document.querySelector('[data-do="pause"]').click();
    document.getElementById("yes").click();
  });
  assert.ok(await page.locator("#confirm").evaluate((box) => box.open), "the question stands");
  assert.equal(await page.locator("#no").evaluate((no) => no === document.activeElement), true, "Enter is no");
  await page.locator("#yes:enabled").waitFor();
});

test("a question right after another is asked and answered by itself", BOUND, async (t) => {
  const page = await open(t, "all-well", { viewport: PHONE });
  // In one task, before the browser tells that the first was closed.
  await page.evaluate(() => {
    document.querySelector('[data-do="pause"]').click();
    document.getElementById("confirm").close("no");
    document.querySelector('[data-do="message"]').click();
  });
  await page.locator("#yes:enabled").waitFor();
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.locator("#yes").click();
  assert.deepEqual(Object.keys((await sent).postDataJSON()), ["message"]);
});

test("a list that was asked before a change and comes after it takes nothing back", BOUND, async (t) => {
  const page = await open(t, "all-well", { viewport: PHONE });
  const list = Promise.withResolvers(),
    gate = Promise.withResolvers(),
    sent = [];
  await page.route("**/rooms", async (route) => {
    const response = await route.fetch();
    list.resolve(response.json());
    await gate.promise;
    await route.fulfill({ response });
  });
  await page.route("**/rooms/onsale", async (route) => {
    sent.push(route.request().headers()["if-match"]);
    const [room] = (await list.promise).rooms;
    await route.fulfill({ json: { ...room, revision: room.revision + sent.length } });
  });
  const turn = async () => {
    await page.locator('[data-do="message"]').click();
    await page.locator("#yes:enabled").click();
    await page.locator("#confirm:not([open])").waitFor({ state: "attached" });
  };
  await list.promise;
  await turn();
  await page.locator("#news", { hasText: "message of onsale was set to" }).waitFor();
  const late = page.waitForResponse((response) => response.url().endsWith("/rooms"));
  gate.resolve();
  await (await late).finished();
  await turn();
  await page.waitForResponse((response) => response.url().endsWith("/rooms"));
  assert.deepEqual(sent, ['"4"', '"5"']);
  await page.unrouteAll({ behavior: "wait" });
});

test("what is drawn again and again stays the same elements, with the focus that it had", BOUND, async (t) => {
  const page = await open(t, "all-well");
  await page.evaluate(() => {
    window.before = [...document.querySelectorAll(".say h2, .acts button, .way li, .gauge rect, .plot")];
    window.removed = 0;
    new MutationObserver((changes) => {
      for (const { removedNodes } of changes) window.removed += [...removedNodes].filter(({ nodeType }) => nodeType === 1).length;
    }).observe(document.querySelector("article"), { childList: true, subtree: true });
    document.querySelector('[data-do="message"]').focus();
  });
  for (let looks = 0; looks < 3; looks++) await page.waitForResponse("**/rooms");
  const { same, removed, focus } = await page.evaluate(() => ({
    same: window.before.every((one) => one.isConnected),
    removed: window.removed,
    focus: document.activeElement.dataset.do,
  }));
  assert.deepEqual({ same, removed, focus }, { same: true, removed: 0, focus: "message" });
});

test("the words are one tap away, the keys one key; both close with Escape, and keys can be switched off", BOUND, async (t) => {
  const page = await open(t, "all-well", { viewport: PHONE });
  await page.getByRole("button", { name: "Words" }).click();
  for (const word of ["Hand", "Tray", "Fence"]) await page.locator("#words dt", { hasText: new RegExp(`^${word}$`) }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.locator("#keys[open]").waitFor();
  await page.getByLabel("Keys work on this page").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  assert.equal(await page.locator("#keys[open]").count(), 0);
});

test("many rooms: the worst first, one tap or key to each and back", BOUND, async (t) => {
  const page = await open(t, "many-rooms", { viewport: PHONE });
  assert.deepEqual(await page.locator(".card strong").allTextContents(), ["presale", "members", "onsale", "matinee", "merch"]);
  await page.locator(".card", { hasText: "presale" }).click();
  await page.locator("article:visible h2", { hasText: "calling has stopped" }).waitFor();
  await page.getByRole("link", { name: "All rooms" }).click();
  await page.locator(".cards").waitFor();
  await page.keyboard.press("1");
  await page.locator('article[aria-label="onsale"]:visible').waitFor();
  await page.keyboard.press("r");
  await page.keyboard.press("a");
  await page.getByText("Pause all 4 rooms?").waitFor();
  await page.getByText("In 4 rooms nobody is called any more. 356 inside stay and finish.").waitFor();
});
