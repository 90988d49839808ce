/* A walk through the states of the gallery: what each must show, what axe says of it, and what may not overflow. */

import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { locales } from "../../scripts/assets.mjs";
import { startGallery } from "../../scripts/gallery.mjs";
import { STATES } from "../../scripts/gallery/states.mjs";
import { DESKTOP, PHONE, launch, newPage } from "./browser.mjs";

export const LOCALES = Object.fromEntries((await locales()).map((texts) => [texts.lang, texts]));
/** A wide screen has nothing that a phone has not; these have all of its parts. */
const ON_DESKTOP = ["waiting", "paused", "called", "left", "branded", "hall"];

/** The text on the screen, what overflows, and which places are shown empty. */
export function look() {
  const visible = (element) => element.checkVisibility();
  const all = (selector) => [...document.querySelectorAll(selector)].filter(visible);
  return {
    text: document.body.innerText,
    headings: all("h1").length,
    empty: all("[data-baton]:not(progress, [data-baton=host]), dd, h1, .note, .button")
      .filter((element) => !element.innerText.trim())
      .map((element) => element.outerHTML),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    small: all("a, button, summary")
      .filter((element) => element.getBoundingClientRect().height < 24)
      .map((element) => element.outerHTML),
    braces: /\{|\[\[|\b(undefined|NaN|null)\b/.test(document.body.innerText),
  };
}

/** axe in the page itself: the page has no frames, and a window for every analysis would take most of the time. */
export async function judge(page) {
  return (await new AxeBuilder({ page }).setLegacyMode(true).analyze()).violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

const squeeze = (text) => text.replace(/\s+/g, " ");
/** What is written around placeholders. */
const fragments = (text) =>
  text
    .split(/\{+\w+\}+/)
    .map((part) => squeeze(part).trim())
    .filter((part) => part.length > 1);

/** What a state must show, with a script (`alive`) and without. */
export function check(seen, name, lang, alive = true) {
  const { says, hides = [], shows = [], text = [], live = [], plain = says } = STATES[name];
  const words = LOCALES[lang],
    there = squeeze(seen.text);
  for (const key of alive ? says : plain) for (const part of fragments(words[key])) assert.ok(there.includes(part), `${key} in ${there}`);
  for (const key of hides) assert.ok(!there.split("\n").includes(words[key]) && !there.includes(`${words[key]} `), `no ${key} in ${there}`);
  for (const part of text) assert.ok(there.includes(part), `${part} in ${there}`);
  for (const number of shows) assert.ok(there.includes(String(number)), `${number} in ${there}`);
  if (alive) for (const key of live) for (const part of fragments(words.js[key])) assert.ok(there.includes(part), `${part} in ${there}`);
  assert.equal(seen.headings, 1);
  assert.deepEqual(seen.empty, []);
  assert.equal(seen.overflow, 0, "horizontal scroll");
  assert.equal(seen.braces, false, seen.text);
  assert.deepEqual(seen.small, [], "too small to touch");
}

/** A browser and a gallery: `{ browser, goto, open, walk, walkWithoutScript, close }`. */
export async function startWalks() {
  const [browser, gallery] = await Promise.all([launch(), startGallery()]);

  const goto = (page, lang, name) => page.goto(`${gallery.url}/${lang}/${name}`);

  async function open(page, lang, name) {
    await goto(page, lang, name);
    await page.locator("html[data-live]").waitFor();
    const { link } = STATES[name];
    if (link)
      await page
        .locator({ cookies: "[data-state=cookies]", busy: "[data-link=busy]", lost: "[data-state=unreachable], [data-link=lost]" }[link])
        .waitFor();
  }

  /**
   * On a phone all states, on a desktop some; `axe: false` leaves out what is the same in every language.
   *
   * @param {import("node:test").TestContext} t
   * @param {string} lang
   * @param {{ colorScheme?: "light" | "dark", viewport?: { width: number, height: number }, axe?: boolean }} [how]
   */
  async function walk(t, lang, { colorScheme = "light", viewport = PHONE, axe = true } = {}) {
    const { context, page, complaints } = await newPage(browser, { colorScheme, viewport, expectNetworkErrors: true });
    for (const name of viewport === DESKTOP ? ON_DESKTOP : Object.keys(STATES)) {
      await t.test(name, async () => {
        await open(page, lang, name);
        const html = page.locator("html");
        assert.deepEqual([await html.getAttribute("lang"), await html.getAttribute("dir")], [lang, LOCALES[lang].dir]);
        check(await page.evaluate(look), name, lang);
        if (axe) assert.deepEqual(await judge(page), []);
        if (viewport !== PHONE) return;
        await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
        assert.equal((await page.evaluate(look)).overflow, 0, "horizontal scroll with text at 200 %");
      });
    }
    assert.deepEqual(complaints, []);
    await context.close();
  }

  async function walkWithoutScript(t, lang) {
    const { context, page, complaints } = await newPage(browser, { javaScriptEnabled: false });
    for (const name of Object.keys(STATES)) {
      await t.test(name, async () => {
        await goto(page, lang, name);
        check(await page.evaluate(look), name, lang, false);
        assert.equal(await page.locator("meta[http-equiv=refresh]").getAttribute("content"), STATES[name].template?.refresh_s ?? "20");
        assert.equal(await page.locator("progress").isVisible(), false);
      });
    }
    assert.deepEqual(complaints, []);
    await context.close();
  }

  const close = async () => {
    await browser.close();
    await gallery.close();
  };
  return { browser, goto, open, walk, walkWithoutScript, close };
}
