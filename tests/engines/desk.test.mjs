/* The desk's five actions, with a finger on a phone and with a mouse on a desktop, before the real worker. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";
import { eventually } from "../runtime/harness.mjs";
import { playIn } from "./cast.mjs";
import { misplaced } from "./judge.mjs";

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };

/** Whether what is open lies on the screen whole. */
const isWhole = () => {
  const { left, right, top, bottom } = document.querySelector("dialog[open]").getBoundingClientRect();
  return left > -1 && top > -1 && right < innerWidth + 1 && bottom < innerHeight + 1;
};

async function story(it, enter, size) {
  await it.holder();
  const [first, second] = await it.line(2);
  const live = async (key) => {
    const { settings } = await (await fetch(`${it.rt.url}/__baton/admin/rooms/onsale`, { headers: { authorization: `Bearer ${it.token}` } })).json();
    return settings[key].value;
  };
  const desk = await enter("/__baton/admin/", size);
  await desk.type("#token", it.token);
  await desk.click("#sign-in button");

  /** Presses an action, answers its question with yes after `fill`, and waits until the room is as it says and the desk shows so. */
  const act = async (name, key, wanted, fill = () => {}) => {
    await desk.click(`[data-do=${name}]:enabled`);
    await desk.until(() => document.querySelector("#confirm[open] #consequence li"));
    await fill();
    assert.ok(await desk.evaluate(isWhole), `${name}: the question is on the screen`);
    assert.deepEqual(await desk.evaluate(misplaced), [], name);
    await desk.click("#yes:enabled");
    await eventually(async () => (await live(key)) === wanted, { what: `${key} ${wanted}` });
    await desk.until((news) => document.getElementById("news").textContent.startsWith(news), `${key} of onsale was set to`);
    await desk.until(() => !document.querySelector("#confirm[open]"));
    assert.deepEqual(await desk.evaluate(misplaced), [], `after ${name}`);
  };
  await act("message", "message", "Doors at six", () => desk.type("textarea[name=message]", "Doors at six"));
  await act("more", "permits", 2);
  await first.waitForState("called");
  await act("fewer", "permits", 1);
  await act("pause", "mode", "paused");
  await act("resume", "mode", "open");
  await act("end", "mode", "drain");
  await second.waitForState("waiting");
}

for (const name of ENGINES) {
  describe(name, { skip: missing(name) }, () => {
    let engine;
    before(async () => {
      engine = await startEngine(name);
    });
    after(() => engine?.close());
    for (const [where, size] of Object.entries(SIZES)) {
      test(`${name}: the desk's five actions on a ${where}`, { timeout: 180_000 }, () =>
        playIn(engine, where, {}, (it, enter) => story(it, enter, size)),
      );
    }
  });
}
