/* The brand editor and the schedule's form at the desk, before a real worker: what is shown is the page that visitors get, what cannot be read
 * is said while one types, what is saved is on the page, and it can be taken back. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { inRoot } from "../../scripts/common.mjs";
import { eventually } from "../runtime/harness.mjs";
import { DESKTOP, PHONE, launch } from "./browser.mjs";
import { TOKEN, openDesk } from "./desk_world.mjs";

const BOUND = { timeout: 120_000 };
const LOGO = inRoot("tests", "fixtures", "images", "logo.png");
const GROUNDS = { paths: ["/house/*"] };
let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
});

/** The desk with the brand editor of the room open. */
async function openBrand(t, { options, vars = { GROUNDS }, room = {} } = {}) {
  const desk = await openDesk(browser, t, { waiting: 0, options, vars, room });
  await desk.page.locator("#token").fill(TOKEN);
  await desk.page.locator("#token").press("Enter");
  await desk.page.locator("[data-part=brand-link]").click();
  const frame = desk.page.frameLocator("#brand iframe");
  const stands = () => desk.page.locator("#brand iframe[aria-busy=false]").waitFor();
  await stands();
  const key = (name) => desk.page.locator(`#brand [data-key="${name}"]`);
  const look = (name, value) => desk.page.locator(`#brand [data-look="${name}"]`).selectOption(value);
  const colour = (selector, property) =>
    frame
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  return { ...desk, frame, stands, key, look, colour };
}

/** The preview shows this ground; it is written anew with each change, so for a moment there may be nothing to look at. */
const seen = (page, selector, ground) =>
  page.waitForFunction(
    ([wanted, colour]) => {
      const element = document.querySelector("#brand iframe").contentDocument?.querySelector(wanted);
      return element && getComputedStyle(element).backgroundColor === colour;
    },
    [selector, ground],
  );

const axe = async (page) =>
  (await new AxeBuilder({ page }).exclude("iframe").setLegacyMode(true).analyze()).violations.map(({ id, nodes }) => [
    id,
    nodes.map(({ target }) => target).join(" "),
  ]);

test("the preview is the page in every state and language, and nothing in it runs or is pressed", BOUND, async (t) => {
  const { page, frame, stands, key, look } = await openBrand(t);
  await key("page_title").fill("Spring <b>Tour</b>");
  await frame.locator("header p", { hasText: "Spring <b>Tour</b>" }).waitFor();
  const heads = {
    waiting: "in line",
    called: "turn",
    hall: "good time",
    sold_out: "Sold out",
    closed: "closed",
    over: "given up",
    refused: "ticket shop|link|account",
  };
  for (const state of Object.keys(heads)) {
    await look("state", state);
    await frame.locator(`body[data-state=${state}]`).waitFor();
    await stands();
    assert.equal(await frame.locator("h1:visible").count(), 1, state);
  }
  await look("state", "paused");
  await frame.locator("[data-note=paused]:visible").waitFor();
  await key("text-paused").fill("We go on at three.");
  await frame.locator("h1 + p:visible", { hasText: "We go on at three." }).waitFor();
  const languages = await page.locator("#brand [data-look=language] option").evaluateAll((options) => options.map(({ value }) => value));
  assert.equal(languages.length, 15);
  for (const language of languages) {
    await look("language", language);
    await frame.locator(`html[lang="${language}"]`).waitFor();
  }
  assert.equal(await frame.locator("script, noscript, style").count(), 0);
  assert.ok(await frame.locator("body").evaluate((body) => body.inert));
  assert.equal(await page.locator("#brand iframe").getAttribute("sandbox"), "allow-same-origin");
});

