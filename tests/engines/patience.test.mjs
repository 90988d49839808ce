/* What only time shows: somebody whose tab is hidden for long. All engines at once: they mostly wait. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually, pass } from "../runtime/harness.mjs";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";
import { began, inShop, number, playIn, release } from "./cast.mjs";

const BOUND = { timeout: 300_000 };
const HIDDEN_MS = 100_000;
/** A hidden tab is slowed down by the engine, and a machine that runs three of them is slow too. */
const TURN_MS_MAX = 10_000;

const STORIES = {
  "waits in a hidden tab for 100 s, and goes in when called": [{ linger_s: 60 }, async (it, enter) => {
    const holder = await it.holder();
    const person = await enter();
    assert.equal(await number(person), "2");
    await person.hide();
    await person.until(() => document.hidden);
    await pass(HIDDEN_MS);
    assert.equal(await person.evaluate(() => document.body.dataset.state), "waiting");
    const releasedAtMs = Date.now();
    await release(holder);
    await eventually(() => person.evaluate(() => document.title && !document.body.dataset.state).catch(() => false), { what: "the shop" });
    const ms = await began(person) - releasedAtMs;
    console.log(`hidden, from the release to the shop's first byte: ${ms.toFixed(0)} ms`);
    assert.ok(ms < TURN_MS_MAX, `${ms} ms`);
    await person.show();
    await inShop(person);
  }],
};

describe("patience", { concurrency: true }, () => {
  for (const name of ENGINES) {
    for (const [title, [settings, story]] of Object.entries(STORIES)) {
      test(`${name}: ${title}`, { ...BOUND, skip: missing(name) }, async (t) => {
        const engine = await startEngine(name, { hides: true });
        t.after(() => engine.close());
        await playIn(engine, title, settings, story);
      });
    }
  }
});
