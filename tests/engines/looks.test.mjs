/* The states of the gallery as people with other wishes see them: nothing scrolls sideways, nothing is cut or lies on something else, all can be read. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startGallery } from "../../scripts/gallery.mjs";
import { STATES } from "../../scripts/gallery/states.mjs";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";
import { openState } from "./cast.mjs";
import { misplaced, tooPale } from "./judge.mjs";

const BOUND = { timeout: 300_000 };
const ALL = Object.keys(STATES);
/** They have every part of the page. */
const SOME = [
  "hall",
  "waiting-million",
  "lane",
  "called",
  "missed-once",
  "paused",
  "seats-beyond",
  "lost",
  "left",
  "branded",
  "refused-early",
  "elsewhere",
  "full",
];
const NARROW = { width: 320, height: 640 };
const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 800 };

const isRightToLeft = () => document.documentElement.dir === "rtl";
const matches = (query) => `() => matchMedia("${query}").matches`;

/**
 * Starts of a browser: what is wished, engines that have no such thing, and the walks `[title, size, language, states, whether contrast is judged, what is
 * true of a page if the wish was heard]`.
 */
const STARTS = [
  [
    {},
    [],
    [
      ["320 px", NARROW, "en", ALL, true, matches("(prefers-color-scheme: light)")],
      ["right to left at 320 px", NARROW, "ar", ALL, false, isRightToLeft],
      ["right to left on a desktop", DESKTOP, "ar", SOME, false, isRightToLeft],
    ],
  ],
  [
    { dark: true, reducedMotion: true },
    [],
    [
      ["dark", PHONE, "en", ALL, true, matches("(prefers-color-scheme: dark)")],
      [
        "reduced motion",
        PHONE,
        "en",
        ["arriving", "hall", "called"],
        false,
        () => matchMedia("(prefers-reduced-motion: reduce)").matches && document.getAnimations().length === 0,
      ],
    ],
  ],
  [{ forcedColors: true }, ["webkit"], [["forced colours", PHONE, "en", SOME, true, matches("(forced-colors: active)")]]],
  // 1280 px at 400 %.
  [{ scale: 4 }, [], [["zoomed to 400 %", { width: 320, height: 256 }, "en", SOME, false, () => devicePixelRatio === 4 && innerWidth === 320]]],
];

for (const name of ENGINES) {
  describe(name, { skip: missing(name) }, () => {
    let gallery;
    before(async () => {
      gallery = await startGallery();
    });
    after(() => gallery?.close());

    for (const [wishes, , walks] of STARTS.filter(([, without]) => !without.includes(name))) {
      test(`${name}: ${walks.map(([title]) => title).join(", ")}`, BOUND, async (t) => {
        const engine = await startEngine(name, wishes);
        t.after(() => engine.close());
        const origin = await engine.origin(gallery.url);
        const person = await engine.person();
        for (const [title, size, language, states, isJudged, isHeard] of walks) {
          await person.resize(size);
          for (const state of states) {
            await openState(person, origin, language, state);
            const what = `${title}, ${state}`;
            assert.ok(await person.evaluate(isHeard), `${what}: the wish is heard`);
            assert.deepEqual(await person.evaluate(misplaced), [], what);
            if (isJudged) assert.deepEqual(await tooPale(person), [], what);
          }
        }
        assert.deepEqual(await person.complaints(), []);
      });
    }

    test(`${name}: what is misplaced or pale is found`, BOUND, async (t) => {
      const engine = await startEngine(name);
      t.after(() => engine.close());
      const person = await engine.person(NARROW);
      await openState(person, await engine.origin(gallery.url), "en", "waiting");
      const spoilt = async (look) => {
        await person.evaluate(look);
        return person.evaluate(misplaced);
      };
      assert.match(
        (
          await spoilt(() => {
            document.querySelector(".far h1").style.marginBottom = "-2rem";
          })
        ).join(),
        /^h1 "You are in line" lies on p/,
      );
      assert.match(
        (
          await spoilt(() => {
            document.querySelector(".far h1").style.cssText = "position: relative; left: 20rem";
          })
        ).join(),
        /leaves the screen/,
      );
      assert.match(
        (
          await spoilt(() => {
            document.querySelector(".far h1").style.cssText = "height: 0; overflow: hidden";
          })
        ).join(),
        /is cut by h1/,
      );
      assert.match(
        (
          await spoilt(() => {
            document.querySelector(".far h1").style.cssText = "width: 400px";
          })
        ).join(),
        /the page is 4\d\d wide/,
      );
      await person.evaluate(() => {
        document.querySelector(".far h1").style.cssText = "color: #ccc";
      });
      assert.match((await tooPale(person)).join(), /You are in line/);
    });
  });
}