test("colours are seen at once on both screens, and what cannot be read is said with the nearest that can", BOUND, async (t) => {
  const { page, key, look, colour } = await openBrand(t);
  const says = (text) => page.locator(".contrast p", { hasText: text }).waitFor();
  await key("light-ground").fill("#fff7ed");
  await key("light-ink").fill("#999999");
  await says("On light screens, Text: contrast 2.6 : 1 is too little");
  await page.locator('.contrast [data-take="light-ink"]').click();
  await says("On light screens, Text: contrast 4.5 : 1, good");
  const ink = await key("light-ink").inputValue();
  assert.match(ink, /^#[0-9a-f]{6}$/);
  await seen(page, "body", "rgb(255, 247, 237)");
  await key("dark-accent").fill("#ff8800");
  assert.equal(await page.locator("#brand [data-look=scheme]").inputValue(), "dark", "what one changes is looked at");
  await look("state", "called");
  await seen(page, ".ticket", "rgb(255, 136, 0)");
  assert.equal(await colour("body", "background-color"), "rgb(17, 23, 27)", "ours where nothing is chosen");
  await look("scheme", "light");
  await seen(page, ".ticket", "rgb(31, 111, 102)");
});

test("what is chosen before the page has changed is on the page that comes", BOUND, async (t) => {
  const { page, stands, key, colour } = await openBrand(t);
  await key("dark-accent").fill("#ff8800");
  await page.evaluate(() => {
    for (const [look, value] of [
      ["state", "over"],
      ["state", "called"],
      ["scheme", "dark"],
    ]) {
      const select = document.querySelector(`#brand [data-look=${look}]`);
      select.value = value;
      select.dispatchEvent(new Event("change"));
    }
  });
  await stands();
  assert.equal(await colour("body", "background-color"), "rgb(17, 23, 27)");
  assert.equal(await colour(".ticket", "background-color"), "rgb(255, 136, 0)");
});

test("what is saved is on the page within the bound, and undo takes it back; who was slower is told", BOUND, async (t) => {
  const { page, key, told, yes, url, frame } = await openBrand(t, { room: { page_title: "Of the file", permits: 0 } });
  const asked = { accept: "text/html", "sec-fetch-dest": "document", "accept-language": "ja" };
  const shown = (text) =>
    eventually(
      async () => {
        const html = await (await fetch(url, { headers: asked })).text();
        return html.includes(text) && html;
      },
      { timeoutMs: 30_000, everyMs: 100, what: `a page that says ${text}` },
    );
  assert.equal(await key("page_title").inputValue(), "Of the file");
  assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled(), "nothing is other");
  await key("logo").setInputFiles(LOGO);
  await told("The logo is uploaded");
  await frame.locator("header img").waitFor();
  assert.ok(await frame.locator("header img").evaluate((image) => image.complete && image.naturalWidth === 48));
  await key("texts-language").selectOption("ja");
  await key("text-title").fill("春のツアー");
  await frame.locator("html[lang=ja] header p", { hasText: "春のツアー" }).waitFor();
  await key("dark-accent").fill("#fb923c");
  await page.getByRole("button", { name: "Save" }).click();
  await told("Saved");
  const html = await shown("春のツアー");
  assert.ok(html.includes("--accent:#fb923c") && /<img src="\/__baton\/images\/[0-9a-f]{32}\.png"/.test(html));
  await page.locator('[data-brand="undo"]').click();
  await yes();
  await told("Taken back");
  await shown("Of the file");
  const put = async (path, body) =>
    assert.equal(
      await page.evaluate(
        ([to, text]) => fetch(`/__baton/admin/house/${to}`, { method: "PUT", body: text }).then(({ status }) => status),
        [path, JSON.stringify(body)],
      ),
      200,
    );
  await put("brands/onsale", { page_title: "Another" });
  await key("page_title").fill("Mine");
  await page.getByRole("button", { name: "Save" }).click();
  await told("Somebody");
  assert.equal(await key("page_title").inputValue(), "Mine", "a draft that was refused stays");
  await page.locator('[data-brand="undo"]').waitFor();
  await put("rooms/spring", { paths: ["/house/*"], permits: 1 });
  await page.reload();
  await page.locator("#brand button", { hasText: "Save" }).waitFor();
  assert.equal(await key("page_title").inputValue(), "Another");
  assert.equal(await page.locator('[data-brand="undo"]').count(), 0, "what another room would lose is not taken back here");
});

test("without a house the editor shows the page, and what to write into the file", BOUND, async (t) => {
  const { page, key } = await openBrand(t, { vars: {} });
  await key("page_title").fill("Tour");
  await page.locator("#brand pre", { hasText: '"page_title": "Tour"' }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0);
});

