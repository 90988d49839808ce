/* What only time shows: somebody who reads for long, somebody whose tab is hidden. All engines at once: they mostly wait. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually, pass } from "../runtime/harness.mjs";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";
import { began, inShop, number, playIn, release } from "./cast.mjs";

const BOUND = { timeout: 300_000 };
const HIDDEN_MS = 100_000;
/** A hidden tab is slowed down by the engine, and a machine that runs three of them is slow too. */
const TURN_MS_MAX = 10_000;

const READS_MS = 60_000;

/** Title → the room's settings, what the engine must be able to do, the story. */
const STORIES = {
  "walks in, reads for a minute without a click, and books": [
    { claim_within_s: 10, linger_s: 5, lease_idle_s: 20 },
    {},
    async (it, enter) => {
      const person = await enter();
      await inShop(person);
      const waiter = await it.waiter();
      await pass(READS_MS);
      assert.equal((await waiter.status()).json.state, "waiting", "the permit is still the reader's");
      await person.click("button", "Book now");
      await person.sees("Thank you. See you there!");
    },
  ],

  "waits in a hidden tab for 100 s, and goes in when called": [
    { linger_s: 60 },
    { hides: true },
    async (it, enter) => {
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
      const ms = (await began(person)) - releasedAtMs;
      console.log(`hidden, from the release to the shop's first byte: ${ms.toFixed(0)} ms`);
      assert.ok(ms < TURN_MS_MAX, `${ms} ms`);
      await person.show();
      await inShop(person);
    },
  ],
};

describe("patience", { concurrency: true }, () => {
  for (const name of ENGINES) {
    for (const [title, [settings, wishes, story]] of Object.entries(STORIES)) {
      test(`${name}: ${title}`, { ...BOUND, skip: missing(name) }, async (t) => {
        const engine = await startEngine(name, wishes);
        t.after(() => engine.close());
        await playIn(engine, title, settings, story);
      });
    }
  }
});
