// Three browser engines behind one small interface: Chromium, Firefox and WebKit, each stock, as a visitor has it.
//
//   const engine = await startEngine("webkit", { dark: true });
//   const person = await engine.person({ width: 390, height: 800 });   // with cookies of their own
//   await person.goto(url); await person.until(() => document.body.dataset.state === "waiting");
//   await engine.close();
//
// What a person can do is in person.mjs. Chromium is driven by Playwright, Firefox by WebDriver BiDi, WebKitGTK by classic WebDriver: none needs a
// browser that somebody has changed. WebKitGTK is not Safari; docs/engines.md says what follows.

import { test } from "node:test";
import { startChromium } from "./chromium.mjs";
import { startFirefox } from "./firefox.mjs";
import { ENGINES, missing } from "./programs.mjs";
import { startWebKit } from "./webkit.mjs";

const START = { chromium: startChromium, firefox: startFirefox, webkit: startWebKit };

export { ENGINES, missing };

/**
 * Starts an engine: `{ name, version, origin(url), person(options), close() }`. `origin(url)` is the origin at which the engine's people
 * reach that of `url`: WebKit's console can only be heard by a listener on the way. The wishes hold for all people of this engine:
 *
 *   dark, reducedMotion, forcedColors   what the page is asked to look like
 *   scripts                             false: the browser runs none
 *   scale                               device pixels a CSS pixel
 *   hides                               true: `person.hide()` works (Chromium then has one person)
 */
export const startEngine = (name, wishes = {}) => START[name](wishes);

/** One test for each engine. `act(t, name)` starts what it needs. */
export function inEachEngine(title, { timeout = 120_000, engines = ENGINES } = {}, act) {
  for (const name of engines) test(`${name}: ${title}`, { timeout, skip: missing(name) }, (t) => act(t, name));
}
