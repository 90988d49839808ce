/*
 * Pictures of the page in each engine, held to those in tests/fixtures/shots/. Every sign is drawn as the same box (boxes.mjs), so that no font of a machine
 * matters, and what shows a time of day says the same. A change of the page that is meant is looked at, then written:
 *
 *   BATON_SHOTS=write node --test --import ./tests/support/ends.mjs tests/engines/shots.test.mjs
 */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { inRoot } from "../../scripts/common.mjs";
import { startGallery } from "../../scripts/gallery.mjs";
import { STATES } from "../../scripts/gallery/states.mjs";
import { drawn, inBoxes } from "../support/engines/boxes.mjs";
import { inEachEngine, startEngine } from "../support/engines/index.mjs";
import { difference, readPng, writePng } from "../support/png.mjs";
import { openState } from "./cast.mjs";

/** High enough for the whole page: a scrollbar comes and goes. */
const PHONE = { width: 360, height: 1_100 };
const NARROW = { width: 320, height: 1_100 };
const DESKTOP = { width: 1280, height: 800 };
/** What a start of the browser wishes, and its pictures: state, size, language. */
const STARTS = {
  light: [
    {},
    [
      ["waiting", PHONE, "en"],
      ["waiting", PHONE, "ar"],
      ["waiting", DESKTOP, "en"],
      ["called", PHONE, "en"],
      ["missed-once", NARROW, "en"],
      ["hall", PHONE, "en"],
      ["branded", PHONE, "en"],
      ["left", NARROW, "ar"],
    ],
  ],
  dark: [
    { dark: true },
    [
      ["near", PHONE, "en"],
      ["called", PHONE, "ar"],
      ["paused", PHONE, "en"],
      ["lost", NARROW, "en"],
    ],
  ],
};
/** The edges of boxes are drawn softly, and not in every version of an engine in the same way. */
const CHANNEL_MAX = 64;
const SHARE_MAX = 0.004;
const FILE_BYTES_MAX = 15_000;

/** What depends on the time, and what moves. */
function hold() {
  for (const [place, text] of Object.entries({
    heard: "heard at 10:00",
    opens: "opens at 10:00",
    claim: "kept for 28 s",
    lost: "lost since 10:00",
    host: "site",
  })) {
    for (const element of document.querySelectorAll(`[data-baton=${place}]`)) {
      element.removeAttribute("data-baton");
      element.textContent = text;
    }
  }
  for (const animation of document.getAnimations()) animation.cancel();
  scrollTo(0, 0);
}

inEachEngine("the pictures are those that were looked at", { timeout: 300_000 }, async (t, name) => {
  const gallery = await startGallery();
  t.after(() => gallery.close());
  const problems = [];
  for (const [look, [wishes, shots]] of Object.entries(STARTS)) {
    const engine = await startEngine(name, wishes);
    t.after(() => engine.close());
    const person = await engine.person();
    for (const [state, size, language] of shots) {
      await person.resize(size);
      await openState(person, gallery.url, language, state);
      // What the page loads later moves the rest.
      if (STATES[state].status.state === "waiting" || state === "hall")
        await person.until(() => document.querySelector("[data-offers]").children.length);
      await inBoxes(person);
      await person.evaluate(hold);
      await drawn(person);
      const problem = judge(`${name}/${state}-${language}-${size.width}-${look}`, await person.screenshot());
      if (problem) problems.push(problem);
    }
  }
  assert.deepEqual(problems, []);
});

/** What is wrong with a picture, if anything is. */
function judge(title, shot) {
  const file = inRoot("tests", "fixtures", "shots", `${title}.png`);
  const picture = readPng(shot);
  if (process.env.BATON_SHOTS === "write") {
    const bytes = writePng(picture);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    return bytes.length > FILE_BYTES_MAX && `${title} has ${bytes.length} bytes`;
  }
  if (!existsSync(file)) return `${title} was never looked at`;
  const share = difference(readPng(readFileSync(file)), picture, CHANNEL_MAX);
  if (share <= SHARE_MAX) return null;
  const seen = path.join(os.tmpdir(), `${title.replaceAll("/", "-")}.png`);
  writeFileSync(seen, shot);
  return `${title} differs in ${(share * 100).toFixed(2)} % of its pixels: ${seen}`;
}
