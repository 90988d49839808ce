/* The same page without scripts: the number, the turn and the farewell, in each engine. */

import assert from "node:assert/strict";
import { ENGINES, inEachEngine, startEngine } from "../support/engines/index.mjs";
import { inShop, number, playIn, release } from "./cast.mjs";

inEachEngine("without scripts: waits, goes in and books", { engines: ENGINES, timeout: 180_000 }, async (t, name) => {
  const engine = await startEngine(name, { scripts: false });
  t.after(() => engine.close());
  await playIn(engine, "without scripts", {}, async (it, enter) => {
    const holder = await it.holder();
    const person = await enter();
    assert.equal(await number(person), "2");
    await release(holder);
    await inShop(person);
    await person.click("button", "Book now");
    await person.sees("Thank you. See you there!");
  });
});
