/* A place that moves from one engine to another and back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { missing, startEngine } from "../support/engines/index.mjs";
import { number, playIn } from "./cast.mjs";

/** Has a link made on the page, and opens it as `other`. */
async function carry(person, other) {
  await person.click(".carry-on");
  await other.goto(await person.until(() => document.querySelector(".carry input")?.value));
  await other.state("ready");
  await other.click("button");
  assert.equal(await number(other), "1");
  await person.until(() => document.body.dataset.state === "over" && document.body.dataset.reason === "carried");
}

for (const [from, to] of [
  ["chromium", "firefox"],
  ["firefox", "webkit"],
  ["webkit", "chromium"],
]) {
  test(`carried from ${from} to ${to} and back`, { timeout: 180_000, skip: missing(from) || missing(to) }, async (t) => {
    const [one, other] = await Promise.all([from, to].map((name) => startEngine(name)));
    t.after(() => Promise.all([one.close(), other.close()]));
    await playIn(one, "carry", { permits: 0, walk_in: false }, async (it, enter) => {
      // A link holds for the origin at which it was made.
      const via = [one, other].find((engine) => engine.name === "webkit") ?? one;
      const person = await enter("/buy/", { via });
      assert.equal(await number(person), "1");
      const second = await enter("/", { by: other, via });
      await carry(person, second);
      await carry(second, person);
    });
  });
}