for (const [colorScheme, viewport, locale] of [
  ["light", PHONE, "en-GB"],
  ["dark", DESKTOP, "ja-JP"],
]) {
  test(`clean for axe and no wider than the screen: ${colorScheme}, ${viewport.width}`, BOUND, async (t) => {
    const { page, key } = await openBrand(t, { options: { colorScheme, viewport, locale, bypassCSP: true } });
    await key("light-ink").fill("#999999");
    await page.locator(".contrast .note").waitFor();
    assert.deepEqual(await axe(page), []);
    const { scrollWidth, clientWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      clientWidth: document.documentElement.clientWidth,
    }));
    assert.ok(scrollWidth <= clientWidth, `${scrollWidth} > ${clientWidth}`);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/brand-${colorScheme}-${viewport.width}.png`, fullPage: true });
  });
}

/** The schedule's form, open; the operator is in Tokyo. */
async function openSchedule(t, { room = {}, options = {} } = {}) {
  const desk = await openDesk(browser, t, { waiting: 0, room, options: { timezoneId: "Asia/Tokyo", ...options } });
  await desk.page.locator("#token").fill(TOKEN);
  await desk.page.locator("#token").press("Enter");
  await desk.unfolded("schedule");
  const form = desk.page.locator("[data-part=schedule-form]");
  await form.locator("> button").click();
  return { ...desk, form, step: (at) => form.locator(".steps-form > li").nth(at), save: form.locator("button.strong:not([type=button])") };
}

test("steps are added in the venue's zone, seen on the timeline, saved as seen, and taken back", BOUND, async (t) => {
  const { page, form, step, save, told, yes, elsewhere } = await openSchedule(t);
  await form.getByLabel("Times are meant in").selectOption("Europe/Berlin");
  await form.getByRole("button", { name: "Add a step" }).click();
  await step(0).getByLabel("When").fill("2020-12-01T10:00:00");
  await form.getByText("This moment has passed").waitFor();
  assert.equal(await save.isDisabled(), true, "what would not be carried out is not saved");
  await step(0).getByLabel("When").fill("2099-12-01T10:00:00");
  assert.equal(await form.getByText("This moment has passed").count(), 0);
  await step(0).locator("select").first().selectOption("open");
  await step(0).getByLabel("What else it sets").selectOption("permits");
  await step(0).getByLabel("over seconds").fill("900");
  await form.locator(".timeline .what", { hasText: "over 15 min" }).waitFor();
  await form.getByRole("button", { name: "Add a step" }).click();
  await step(1).getByLabel("When").fill("2099-11-30T09:00:00");
  await save.click();
  await page.locator("#consequence li", { hasText: "2099-11-30 09:00 +01:00: Opens" }).first().waitFor();
  await yes();
  await told("The schedule of onsale is saved.");
  const schedule = () =>
    page.evaluate(() =>
      fetch("/__baton/admin/rooms/onsale")
        .then((answer) => answer.json())
        .then(({ settings }) => settings.schedule.value),
    );
  assert.deepEqual(await schedule(), [
    { at: "2099-11-30T09:00:00+01:00", set: { mode: "open" } },
    { at: "2099-12-01T10:00:00+01:00", set: { mode: "open", permits: { to: 1, over_s: 900 } } },
  ]);
  await form.locator("> button").click();
  assert.equal(await step(0).getByLabel("When").inputValue(), "2099-11-30T17:00", "the same moment on Tokyo's clocks");
  await step(1).getByRole("button", { name: "Remove this step" }).click();
  await elsewhere({ permits: 7 });
  await save.click();
  await yes();
  await told("Somebody");
  assert.equal((await schedule()).length, 2, "who was slower changes nothing");
  await form.locator("form").waitFor();
});

test("an hour that never comes, or comes twice, is asked about before anything can be saved", BOUND, async (t) => {
  const { form, step, save } = await openSchedule(t);
  await form.getByLabel("Times are meant in").selectOption("America/New_York");
  await form.getByRole("button", { name: "Add a step" }).click();
  const when = step(0).getByLabel("When");
  for (const [local, says, picks] of [
    ["2027-03-14T02:30:00", "does not exist", ["01:30 -05:00", "03:30 -04:00"]],
    ["2027-11-07T01:30:00", "comes twice", ["01:30 -04:00", "01:30 -05:00"]],
  ]) {
    await when.fill(local);
    await step(0).locator(".note", { hasText: says }).waitFor();
    assert.ok(await save.isDisabled(), local);
    const offered = step(0).locator("[data-pick]");
    assert.deepEqual(await offered.allInnerTexts(), picks);
    await offered.nth(1).click();
    assert.equal(await offered.nth(1).getAttribute("aria-pressed"), "true");
    assert.ok(await save.isEnabled());
    await form.locator(".timeline time", { hasText: picks[1].slice(0, 5) }).waitFor();
  }
  await when.fill("2027-11-07T03:30:00");
  assert.equal(await step(0).locator(".note").count(), 0);
  assert.ok(await save.isEnabled());
});

test("the schedule's form is clean for axe, by keyboard and on a phone", BOUND, async (t) => {
  const { page, form, step } = await openSchedule(t, { options: { viewport: PHONE, bypassCSP: true } });
  await form.getByRole("button", { name: "Add a step" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.type), "datetime-local");
  await step(0).getByLabel("What else it sets").selectOption("message");
  assert.deepEqual(await axe(page), []);
  const { scrollWidth, clientWidth } = await page.evaluate(() => ({
    scrollWidth: document.documentElement.scrollWidth,
    clientWidth: document.documentElement.clientWidth,
  }));
  assert.ok(scrollWidth <= clientWidth, `${scrollWidth} > ${clientWidth}`);
  if (process.env.SHOTS) await form.screenshot({ path: `${process.env.SHOTS}/schedule.png` });
});
