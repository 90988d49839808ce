/* What visitors live through, from the first page to the shop, in Chromium, Firefox and WebKit before the real worker. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ENGINES, missing, startEngine } from "../support/engines/index.mjs";
import { began, inShop, number, playIn, release } from "./cast.mjs";

const BOUND = { timeout: 180_000 };

/** Gives up the place by the page's own form, once what the page loads later has moved it down. */
async function leave(person) {
  await person.until(() => document.querySelector("[data-offers]").children.length > 0);
  // WebKit's driver now and then loses a click.
  do await person.click(".keep summary", "Leave the line");
  while (!(await person.evaluate(() => document.querySelector(".keep details").open)));
  await person.click(".keep form button", "Give up my place");
  await person.sees("You have left the line");
}

/** Title → the room's settings, the story, and what is still wrong, if it cannot hold yet. */
const STORIES = {
  "walks in and books": [
    {},
    async (it, enter) => {
      const person = await enter();
      await inShop(person);
      await person.click("button", "Book now");
      await person.sees("Thank you. See you there!");
    },
  ],

  "waits, reloads, and goes in at once": [
    {},
    async (it, enter) => {
      const holder = await it.holder();
      const person = await enter();
      assert.equal(await number(person), "2");
      await person.reload();
      assert.equal(await number(person), "2");
      await person.until(() => document.querySelector("[data-baton=heard]")?.textContent);
      const releasedAtMs = Date.now();
      await release(holder);
      await inShop(person);
      const ms = (await began(person)) - releasedAtMs;
      console.log(`from the release to the shop's first byte: ${ms.toFixed(0)} ms`);
    },
  ],

  "leaves, comes again, and is called": [
    {},
    async (it, enter) => {
      const holder = await it.holder();
      const person = await enter();
      assert.equal(await number(person), "2");
      await leave(person);
      await person.click("[data-on=over] button", "Take a new number");
      assert.equal(await number(person), "3");
      await release(holder);
      await inShop(person);
    },
  ],

  "walks away, misses the call, and is the very next": [
    { claim_within_s: 2, linger_s: 60 },
    async (it, enter) => {
      const holder = await it.holder();
      const person = await enter();
      assert.equal(await number(person), "2");
      const other = await it.waiter();
      await person.goto("about:blank");
      await release(holder);
      await other.waitForState("called");
      assert.equal((await other.claimByLanding()).state, "shop");
      await person.goto(`${person.origin}/buy/`);
      assert.equal(await number(person), "2");
      await person.sees("We called you while you were away.");
      await release(other);
      await inShop(person);
    },
  ],

  "the server dies and comes back": [
    {},
    async (it, enter) => {
      const holder = await it.holder();
      const person = await enter();
      assert.equal(await number(person), "2");
      await it.crash();
      await release(holder);
      await inShop(person);
    },
  ],

  "goes elsewhere, back and forward": [
    {},
    async (it, enter) => {
      const holder = await it.holder();
      const person = await enter();
      assert.equal(await number(person), "2");
      await person.goto(`${person.origin}/`);
      await person.back();
      assert.equal(await number(person), "2");
      await person.forward();
      await person.until(() => location.pathname === "/");
      await person.back();
      assert.equal(await number(person), "2");
      await release(holder);
      await inShop(person);
    },
  ],
};

for (const name of ENGINES) {
  describe(name, { skip: missing(name) }, () => {
    let engine;
    before(async () => {
      engine = await startEngine(name);
    });
    after(() => engine?.close());
    for (const [title, [settings, story]] of Object.entries(STORIES)) test(`${name}: ${title}`, BOUND, () => playIn(engine, title, settings, story));
  });
}
