/* What docs/accessibility.md says of the four kinds of pages, in each engine: every rule of axe, zoom to 200 and 400 %, dark and forced colours, and every
 * control reached by the Tab key alone, with a focus that can be seen. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { startGallery } from "../../scripts/gallery.mjs";
import { pageOf } from "../../web/report/page.js";
import { TAB } from "../support/engines/person.mjs";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";
import { broken } from "./judge.mjs";

/** Half a minute on two idle cores. */
const BOUND = { timeout: 300_000 };
const sale = JSON.parse(readFileSync(new URL("../report/sale.json", import.meta.url), "utf8"));
const isLive = () => document.documentElement.matches("[data-live]");
const hasSaid = () => [...document.querySelectorAll(".say h2")].some((one) => one.checkVisibility());
const isThere = () => document.readyState === "complete" && Boolean(document.querySelector("h1"));

/** `[where, path, what is true once it is there]`; those of the report are at a server of their own. */
const PAGES = [
  ...["waiting", "called", "hall", "missed-once", "refused-early"].map((state) => [state, `/en/${state}`, isLive]),
  ...["many-rooms", "hall", "shop-failing", "lanes"].map((name) => [`desk ${name}`, `/desk/${name}/?lang=en`, hasSaid]),
  ["draw", "/__baton/static/draw.en.html", isThere],
  ["report", "/report", isThere],
  ["public report", "/public", isThere],
];
/** Starts of a browser, and which engines have no such thing. */
const STARTS = [
  [{}, []],
  [{ dark: true, reducedMotion: true }, []],
  [{ forcedColors: true }, ["webkit"]],
];
/** A window of 1280 px as it is, at 200 % and at 400 %. */
const WIDTHS = [1_280, 640, 320];
/** More controls than any of these pages has. */
const TABS_MAX = 80;

/** Serves the gallery and the report at one address: `{ url, close }`. */
async function startPages() {
  const gallery = await startGallery();
  const server = http.createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(pageOf({ ...sale, is_public: request.url === "/public" }, { lang: "en", timeZone: "Asia/Tokyo" }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    gallery: gallery.url,
    report: `http://127.0.0.1:${server.address().port}`,
    close: () => Promise.all([gallery.close(), new Promise((resolve) => server.close(resolve))]),
  };
}

/** Marks what a Tab must reach, and resolves to how many those are. */
function mark() {
  const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")];
  const reached = all.filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0);
  for (const one of reached) one.dataset.unreached = "";
  return reached.length;
}

/** Takes the mark from what has the focus. Says what is wrong with that focus, or "". `isDrawn`: the engine draws it. */
function look(isDrawn) {
  const at = document.activeElement;
  if (!at || at === document.body) return "";
  delete at.dataset.unreached;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const isSeen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
  return isSeen || !isDrawn ? "" : `${at.outerHTML.slice(0, 100)}: nobody sees that it has the focus`;
}

const unreached = () => [...document.querySelectorAll("[data-unreached]")].map((one) => one.outerHTML.slice(0, 100));

for (const name of ENGINES) {
  describe(name, { skip: missing(name) }, () => {
    let pages;
    before(async () => {
      pages = await startPages();
    });
    after(() => pages?.close());

    /** Opens each page in turn and judges it. */
    async function walk(t, wishes, judge) {
      const engine = await startEngine(name, wishes);
      t.after(() => engine.close());
      const person = await engine.person({ width: WIDTHS[0], height: 800 });
      for (const [what, path, isOpen] of PAGES) {
        const origin = await engine.origin(/report|public/.test(path) ? pages.report : pages.gallery);
        await person.goto(origin + path);
        await person.until(isOpen);
        await judge(person, what);
      }
    }

    for (const [wishes] of STARTS.filter(([, without]) => !without.includes(name))) {
      test(`${name}, ${JSON.stringify(wishes)}: no rule of axe is broken, and nothing is wider than the screen at 100, 200 and 400 %`, BOUND, (t) =>
        walk(t, wishes, async (person, what) => {
          for (const width of WIDTHS) {
            await person.resize({ width, height: 640 });
            const wide = await person.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            assert.ok(wide <= 0, `${what} at ${width} px is ${wide} px too wide`);
          }
          assert.deepEqual(await broken(person), [], what);
        }),
      );
    }

    // WebKit's window has no focus under Xvfb, so nothing in it is drawn as focused.
    test(`${name}: every control is reached with the Tab key, and seen to have the focus`, BOUND, (t) =>
      walk(t, {}, async (person, what) => {
        const count = await person.evaluate(mark);
        for (let tab = 0; tab < TABS_MAX && (await person.evaluate(unreached)).length > 0; tab++) {
          await person.press(TAB);
          assert.equal(await person.evaluate(look, name !== "webkit"), "", what);
        }
        assert.deepEqual(await person.evaluate(unreached), [], `${what}: of ${count}`);
      }),
    );
  });
}
